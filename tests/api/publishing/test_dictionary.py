"""The dictionary says what the files hold, and the README says what the dictionary says."""

from __future__ import annotations

import os
from pathlib import Path

import pyarrow.parquet
import pytest

from api.publishing import tables
from api.publishing.parquet import schema_of
from tests.api.publishing.published import Demonstrate, Publish

BEGIN, END = "<!-- dictionary begins -->\n", "<!-- dictionary ends -->\n"


def test_the_readme_holds_the_dictionary_of_today() -> None:
    """To bring it up to date: run this test with TABULARIUM_REWRITE=1."""
    room = Path(tables.__file__).parent
    text = (room / "README.md").read_text("utf-8")
    before, rest = text.split(BEGIN)
    current = f"{before}{BEGIN}\n{tables.described(3)}\n{END}{rest.split(END)[1]}"
    if os.environ.get("TABULARIUM_REWRITE") == "1":
        (room / "README.md").write_text(current, "utf-8")
        return
    assert current == text


def test_every_module_of_the_room_is_in_its_table() -> None:
    room = Path(tables.__file__).parent
    text = (room / "README.md").read_text("utf-8")
    assert not [path.name for path in room.glob("[a-z]*.py") if f"| `{path.name}` |" not in text]


@pytest.mark.parametrize("table", tables.TABLES, ids=lambda table: table.name)
def test_every_table_and_column_says_what_it_is(table: tables.Table) -> None:
    assert table.says.endswith(".")
    names = [column.name for column in table.columns]
    assert len(set(names)) == len(names)
    assert "log" not in names
    for column in table.columns:
        assert column.says.endswith("."), column.name
        assert "|" not in column.says, column.name


def test_files_carry_what_their_columns_say(
    tmp_path: Path, sqlite_url: str, demonstrate: Demonstrate, publish_to: Publish
) -> None:
    demonstrate(sqlite_url).close()
    publish_to(tmp_path / "out", sqlite_url)
    for table in tables.TABLES:
        path = tmp_path / "out" / table.name / "log=demo" / "part-00000.parquet"
        schema = pyarrow.parquet.read_schema(path)
        assert schema.metadata[b"comment"].decode() == table.says
        for column in table.columns:
            field = schema.field(column.name)
            assert field.metadata[b"comment"].decode() == column.says
            assert field.nullable is column.is_null
            assert field.type == schema_of(table).field(column.name).type
