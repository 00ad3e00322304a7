"""Drafts to put into archives of every schema there was, and Alembic itself to make them."""

from collections.abc import Callable

import pytest

from migrations import scripts
from tests.events.conftest import make_draft, rng

__all__ = ["make_draft", "rng"]


@pytest.fixture(autouse=True)
def _by_alembic(alembic_itself: Callable[[str], None], monkeypatch: pytest.MonkeyPatch) -> None:
    """No table of these tests is a copy."""
    monkeypatch.setattr(scripts, "run", alembic_itself)
