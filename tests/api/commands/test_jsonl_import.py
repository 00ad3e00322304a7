"""`tabularium import` of sealed entries: the same bytes into the log that they name, or nothing."""

from __future__ import annotations

import json
import random
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import orjson
import pytest

from api.archive.archive import Archive, open_archive
from api.imports.preparing import FAULT, Order, Preparer
from api.imports.ready import FileRefused
from events import catalogue
from events.canonical import canonical, seal
from events.envelope import TOURNAMENT_STREAM, Basis, EventDraft
from events.payloads.access import AccessGranted, Role, Scope, ScopeKind
from events.payloads.base import Actor, Payload
from events.payloads.corrections import MomentMarked
from events.payloads.custody import PublicationReleased
from events.payloads.dispute import DisputeRaised
from events.payloads.match import MatchEnded, MatchOpened, Publication
from events.payloads.penalty import PenaltyAssessed
from events.personal import commitment_of
from events.sealing.merkle import leaf_hash
from events.store.fsck import fsck
from events.values import ONE, BySeat

MATCH_ID = "a2642bff-10c7-80cb-94d5-b02b708ee91c"

Archives = Callable[[str], Archive]
Put = Callable[..., None]


@pytest.fixture
def other(tmp_path: Path) -> tuple[str, str]:
    """Options that name a second archive; nothing is there yet."""
    return ("--db", f"sqlite:///{tmp_path / 'other' / 'archive.sqlite'}")


@pytest.fixture
def exported(run, match_file: Path, tmp_path: Path) -> Path:
    """A match of the first archive as sealed entries."""
    run("import", match_file)
    path = tmp_path / "sealed.jsonl"
    run("export", MATCH_ID, "-o", path)
    return path


@pytest.fixture
def opened() -> Iterator[Archives]:
    """Opens archives, and closes them when the test is over."""
    archives = []

    def open_it(url: str) -> Archive:
        archives.append(open_archive(url))
        return archives[-1]

    yield open_it
    for archive in archives:
        archive.close()


def url_of(options: tuple[str, str]) -> str:
    return options[1]


def append(url: str, *payloads: Payload, log: str = "imports", stream: str = MATCH_ID) -> None:
    """Go on with a stream by the archive's own hand."""
    archive = open_archive(url)
    try:
        archive.append(log, stream, [archive.draft(payload) for payload in payloads])
    finally:
        archive.close()


def heads(url: str) -> dict[tuple[str, str], int]:
    """Every stream of an archive, with its version."""
    archive = open_archive(url)
    try:
        assert fsck(archive.store).clean
        return {
            (head.log_id, stream.stream_id): stream.version
            for head in archive.store.logs()
            for stream in archive.store.streams(head.log_id)
        }
    finally:
        archive.close()


def sealed_file(*entries: tuple[str, bytes], log: str = "club", stream: str = "m1") -> bytes:
    """An export made by hand: bodies by tag, sealed one behind the other."""
    lines = []
    prev = None
    for version, (tag, body) in enumerate(entries, 1):
        draft = EventDraft(
            entry_id=f"00000000-0000-4000-8000-{version:012x}", tag=tag, basis=Basis.OBSERVED,
            body=body,
        )  # fmt: skip
        line = seal(
            log, stream, draft=draft, context="0" * 64, version=version, prev=prev, nonce=b"\1" * 16
        )
        prev = leaf_hash(line)
        lines.append(line)
    return b"".join(line + b"\n" for line in lines)


MARKED = MomentMarked(target="00000000-0000-4000-8000-000000000000")

OPENED = ("match.opened", catalogue.encode(MatchOpened(players=BySeat((), ()), length=5)))


def test_an_export_comes_back_byte_for_byte(run, exported: Path, other) -> None:
    [result] = run("import", "--json", exported, *other).lines
    assert (result["match_id"], result["dialect"]) == (MATCH_ID, "tabularium-jsonl")
    assert (result["length"], result["games"], result["rolls"]) == (3, 2, 21)
    assert result["score"] == {"one": 3, "two": 0}
    assert result["result"]["winner"] == "one"
    assert "already" not in result
    again = run("export", MATCH_ID, "--format", "jsonl", *other).out
    assert again.encode() == exported.read_bytes()
    assert "all as sealed" in run("fsck", *other).out
    listed = run("matches", "--json", *other).lines
    assert listed == run("matches", "--json").lines
    assert "Ida Berg" in run("matches", *other).out


def test_an_export_without_names_comes_back_without_names(run, exported: Path, other) -> None:
    run("export", MATCH_ID, "--names", "withheld", "-o", exported)
    assert b"disclosure" not in exported.read_bytes()
    run("import", exported, *other)
    again = run("export", MATCH_ID, "--format", "jsonl", *other).out
    assert again.encode() == exported.read_bytes()
    assert "Ida" not in run("matches", *other).out
    assert "all as sealed" in run("fsck", *other).out


def test_a_match_of_somebody_who_was_erased_is_no_damage_where_it_comes_in(
    run, exported: Path, other
) -> None:
    run("erase", "Ida Berg", "--yes")
    run("export", MATCH_ID, "-o", exported)
    assert b"Omar Lund" in exported.read_bytes()
    assert b"Ida Berg" not in exported.read_bytes()
    run("import", exported, *other)
    told = run("fsck", *other)
    assert "all as sealed" in told.out
    assert "withheld:" in told.out
    assert "restore" not in told.out + told.err


def test_what_is_lost_of_a_match_that_was_recorded_in_a_restored_log_is_damage(
    run, exported: Path, match_file: Path, other
) -> None:
    run("import", exported, *other)
    later = match_file.with_name("later.mat")
    later.write_text(match_file.read_text().replace("Ida Berg", "Una Holm"))
    run("import", later, *other)
    with closing(sqlite3.connect(url_of(other).removeprefix("sqlite:///"))) as database, database:
        lost = database.execute("DELETE FROM disclosure WHERE CAST(raw AS TEXT) LIKE '%Una Holm%'")
        assert lost.rowcount > 0
    assert "disclosure-missing" in run("fsck", *other, exit_code=1).out


def test_postgresql_gives_the_same_bytes_back(run, exported: Path, postgres_url: str) -> None:
    run("import", exported, "--db", postgres_url)
    again = run("export", MATCH_ID, "--format", "jsonl", "--db", postgres_url).out
    assert again.encode() == exported.read_bytes()
    append(f"sqlite:///{exported.parent / 'data' / 'archive.sqlite'}", MARKED)
    run("export", MATCH_ID, "-o", exported)
    [result] = run("import", "--json", exported, "--db", postgres_url).lines
    assert result["added"] == 1
    again = run("export", MATCH_ID, "--format", "jsonl", "--db", postgres_url).out
    assert again.encode() == exported.read_bytes()
    assert "all as sealed" in run("fsck", "--db", postgres_url).out


def test_a_restored_log_says_that_it_is_one(run, exported: Path, other, opened) -> None:
    run("import", exported, *other)
    [first] = opened(url_of(other)).store.read_stream("imports", TOURNAMENT_STREAM)
    assert (first.tag, catalogue.read(first).basis) == ("tournament.opened", Basis.IMPORTED)


def test_the_same_export_changes_nothing_the_second_time(run, exported: Path, other) -> None:
    run("import", exported, *other)
    before = heads(url_of(other))
    ran = run("import", "-v", exported, *other)
    assert "imported before" in ran.out
    assert ran.err == ""
    assert heads(url_of(other)) == before
    # Nor does it where it comes from.
    assert "imported before" in run("import", exported).out


def test_an_export_that_is_older_than_what_is_here_is_known(run, exported: Path, other) -> None:
    run("import", exported, *other)
    lines = exported.read_bytes().splitlines(keepends=True)
    places = [place for place, line in enumerate(lines) if b'"version"' in line]
    exported.write_bytes(b"".join(lines[: places[10]]))
    [result] = run("import", "--json", exported, *other).lines
    assert result["already"] is True


def test_later_entries_go_on_with_a_restored_match(run, exported: Path, other, database) -> None:
    run("import", exported, *other)
    append(f"sqlite:///{database}", MARKED, MARKED)
    run("export", MATCH_ID, "-o", exported)
    ran = run("import", exported, *other)
    assert "2 entries added" in ran.out
    assert "0 matches imported into log imports; 1 continued" in ran.out
    again = run("export", MATCH_ID, "--format", "jsonl", *other).out
    assert again.encode() == exported.read_bytes()
    [row] = run("matches", "--json", *other).lines
    assert row["version"] == 56
    assert heads(url_of(other))["imports", MATCH_ID] == 56


def test_a_log_that_was_opened_here_takes_whole_matches_alone(
    run, exported: Path, match_file: Path, other, database
) -> None:
    match_file.write_text(match_file.read_text("utf-8").replace("Ida", "Eva"), "utf-8")
    run("import", match_file, *other)
    run("import", exported, *other)
    assert len(run("matches", "--json", *other).lines) == 2
    append(f"sqlite:///{database}", MARKED)
    run("export", MATCH_ID, "-o", exported)
    before = heads(url_of(other))
    [result] = run("import", "--json", exported, *other, exit_code=1).lines
    assert "up to version 54" in result["refused"]["reason"]
    assert "only what is recorded here goes on" in result["refused"]["reason"]
    assert heads(url_of(other)) == before


def test_other_bytes_of_a_match_are_refused_with_the_version(
    run, exported: Path, match_file: Path, other
) -> None:
    run("import", match_file, *other)
    before = heads(url_of(other))
    [result] = run("import", "--json", exported, *other, exit_code=1).lines
    assert "with another entry as version 1" in result["refused"]["reason"]
    assert result["refused"]["line"] == 1
    assert heads(url_of(other)) == before


def test_a_match_that_went_on_in_two_archives_is_refused_where_they_part(
    run, exported: Path, other, database
) -> None:
    run("import", exported, *other)
    append(url_of(other), MARKED)
    append(f"sqlite:///{database}", MARKED, MARKED)
    run("export", MATCH_ID, "-o", exported)
    [result] = run("import", "--json", exported, *other, exit_code=1).lines
    assert "with another entry as version 55" in result["refused"]["reason"]


def test_an_erased_name_does_not_come_back(run, exported: Path, other, opened) -> None:
    run("import", exported, *other)
    archive = open_archive(url_of(other))
    [opening] = archive.store.read_stream("imports", MATCH_ID, limit=1)
    raws = archive.store.disclosures_of("imports", [opening.global_position])
    [name] = [raw for found in raws.values() for raw in found if b"Ida Berg" in raw]
    assert archive.store.erase_disclosure("imports", commitment_of(name))
    archive.close()
    ran = run("import", "-v", exported, *other)
    assert "not held: 1 disclosure of entries that are here" in ran.err
    assert "Ida Berg" not in run("matches", *other).out


def test_two_matches_of_one_file_go_in_together_or_not_at_all(run, tmp_path: Path, other) -> None:
    path = tmp_path / "two.jsonl"
    path.write_bytes(sealed_file(OPENED) + sealed_file(OPENED, log="hall", stream="m2"))
    assert "2 matches imported into 2 logs" in run("import", path, *other).out
    assert heads(url_of(other))["hall", "m2"] == 1
    before = heads(url_of(other))
    more = sealed_file(OPENED, log="attic", stream="m3")
    path.write_bytes(
        more + sealed_file(("match.opened", b'{"length":7,"players":{"one":[],"two":[]}}'))
    )
    [result] = run("import", "--json", path, *other, exit_code=1).lines
    assert "match m1 is in log club with another entry" in result["refused"]["reason"]
    assert heads(url_of(other)) == before


def test_a_match_is_listed_as_where_it_was_recorded(
    run, match_file: Path, database: Path, tmp_path: Path, other
) -> None:
    """A match with an open dispute, which the public sees no further, and a penalty."""
    run("import", match_file, "--public")
    more = (
        PenaltyAssessed(seat=ONE, points=2),
        DisputeRaised(by=Actor.ONE),
        MatchEnded(winner=ONE),
    )
    append(f"sqlite:///{database}", *more)
    path = tmp_path / "sealed.jsonl"
    run("export", MATCH_ID, "-o", path)
    run("import", "--public", path, *other)
    rows = []
    for file in (database, database.parents[1] / "other" / "archive.sqlite"):
        run("index", "--db", f"sqlite:///{file}")
        run("fsck", "--db", f"sqlite:///{file}")
        with closing(sqlite3.connect(f"{file}.index")) as db:
            told = "version, score_one, score_two, state, findings, awaits_ruling, decisions"
            rows.append(db.execute(f"SELECT {told} FROM match").fetchone())
    assert rows[0] == rows[1]
    assert rows[0][5] == 1
    assert "penalties" in rows[0][6]


def refusal_of(run, tmp_path: Path, other, data: bytes, *options: str) -> str:
    """Why a file is refused; nothing of it is left in the archive."""
    path = tmp_path / "odd.jsonl"
    path.write_bytes(data)
    [result] = run("import", "--json", *options, path, *other, exit_code=1).lines
    assert set(heads(url_of(other))) == {("archive", "tournament")}
    line, reason = result["refused"]["line"], result["refused"]["reason"]
    return f"{line}: {reason}"


def test_broken_exports_are_refused_with_the_line(run, exported: Path, tmp_path, other) -> None:
    whole = exported.read_bytes()
    lines = whole.splitlines(keepends=True)
    entries = [place for place, line in enumerate(lines) if b'"version"' in line]

    def refused(data: bytes) -> str:
        return refusal_of(run, tmp_path, other, data)

    second, third = entries[1], entries[2]
    beginning = refused(b"".join(lines[second:]))
    assert beginning.startswith("1: this is version 2 of its stream, and there is none before it")
    left_out = refused(b"".join([*lines[:second], *lines[third:]]))
    assert left_out.startswith(
        f"{second + 1}: this is version 3 of its stream, and it comes after 1"
    )
    changed = lines[second].replace(b'"schema":1', b'"schema":2')
    chain = refused(b"".join([*lines[:second], changed, *lines[second + 1 :]]))
    assert chain.startswith(f"{third + 1}: the entry before it is not the one that it names")
    spaced = lines[second].replace(b'":', b'": ', 1)
    assert "no canonical JSON" in refused(b"".join([*lines[:second], spaced, *lines[third:]]))
    name = whole.replace(b"Ida Berg", b"Eva Berg")
    assert "opens nothing in its entry" in refused(name)
    assert "cut off" in refused(whole[:-20])
    moved = [*lines[:second], lines[1], *lines[second:]]
    assert "stands twice in it" in refused(b"".join(moved))


def damaged(whole: bytes, chance: random.Random) -> bytes:
    """An export with bytes changed, removed or added, or an entry sealed again with odd values."""
    lines = whole.splitlines(keepends=True)
    kind = chance.randrange(4)
    if kind == 0:
        data = bytearray(whole)
        for _ in range(chance.randint(1, 3)):
            data[chance.randrange(len(data))] = chance.randrange(256)
        return bytes(data)
    if kind == 1:
        at = chance.randrange(len(whole))
        return whole[:at] + whole[at + chance.randint(1, 900) :]
    if kind == 2:
        chance.shuffle(lines)
        return b"".join(lines[: chance.randint(1, len(lines))])
    bodies = [orjson.loads(line) for line in lines if b'"version"' in line]
    odd = chance.choice(bodies)["body"]
    key = chance.choice(sorted(odd) or ["seat"])
    odd[key] = chance.choice([None, -1, 2**53, 1.5, "", "two", [], {}, [9, 9], {"sd": "0" * 64}])
    return sealed_file(
        *(
            (entry["tag"], orjson.dumps(entry["body"], option=orjson.OPT_SORT_KEYS))
            for entry in bodies
        )
    )


@pytest.mark.parametrize(
    "count", [400, pytest.param(20_000, marks=pytest.mark.long)], ids=["some", "many"]
)
def test_damaged_exports_never_break_the_import(exported: Path, count: int) -> None:
    whole = exported.read_bytes()
    preparer = Preparer(Order(log_id="imports"))
    chance = random.Random(count)
    refused = 0
    for _ in range(count):
        [ready] = preparer.ready(damaged(whole, chance), "x", source_name="x")
        if isinstance(ready, FileRefused):
            assert FAULT not in ready.reason
            refused += 1
    assert count // 2 < refused < count


def test_what_is_no_match_is_refused(run, tmp_path: Path, other) -> None:
    def refused(data: bytes) -> str:
        return refusal_of(run, tmp_path, other, data)

    grant = AccessGranted(
        token_sha256="0" * 64, role=Role.ARCHIVIST, scope=Scope(kind=ScopeKind.LOG)
    )
    granted = ("access.granted", catalogue.encode(grant))
    assert "with grants" in refused(sealed_file(granted, log="archive"))
    assert "with grants" in refused(sealed_file(granted, stream="tournament"))
    assert refused(sealed_file(OPENED, granted)).startswith("2: access.granted stands in no match")
    marked = ("moment.marked", catalogue.encode(MARKED))
    assert refused(sealed_file(marked)).startswith("1: a match begins with match.opened")
    odd = refused(sealed_file(OPENED, ("dice.rolled", b'{"dice":[7,1],"seat":"one"}')))
    assert odd.startswith("2: this entry cannot be read: ")
    for change in ((b'"v":1', b'"v":2'), (b'"basis":"observed"', b'"basis":"guessed"')):
        assert refused(sealed_file(OPENED).replace(*change)).startswith("1: ")
    for name in ("Club", "club_2", "-", "c" * 65):
        assert "is no log id" in refused(sealed_file(OPENED, log=name))


def test_an_entry_of_a_later_program_is_kept_and_told(run, tmp_path: Path, other) -> None:
    path = tmp_path / "later.jsonl"
    path.write_bytes(sealed_file(OPENED, ("board.tilted", b'{"angle":3}')))
    ran = run("import", "-v", path, *other)
    assert "later.jsonl line 2: later-entry: board.tilted is known to a later program" in ran.err
    assert run("export", "m1", "--format", "jsonl", *other).out.encode() == path.read_bytes()
    assert "all as sealed" in run("fsck", *other).out


def test_line_ends_and_a_mark_of_an_editor_change_no_entry(run, exported: Path, other) -> None:
    whole = exported.read_bytes()
    exported.write_bytes(b"\xef\xbb\xbf" + whole.replace(b"\n", b"\r\n") + b"\r\n")
    run("import", exported, *other)
    assert run("export", MATCH_ID, "--format", "jsonl", *other).out.encode() == whole


def test_sealed_entries_go_into_no_other_log(run, exported: Path, tmp_path: Path, other) -> None:
    reason = refusal_of(run, tmp_path, other, exported.read_bytes(), "--log", "hall")
    assert "was sealed into log imports, and no other can take it in" in reason
    assert "imported into log imports" in run("import", "--log", "imports", exported, *other).out


def test_a_released_match_comes_in_released_or_not_at_all(
    run, exported: Path, tmp_path: Path, other, database
) -> None:
    append(f"sqlite:///{database}", PublicationReleased())
    run("export", MATCH_ID, "-o", exported)
    assert "--public releases it here too" in refusal_of(
        run, tmp_path, other, exported.read_bytes()
    )
    run("import", "--public", exported, *other)
    [row] = run("matches", "--json", *other).lines
    assert (row["public"], row["version"]) == (True, 55)
    assert (
        run("export", MATCH_ID, "--format", "jsonl", *other).out.encode() == exported.read_bytes()
    )


def test_a_match_that_was_opened_for_the_public_is_one(run, tmp_path: Path, other) -> None:
    opening = MatchOpened(players=BySeat((), ()), publication=Publication(public=True))
    data = sealed_file(("match.opened", catalogue.encode(opening)))
    assert "--public releases it here too" in refusal_of(run, tmp_path, other, data)


def test_a_private_match_is_released_on_demand_alone(run, exported: Path, other, tmp_path) -> None:
    run("import", exported, *other)
    assert not run("matches", "--json", *other).lines[0]["public"]
    third = ("--db", f"sqlite:///{tmp_path / 'third.sqlite'}")
    run("import", "--public", exported, *third)
    [row] = run("matches", "--json", *third).lines
    assert (row["public"], row["version"]) == (True, 55)
    assert "all as sealed" in run("fsck", *third).out
    [again] = run("import", "--json", "--public", exported, *third).lines
    assert again["already"] is True


def test_ids_and_salts_that_were_used_before_are_refused(run, exported: Path, other) -> None:
    run("import", exported, *other)
    whole = exported.read_bytes()
    exported.write_bytes(sealed_file(OPENED, log="imports", stream="m2"))
    run("import", exported, *other)
    exported.write_bytes(sealed_file(OPENED, log="imports", stream="m3"))
    [result] = run("import", "--json", exported, *other, exit_code=1).lines
    assert "is taken: it is version 1 of match m2" in result["refused"]["reason"]
    # The salt of a name, in an entry of another match.
    lines = whole.splitlines()
    disclosure = next(line for line in lines if b"Ida Berg" in line)
    body = json.loads(lines[0])["body"]
    stolen = sealed_file(("match.opened", canonical(body)), log="imports", stream="m4")
    stolen = stolen.replace(b"00000000-0000-4000", b"00000000-0000-4444")
    exported.write_bytes(stolen + disclosure + b"\n")
    [result] = run("import", "--json", exported, *other, exit_code=1).lines
    assert "salts are used once" in result["refused"]["reason"]


def test_a_folder_gives_its_sealed_entries_too(
    run, exported: Path, match_file: Path, other
) -> None:
    folder = exported.parent / "folder"
    folder.mkdir()
    exported.rename(folder / "sealed.jsonl")
    match_file.rename(folder / "lantern.mat")
    # The same match twice, sealed again from the .mat file: the first one is kept.
    results = run("import", "--json", folder, *other, exit_code=1).lines
    assert [result.get("dialect") for result in results] == ["gnubg-mat", None]
    assert heads(url_of(other))["imports", MATCH_ID] == 54


def test_workers_make_sealed_entries_ready_too(run, exported: Path, other) -> None:
    run("import", "--workers", "1", exported, *other)
    again = run("export", MATCH_ID, "--format", "jsonl", *other).out
    assert again.encode() == exported.read_bytes()


def test_another_format_is_not_taken_for_it(run, exported: Path, match_file, other) -> None:
    [result] = run("import", "--json", "--format", "mat", exported, *other, exit_code=1).lines
    assert "it is to be read as mat, and it is jsonl" in result["refused"]["reason"]
    run("import", "--format", "jsonl", exported, *other)


def test_beside_a_server_it_says_what_to_do(run, exported: Path, other, opened) -> None:
    run("import", exported, *other)
    archive = opened(url_of(other))
    archive.operator_token()
    archive.store.lock.describe(url="http://127.0.0.1:9")
    [result] = run("import", "--json", exported, *other, exit_code=1).lines
    assert "the server at http://127.0.0.1:9 does not take in" in result["refused"]["reason"]
    assert "stop it while you import" in result["refused"]["reason"]
