"""What the README of a pack adds to that of a bundle: what is in the pack, and by which rule set.

In both languages, because a reader of a pack may know only one of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from api.html.texts import LANGUAGES, texts_of

RULE = "-"


def readme_of(told: Mapping[str, Any]) -> bytes:
    """The part about this pack; `told` is what its `bundle.json` says."""
    return "".join(_about(told, language) for language in LANGUAGES).encode()


def _about(told: Mapping[str, Any], language: str) -> str:
    t = texts_of(language)
    title = t("pack.readme")
    lines = ["", "", title, RULE * len(title), t("pack.readme_by", rules=told["profile"])]
    cut = told["cut"]
    lines.append(t("pack.readme_last", last=told["last"]))
    if cut and "first_ruling" in cut["why"]:
        lines.append(t("pack.readme_cut", rules=told["profile"], section=told["section"]))
    if "players" in told["keeps_back"]:
        lines.append(t("pack.readme_blind", rules=told["profile"], section=told["section"]))
        lines.append(t("pack.readme_linking"))
    if cut and "score" in cut["why"]:
        lines.append(t("pack.readme_score"))
    if cut and cut["withheld"]:
        versions = ", ".join(map(str, cut["withheld"]))
        lines.append(t("pack.readme_withheld", versions=versions))
    if told["unstated"]:
        what = ", ".join(t(f"words.unstated.{one}") for one in told["unstated"])
        key = "words.unstated" if told["is_in_hand"] else "words.unstated_not_in_hand"
        lines.append(t(key, rules=told["profile"], what=what))
    lines.append(t("pack.readme_page"))
    if "players" in told["keeps_back"]:
        lines.append(t("pack.readme_unseal"))
    return "\n".join(lines) + "\n"
