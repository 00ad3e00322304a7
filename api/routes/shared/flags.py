"""What of a match is written into a file, as a request's query says."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from fastapi import Depends, Query

from api.exchange.writing.wanted import Illegal, Names


class Flags(NamedTuple):
    """What of a match is to be written."""

    clocks: bool = True
    findings: bool = True
    names: Names = "disclosed"
    illegal: Illegal = "raw"


def flags_of(
    clocks: Annotated[
        bool, Query(description="Write clocks, if the format can hold them.", examples=[False])
    ] = True,
    findings: Annotated[
        bool, Query(description="Write findings, if the format can hold them.", examples=[False])
    ] = True,
    names: Annotated[
        Names,
        Query(description="Write names, as far as the reader may see them.", examples=["withheld"]),
    ] = "disclosed",
    illegal: Annotated[
        Illegal,
        Query(
            description="Write an illegal play as it was made, or as the board after it.",
            examples=["stated"],
        ),
    ] = "raw",
) -> Flags:
    """The flags of a request's query."""
    return Flags(clocks, findings, names, illegal)


Flagged = Annotated[Flags, Depends(flags_of)]
