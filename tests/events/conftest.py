"""Stores to test and drafts to put into them."""

from __future__ import annotations

import random
import uuid
from collections.abc import Callable, Iterator

import pytest

from events.canonical import canonical
from events.envelope import Basis, EventDraft
from events.personal import disclose
from events.store.opening import LedgerStore, open_store

MakeDraft = Callable[..., EventDraft]

ARCHIVES = ("memory", "sqlite", "postgres")


@pytest.fixture
def rng() -> random.Random:
    """Chance that is the same in every run."""
    return random.Random(20_260_101)


@pytest.fixture
def make_draft(rng: random.Random) -> MakeDraft:
    """A new draft with a context; `name=` also commits and discloses a name in the body."""

    def make(*, name: str | None = None, **more: object) -> EventDraft:
        body: dict[str, object] = {"dice": [rng.randint(1, 6), rng.randint(1, 6)], "seat": "one"}
        disclosures: tuple[bytes, ...] = ()
        if name is not None:
            commitment, raw = disclose(rng.randbytes(16), "player", name)
            body["player"] = {"sd": commitment.sd}
            disclosures = (raw,)
        _, context = disclose(rng.randbytes(16), "context", {"recorded_by": "scribe"})
        fields: dict[str, object] = {
            "entry_id": str(uuid.UUID(bytes=rng.randbytes(16), version=4)),
            "tag": "dice.rolled",
            "basis": Basis.OBSERVED,
            "body": canonical(body),
            "context": context,
            "disclosures": disclosures,
        }
        return EventDraft(**{**fields, **more})  # type: ignore[arg-type]

    return make


@pytest.fixture(params=ARCHIVES)
def archive_url(request: pytest.FixtureRequest) -> str:
    """A new, empty archive of each kind."""
    if request.param == "memory":
        return "memory://"
    url: str = request.getfixturevalue(f"{request.param}_url")
    return url


@pytest.fixture
def store(archive_url: str, rng: random.Random) -> Iterator[LedgerStore]:
    """An open store of each kind with an empty log `club`."""
    opened = open_store(archive_url, entropy=rng.randbytes)
    opened.open_log("club")
    yield opened
    opened.close()
