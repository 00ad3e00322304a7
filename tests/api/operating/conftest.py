"""The command line on an archive of the test's own, as the tests of the commands have it."""

from tests.api.commands.conftest import database, match_file, run
from tests.events.conftest import make_draft, rng

__all__ = ["database", "make_draft", "match_file", "rng", "run"]
