"""All rule sets side by side, read off the shelf: options, void cube acts, answers, sections."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from projections.rules.profile import CubeFault, RuleProfile, Rules
from projections.rules.shelf import SHELF

BEGIN = "<!-- rule sets compared: written by `compare.rewritten`, not by hand -->"
END = "<!-- rule sets compared: end -->"


def tables(shelf: Mapping[str, RuleProfile] = SHELF) -> str:
    """The comparison as Markdown: one column for each rule set."""
    profiles = tuple(shelf.values())
    return "\n".join(
        [
            "Options, with the value that holds where nobody pins one; *open*: no such value; –:",
            "the text does not provide for the option.",
            "",
            *_table("option", profiles, _options(profiles)),
            "",
            "Faults that make a double null and void; where the cell is empty it stands as made.",
            "",
            *_table("fault", profiles, _faults(profiles)),
            "",
            "Subjects that folds ask. A section, or *yes*: the text has a policy of its own, which",
            "may still find that a case is open. *asks*: a person decides, and why.",
            "",
            *_table("subject", profiles, _subjects(profiles)),
            "",
            "Sections that those subjects cite where they have one, and what each speaks about.",
            "",
            *_captions(profiles),
        ]
    )


def rewritten(text: str, shelf: Mapping[str, RuleProfile] = SHELF) -> str:
    """A README with the comparison of today between its two markers."""
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    assert begin, "the README has no place for the comparison"
    assert end, "the place for the comparison has no end"
    return f"{before}{BEGIN}\n\n{tables(shelf)}\n\n{END}{after}"


Row = tuple[str, list[str]]


def _table(head: str, profiles: Iterable[RuleProfile], rows: Iterable[Row]) -> Iterator[str]:
    columns = [head, *(f"`{profile.id}`" for profile in profiles)]
    yield f"| {' | '.join(columns)} |"
    yield "|" + "---|" * len(columns)
    for name, cells in rows:
        yield f"| `{name}` | {' | '.join(cells)} |"


def _options(profiles: tuple[RuleProfile, ...]) -> Iterator[Row]:
    for key in sorted({key for profile in profiles for key in profile.options}):
        yield key, [_option(profile, key) for profile in profiles]


def _option(profile: RuleProfile, key: str) -> str:
    if key not in profile.options:
        return "–"
    value = profile.options[key]
    return "*open*" if value is None else _value(value)


def _value(value: object) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_value(inner)}" for name, inner in value.items())
    if isinstance(value, tuple):
        return ", ".join(map(str, value))
    return f"{value:,}".replace(",", " ") if isinstance(value, int) else str(value)


def _faults(profiles: tuple[RuleProfile, ...]) -> Iterator[Row]:
    for fault in CubeFault:
        yield fault.value, ["void" if fault in one.void_cube_acts else "" for one in profiles]


def _subjects(profiles: tuple[RuleProfile, ...]) -> Iterator[Row]:
    for subject in sorted({subject for profile in profiles for subject in profile.policies}):
        yield subject, [_subject(profile, subject) for profile in profiles]


def _captions(profiles: tuple[RuleProfile, ...]) -> Iterator[str]:
    yield "| rule set | section | speaks about |"
    yield "|---|---|---|"
    for profile in profiles:
        cited = {profile.default_section, *profile.sections.values()}
        for section, caption in profile.contents.items():
            if section in cited:
                yield f"| `{profile.id}` | {section} | {caption} |"


def _subject(profile: RuleProfile, subject: str) -> str:
    if subject in profile.policies:
        return profile.sections.get(subject, "yes")
    # What fills a gap needs no facts: it says why nobody but a person can answer.
    answer = Rules(profile).gap(subject, None)
    why = answer.ambiguity or (answer.reason or "").replace("_", " ")
    return f"*asks*: {why}" + (f", shows {answer.suggest}" if answer.suggest else "")
