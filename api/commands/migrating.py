"""`tabularium migrate`: the tables brought up to date, on PostgreSQL by the role that owns them."""

from __future__ import annotations

import migrations
from api.commands.common import Db, settings_of
from api.commands.printing import fail, safe, say, show
from events.store.address import ServerAddress, parse_address


def migrate(db: Db = None) -> None:
    """Make the archive's tables, or bring them up to date.

    Commands that write to the archive also do this. On PostgreSQL the archive's role need not own
    its tables: TABULARIUM_OWNER_DB is the URL of the same database with another role, which then
    migrates. That role takes over tables that the archive's role owns, and grants the archive's
    role only the rights that it needs.
    """
    settings = settings_of(db)
    owner = settings.owner_db
    if owner is None:
        is_new = migrations.upgrade(settings.db)
    elif not isinstance(parse_address(settings.db), ServerAddress) or not isinstance(
        parse_address(owner), ServerAddress
    ):
        fail("TABULARIUM_OWNER_DB is for an archive on PostgreSQL: a file has no roles")
    else:
        from migrations.owning import hand_over

        is_new = migrations.upgrade(owner)
        role = hand_over(owner, settings.db)
        say(f"{safe(role)} owns none of the tables, and may do the archive's work")
    show(f"{'brought' if is_new else 'the tables are'} up to date: revision {migrations.head()}")
