"""Rows into Parquet: Arrow schemas made of the data dictionary, one row group a file."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from api.publishing.extras import needed
from api.publishing.tables import TABLES_VERSION, Kind, Table

Values = Sequence[object]
"""The values of one column: a list, or an array of Arrow's."""


@cache
def schema_of(table: Table) -> Any:
    """The table's Arrow schema; what table and columns say is the `comment` of their metadata."""
    pa = needed("pyarrow")
    kinds = {
        Kind.TEXT: pa.string(),
        Kind.TEXTS: pa.list_(pa.field("element", pa.string(), nullable=False)),
        Kind.BYTES: pa.binary(),
        Kind.FLAG: pa.bool_(),
        Kind.NUMBER: pa.int32(),
        Kind.BIG: pa.int64(),
    }
    fields = [
        pa.field(one.name, kinds[one.kind], nullable=one.is_null, metadata={"comment": one.says})
        for one in table.columns
    ]
    told = {"comment": table.says, "tables_version": str(TABLES_VERSION)}
    return pa.schema(fields, metadata=told)


def encoded(table: Table, columns: Sequence[Values]) -> bytes:
    """A Parquet file of these columns; the same values give the same bytes."""
    pa, parquet = needed("pyarrow"), needed("pyarrow.parquet")
    schema = schema_of(table)
    arrays = [
        values.cast(field.type) if hasattr(values, "cast") else pa.array(values, field.type)
        for values, field in zip(columns, schema, strict=True)
    ]
    content = pa.BufferOutputStream()
    rows = pa.Table.from_arrays(arrays, schema=schema)
    parquet.write_table(
        rows,
        content,
        compression="zstd",
        row_group_size=max(1, rows.num_rows),
        use_dictionary=[one.name for one in table.columns if one.repeats],
        # Least and greatest bytes of a hash help nobody to skip anything.
        write_statistics=[one.name for one in table.columns if one.kind is not Kind.BYTES],
    )
    file: bytes = content.getvalue().to_pybytes()
    return file


def columns_of(table: Table, rows: Sequence[Sequence[object]]) -> list[Values]:
    """Rows turned into columns."""
    return list(zip(*rows, strict=True)) if rows else [()] * len(table.columns)
