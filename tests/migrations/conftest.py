"""Drafts to put into archives of every schema there was."""

from tests.events.conftest import make_draft, rng

__all__ = ["make_draft", "rng"]
