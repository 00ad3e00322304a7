"""The ledger as publications read it, wherever its file lies."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from api.archive.archive import open_archive
from api.publishing import ledger
from api.publishing.extras import needed
from events.errors import StoreFailed


def test_a_file_on_a_medium_that_takes_no_writes_is_read(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = open_archive(sqlite_url)
    archive.open_tournament("club", "Club")
    archive.close()
    sqlite, broken = needed("adbc_driver_sqlite.dbapi"), needed("adbc_driver_manager").Error
    opened: list[str] = []

    class Still:
        """A connection that can be read where the file is taken for one that nobody changes."""

        def __init__(self, uri: str, **more: Any) -> None:
            opened.append(uri)
            self._inner = sqlite.connect(uri, **more)
            self.close = self._inner.close

        def cursor(self) -> Any:
            if "immutable" not in opened[-1]:
                raise broken("attempt to write a readonly database", status_code=5)
            return self._inner.cursor()

    def found(name: str, **more: Any) -> Any:
        return SimpleNamespace(connect=Still) if "sqlite" in name else needed(name, **more)

    monkeypatch.setattr(ledger, "needed", found)
    with pytest.raises(StoreFailed, match="readonly"), ledger.reading(sqlite_url):
        pass
    # Whoever runs the tests may write to any folder.
    monkeypatch.setattr(ledger.os, "access", lambda *asked: False)
    with ledger.reading(sqlite_url) as read:
        assert len([*read.leaf_hashes("club", 1)]) == 1
    assert opened[-1].endswith("?mode=ro&immutable=1")
    Path(f"{sqlite_url.removeprefix('sqlite:///')}-wal").write_bytes(b"not to be overlooked")
    with pytest.raises(StoreFailed, match="readonly"), ledger.reading(sqlite_url):
        pass


@pytest.mark.parametrize(
    ("said", "raised"),
    [
        ("canceling statement due to user request", KeyboardInterrupt),
        ("canceling statement due to statement timeout", StoreFailed),
    ],
)
def test_what_is_stopped_while_a_database_is_waited_for_is_no_fault_of_the_database(
    said: str, raised: type[BaseException]
) -> None:
    adbc = needed("adbc_driver_manager")
    with pytest.raises(raised), ledger._refusals():
        raise adbc.OperationalError(said, status_code=adbc.AdbcStatusCode.CANCELLED)


def test_ctrl_c_is_no_fault_of_a_database_whose_driver_cancels_nothing() -> None:
    adbc = needed("adbc_driver_manager")
    unknown = adbc.NotSupportedError("NOT_IMPLEMENTED")
    with pytest.raises(KeyboardInterrupt), ledger._refusals():
        raise unknown from KeyboardInterrupt
    with pytest.raises(StoreFailed), ledger._refusals():
        raise unknown from None
