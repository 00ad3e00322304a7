"""What only the PostgreSQL store promises: lost connections survived, several writers in turn."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from urllib.parse import urlsplit, urlunsplit

import psycopg
import pytest

import migrations
from events.canonical import canonical
from events.errors import LedgerError, LogExists, OutcomeUnknown, StoreFailed
from events.personal import commitment_of
from events.store.fsck import fsck
from events.store.opening import open_store
from events.store.protocol import Unit
from tests.events.test_journal_contract import Chain, grown

END_OTHERS = (
    "SELECT count(pg_terminate_backend(pid, 5000)) FROM pg_stat_activity"
    " WHERE datname = current_database() AND pid <> pg_backend_pid()"
)


@pytest.fixture
def store(postgres_url, rng):
    """An open PostgreSQL store with an empty log `club`."""
    opened = open_store(postgres_url, entropy=rng.randbytes)
    opened.open_log("club")
    yield opened
    opened.close()


def as_role(url, role):
    """The same database, by another role."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=f"{role}@{parts.netloc.rpartition('@')[2]}"))


def end_connections(url):
    """What a restart of the server does to its clients."""
    with psycopg.connect(url, autocommit=True) as db:
        db.execute(END_OTHERS)


def test_writer_has_its_settings(store):
    def setting(db, name):
        return db.execute(f"SHOW {name}").fetchone()[0]

    assert setting(store._writer, "synchronous_commit") == "on"
    assert setting(store._writer, "idle_in_transaction_session_timeout") != "0"
    with store._reading() as reader:
        assert setting(reader, "default_transaction_read_only") == "on"


@pytest.mark.parametrize("encoding", ["SQL_ASCII", "LATIN1"])
def test_a_database_that_is_kept_in_another_encoding_is_an_archive_too(
    postgres_server, make_draft, encoding
):
    """What a server makes in the C locale says nothing of how its texts are to be read."""
    name = f"kept_in_{encoding.lower()}"
    postgres_server.execute(
        f"CREATE DATABASE {name} ENCODING '{encoding}' LOCALE 'C' TEMPLATE template0"
    )
    url = postgres_server.url(name)
    assert migrations.upgrade(url)
    with closing(open_store(url)) as store:
        store.open_log("club")
        store.append("club", "m", [make_draft()])
        [row] = store.read_stream("club", "m")
        assert (row.stream_id, row.version) == ("m", 1)
        assert fsck(store).clean
    assert not migrations.upgrade(url)
    postgres_server.execute(f"DROP DATABASE {name} WITH (FORCE)")


def test_restarted_server_costs_no_append_and_no_read(store, postgres_url, make_draft):
    store.append("club", "m", [make_draft()])
    end_connections(postgres_url)
    assert store.append("club", "m", [make_draft()]).events[0].version == 2
    end_connections(postgres_url)
    units = [Unit(log_id="club", stream_id="m", drafts=(make_draft(),)) for _ in range(2)]
    assert [answer.events[0].version for answer in store.append_units(units)] == [3, 4]
    assert store.log_head("club").size == 4
    assert fsck(store).clean


class FailingCommit:
    """A connection that is lost at its next COMMIT, after the commit or before it."""

    def __init__(self, db, *, really):
        self._db = db
        self._really = really

    def execute(self, sql, *arguments, **options):
        if sql == "COMMIT":
            if self._really:
                self._db.execute(sql)
            self._db.close()
            raise psycopg.OperationalError("server closed the connection unexpectedly")
        return self._db.execute(sql, *arguments, **options)

    def __getattr__(self, name):
        return getattr(self._db, name)


@pytest.mark.parametrize("really", [True, False], ids=["committed", "lost"])
def test_outcome_of_a_failed_commit_is_unknown_and_the_retry_tells(store, make_draft, really):
    store.append("club", "m", [make_draft()])
    store._writer = FailingCommit(store._writer, really=really)
    unit = Unit(log_id="club", stream_id="m", drafts=(make_draft(),))
    [answer] = store.append_units([unit])
    assert isinstance(answer, OutcomeUnknown)
    [again] = store.append_units([unit])
    assert (again.duplicate, again.events[0].version) == (really, 2)
    assert fsck(store).clean


def test_two_processes_write_in_turn(store, postgres_url, make_draft):
    store.open_log("other")
    second = open_store(postgres_url)
    drafts = [[make_draft() for _ in range(60)] for _ in range(2)]

    def hand(where, mine):
        # Units of both logs in both orders: the heads are locked by id, so nobody waits in a ring.
        for at, draft in enumerate(mine):
            logs = ("club", "other") if at % 2 else ("other", "club")
            answers = where.append_units(
                [Unit(log_id=log, stream_id="m", drafts=(draft,)) for log in logs]
            )
            assert not any(isinstance(answer, LedgerError) for answer in answers)

    with ThreadPoolExecutor(2) as hands:
        list(hands.map(hand, [store, second], drafts))
    with pytest.raises(LogExists):
        second.open_log("other")
    second.close()
    assert [head.size for head in store.logs()] == [120, 120]
    assert fsck(store).clean


def test_of_two_servers_that_sign_the_same_size_one_keeps_it_and_neither_fails(
    store, postgres_url, make_draft
):
    sizes = range(1, 40)
    store.append("club", "m", [make_draft() for _ in sizes])
    with closing(open_store(postgres_url)) as other, ThreadPoolExecutor() as hands:
        at_once = threading.Barrier(2, timeout=20)

        def kept(by, signer):
            added = []
            for size in sizes:
                at_once.wait()
                added.append(by.keep_checkpoint("club", size, b"note\n"))
                by.keep_signatures("club", size, {"w+01": b"line", signer: b"line"})
                by.keep_token("club", size, signer.encode())
            return added

        told = [hands.submit(kept, by, signer) for by, signer in ((store, "a"), (other, "b"))]
        pairs = zip(*(one.result() for one in told), strict=True)
        assert [sum(pair) for pair in pairs] == [1 for _ in sizes]
    assert {tuple(sorted(store.checkpoint("club", at_most=size).lines)) for size in sizes} == {
        ("a", "b", "w+01")
    }


def test_reading_store_cannot_write(store, postgres_url, make_draft):
    reader = open_store(postgres_url, read_only=True)
    with pytest.raises(StoreFailed, match="reading only"):
        reader.append("club", "m", [make_draft()])
    with reader._reading() as db, pytest.raises(psycopg.errors.ReadOnlySqlTransaction):
        db.execute("DELETE FROM disclosure")
    reader.close()


def test_unreachable_server_is_a_refusal():
    with pytest.raises(StoreFailed):
        open_store("postgresql://nobody@127.0.0.1:1/none")


def counted(store, postgres_url, what):
    """What the database has counted of the store's reading until now."""
    for db in (store._writer, *store._readers):
        db.execute("SELECT pg_stat_force_next_flush()")
        db.execute("SELECT 1")
    with psycopg.connect(postgres_url) as db:
        return db.execute(f"SELECT {what}").fetchall()


def test_every_lookup_uses_an_index(store, postgres_url, make_draft):
    # Also with plans that were made and kept while the tables were known to be small.
    store.append("club", "m1", [make_draft(name="Ada")])
    with psycopg.connect(postgres_url, autocommit=True) as db:
        db.execute("ANALYZE")
    for at in range(30):
        event = store.append("club", f"m{at % 3}", [make_draft(name="Ada")]).events[0]
        store.find_entries("club", [event.entry_id])
        store.read_stream("club", "m1", after=1, limit=2)
        list(store.read_log("club", start=at))
        store.streams("club", after="m0", limit=2)
        store.log_head("club")
        store.disclosures("club", ["0" * 64])
        store.disclosures_of("club", [at])
    rows = counted(store, postgres_url, "relname, seq_scan, idx_scan FROM pg_stat_user_tables")
    used = {name: (whole, by_key) for name, whole, by_key in rows if by_key}
    assert used.keys() == {"log_head", "stream_head", "event", "disclosure"}
    assert {name: whole for name, (whole, _) in used.items() if whole} == {}


def test_no_entry_is_looked_up_among_all_others_before_anybody_has_counted_them(
    store, postgres_url, make_draft
):
    """Until the first ANALYZE a planner takes a log for one row, and any index for as good."""
    several = 40
    for at in range(several):
        [event] = store.append("club", f"m{at}", [make_draft(name="Ada")]).events
        store.find_entries("club", [event.entry_id])
        store.submitted("club", [event.entry_id])
        store.disclosures("club", ["0" * 64])
        store.disclosures_of("club", [at])
    read = counted(
        store,
        postgres_url,
        "relname, sum(idx_tup_read) FROM pg_stat_user_indexes GROUP BY relname",
    )
    assert {name: count for name, count in read if count > 5 * several} == {}


def test_tables_that_were_counted_while_empty_are_counted_when_they_have_grown(
    store, postgres_url, make_draft
):
    """A plan that was kept for an empty table takes any index, and reads a log whole for a key."""
    tables = ("event", "disclosure", "stream_head", "journal", "journal_outcome")
    with psycopg.connect(postgres_url, autocommit=True) as db:
        for name in tables:
            db.execute(f"ALTER TABLE {name} SET (autovacuum_enabled = off)")
        db.execute("ANALYZE")
    chain = Chain(make_draft)

    def asked():
        taken = store.take_in(chain.intake(draft := chain.draft(name="Ada")))
        [event] = store.append("club", "m", [make_draft(name="Ada")]).events
        ids = [event.entry_id, draft[1].entry_id]
        assert store.find_entries("club", ids).keys() == set(ids)
        assert [row.journal_id for row in store.submitted("club", ids)] == list(taken.journal_ids)
        assert store.unreadable("club", b"none") is None
        assert store.parked("club") == store.parked_at("club") == []

    for _ in range(12):
        asked()
    for _ in range(10):
        store.take_in(chain.intake(*grown(chain, 100, name="Ada")))
    what = "sum(idx_tup_read) FROM pg_stat_user_indexes"
    [(before,)] = counted(store, postgres_url, what)
    for _ in range(10):
        asked()
    [(after,)] = counted(store, postgres_url, what)
    assert after - before < 500


def test_rows_that_an_older_transaction_may_read_are_not_called_cleared(
    store, postgres_url, make_draft
):
    draft = make_draft(name="Zenobia of Palmyra")
    store.append("club", "m", [draft])
    with psycopg.connect(postgres_url) as reader:
        reader.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        reader.execute("SELECT count(*) FROM disclosure")
        assert store.erase_disclosures("club", [commitment_of(draft.disclosures[0])]) == 1
        assert not store.scrub()
        assert store.may_scrub()
    assert store.scrub()


def test_an_erased_name_is_in_no_byte_of_the_tables(store, postgres_server, make_draft):
    names = [f"Zenobia {number} of Palmyra" for number in range(200)]
    drafts = [make_draft(name=name) for name in names]
    store.append("club", "m", drafts)
    gone = [commitment_of(draft.disclosures[0]) for draft in drafts[::3]]
    erased = canonical({"commitments": sorted(gone)})
    store.append("club", "t", [make_draft(tag="disclosure.erased", body=erased)])
    assert store.is_scrubbed
    postgres_server.execute("CHECKPOINT")
    held = b"".join(path.read_bytes() for path in postgres_server.tables())
    assert [name for name in names[::3] if name.encode() in held] == []
    assert all(name.encode() in held for name in names[1::3])


def test_a_role_that_may_not_vacuum_says_so_until_the_owner_lets_it(
    store, postgres_url, make_draft
):
    draft = make_draft(name="Zenobia of Palmyra")
    store.append("club", "m", [draft])
    with psycopg.connect(postgres_url, autocommit=True) as owner:
        owner.execute("CREATE ROLE clerk LOGIN")
        owner.execute(
            "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO clerk"
        )
        owner.execute("GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO clerk")
    try:
        clerk = open_store(as_role(postgres_url, "clerk"))
        try:
            assert clerk.erase_disclosures("club", [commitment_of(draft.disclosures[0])]) == 1
            assert not clerk.scrub()
            assert not clerk.may_scrub()
            assert store.may_scrub()
            with psycopg.connect(postgres_url, autocommit=True) as owner:
                owner.execute("GRANT MAINTAIN ON disclosure TO clerk")
            assert clerk.may_scrub()
            assert clerk.scrub()
        finally:
            clerk.close()
    finally:
        with psycopg.connect(postgres_url, autocommit=True) as owner:
            owner.execute("DROP OWNED BY clerk")
            owner.execute("DROP ROLE clerk")
