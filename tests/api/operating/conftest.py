"""The command line on an archive of the test's own, as the tests of the commands have it."""

from tests.api.commands.conftest import database, match_file, run

__all__ = ["database", "match_file", "run"]
