"""The queries of the room's README are run, by DuckDB and Polars, on a published demonstration."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path
from typing import Any

import pytest

from api.publishing import tables
from tests.api.publishing.published import Demonstrate, Publish

PAIR = re.compile(r"^```python (\w+)\n(.*?)^```\n\n```text \1\n(.*?)^```$", re.M | re.S)


def test_the_queries_answer_what_the_readme_says(
    tmp_path: Path,
    sqlite_url: str,
    demonstrate: Demonstrate,
    publish_to: Publish,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    demonstrate(sqlite_url).close()
    publish_to(tmp_path / "published", sqlite_url, names=True)
    monkeypatch.chdir(tmp_path)
    text = (Path(tables.__file__).parent / "README.md").read_text("utf-8")
    told = PAIR.findall(text)
    assert {engine for engine, _, _ in told} == {"duckdb", "polars"}
    known: dict[str, Any] = {}
    for _, code, expected in told:
        with contextlib.redirect_stdout(io.StringIO()) as shown:
            exec(code, known)
        assert shown.getvalue() == expected, code
