"""Many files at once: workers, one order, one commit for many; stopped and gone on with."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from api.archive.archive import open_archive
from api.archive.personal import context_of
from api.exchange.readers import read_file
from api.imports import preparing
from api.imports.bulk import Bulk
from api.imports.preparing import Order, Preparer
from api.imports.ready import FileRefused, MatchResult, ReadyMatch
from api.imports.taking import Known, Loaded, LocalTaker, files_in
from api.imports.workers import Workers
from events.errors import BadInput, StoreFailed, TooLarge
from events.store.fsck import fsck
from events.store.memory import MemoryEventStore
from events.store.sealed import seal_stream
from tests.api.commands.conftest import MATCH

pytestmark = pytest.mark.gate

PROGRAM = (sys.executable, "-c", "from api.cli import main; main()")
HOSTILE = (sys.executable, str(Path(__file__).with_name("import_workers.py")))
ORDER = Order(log_id="imports")


def write_files(folder: Path, count: int, *, first: int = 0) -> list[Path]:
    """So many different match files."""
    folder.mkdir(exist_ok=True)
    paths = []
    for number in range(first, first + count):
        path = folder / f"{number:06}.mat"
        path.write_text(MATCH.replace("Ida Berg", f"Ida {number}"), "utf-8")
        paths.append(path)
    return paths


def streams(url: str) -> list[tuple[int, str, int]]:
    """(global position, id, entries) of the matches of an archive, in the order of the log."""
    archive = open_archive(url, read_only=True)
    try:
        assert not fsck(archive.store).findings
        firsts = {}
        for row in archive.store.read_log("imports"):
            firsts.setdefault(row.stream_id, row.global_position)
        heads = {head.stream_id: head.version for head in archive.store.streams("imports")}
        del firsts["tournament"]
        return sorted((place, name, heads[name]) for name, place in firsts.items())
    finally:
        archive.close()


def test_workers_change_neither_the_log_nor_what_is_told(run, tmp_path: Path) -> None:
    folder = tmp_path / "season"
    write_files(folder, 40)
    (folder / "000013.mat").write_text("nothing", "utf-8")
    (folder / "two.mat").write_text(MATCH + MATCH, "utf-8")
    alone, helped = (f"sqlite:///{tmp_path / name}.sqlite" for name in ("alone", "helped"))
    one = run("import", folder, "--workers", 0, "--db", alone, exit_code=1)
    two = run("import", folder, "--workers", 2, "--db", helped, exit_code=1)
    assert one.out == two.out
    assert one.out.count("✓") == 41
    assert one.out.count("✗") == 1
    assert streams(alone) == streams(helped)


def test_postgresql_takes_what_workers_read(run, tmp_path: Path, postgres_url: str) -> None:
    paths = write_files(tmp_path / "season", 20)
    ran = run("import", *paths, "--workers", 2, "--db", postgres_url)
    assert "20 matches imported" in ran.out
    assert len(streams(postgres_url)) == 20
    assert "20 imported before" in run("import", *paths, "--db", postgres_url).out


def test_the_list_of_matches_knows_what_came_in_at_once(run, tmp_path: Path) -> None:
    write_files(tmp_path / "season", 30)
    results = run("import", "--json", tmp_path / "season").lines
    listed = run("matches", "--json").lines
    assert [row["match_id"] for row in listed] == [one["match_id"] for one in results]
    assert [row["score"] for row in listed] == [one["score"] for one in results]
    (Path(os.environ["TABULARIUM_DB"].removeprefix("sqlite:///") + ".index")).unlink()
    assert run("matches", "--json").lines == listed


def test_a_file_that_hangs_dies_or_gorges_is_refused_alone(sqlite_url: str, tmp_path: Path) -> None:
    paths = write_files(tmp_path / "season", 12)
    for number, word in ((2, "HANG"), (5, "DIE"), (6, "GORGE")):
        with paths[number].open("a", encoding="utf-8") as file:
            file.write(f"; {word}\n")
    archive = open_archive(sqlite_url)
    try:
        done = [
            outcome
            for file in Bulk(
                LocalTaker(archive), ORDER, workers=2, worker_command=HOSTILE, file_seconds=4
            ).run(paths)
            for outcome in file
        ]
    finally:
        archive.close()
    assert [outcome.file for outcome in done] == [str(path) for path in paths]
    refused = {
        number: outcome.reason
        for number, outcome in enumerate(done)
        if isinstance(outcome, FileRefused)
    }
    assert refused == {
        2: "it took longer than 4 s to read; divide it",
        5: "the process that read it ended (signal 9); give it once more, alone",
        6: "it takes more memory to read than there is; divide it",
    }
    assert len(streams(sqlite_url)) == 9


def test_no_file_is_answered_for_another_where_a_worker_is_killed_as_it_starts(
    tmp_path: Path,
) -> None:
    files = [
        Loaded(path.name, path.name, path.read_bytes())
        for path in write_files(tmp_path / "mats", 4)
    ]
    workers = Workers(ORDER, 1, command=(*HOSTILE, str(tmp_path / "mark")), file_seconds=4)
    try:
        answers = [done.result() for done in [workers.submit(file) for file in files]]
    finally:
        workers.close()
    [refused], *matches = answers
    assert isinstance(refused, FileRefused)
    assert [refused.file] == [files[0].file]
    assert "no process could be started" in refused.reason
    ready = [one for match in matches for one in match if isinstance(one, ReadyMatch)]
    assert [one.result.file for one in ready] == [file.file for file in files[1:]]


@pytest.mark.parametrize("command", [(sys.executable, "-c", "raise SystemExit(3)"), ("/nowhere",)])
def test_workers_that_cannot_be_started_refuse_every_file(command: Sequence[str]) -> None:
    workers = Workers(ORDER, 1, command=command)
    try:
        [refused] = workers.submit(Loaded("a.mat", "a.mat", b"")).result()
    finally:
        workers.close()
    assert isinstance(refused, FileRefused)
    assert "no process could be started" in refused.reason


RUBBISH = """
import sys
from api.archive.child import receive, send
out = sys.stdout.buffer
receive(sys.stdin.buffer), send(out, b""), receive(sys.stdin.buffer), send(out, b"\\xa8no match")
sys.stdin.buffer.read()
"""


def test_nobody_waits_for_ever_for_what_a_worker_answers_amiss() -> None:
    workers = Workers(ORDER, 1, command=(sys.executable, "-c", RUBBISH))
    try:
        with pytest.raises(msgspec.ValidationError):
            workers.submit(Loaded("a.mat", "a.mat", b"")).result(60)
    finally:
        workers.close()


def test_a_fault_of_this_program_is_one_refused_file(
    run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(data: bytes, name: str) -> Sequence[object]:
        if b"Ida 1 " in data:
            raise KeyError("oops")
        return read(data, name)

    read = preparing.read_file
    monkeypatch.setattr(preparing, "read_file", fails)
    ran = run("import", *write_files(tmp_path / "season", 3), exit_code=1)
    assert [line[0] for line in ran.out.splitlines()] == ["✓", "✗", "✓", "2"]
    assert "this program fails on it (KeyError('oops')): please report it" in ran.out


def test_what_was_imported_is_recognised_without_being_read(
    run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = write_files(tmp_path / "season", 3)
    run("import", *paths)

    def never(data: bytes, name: str) -> Sequence[object]:
        raise AssertionError("it was read")

    monkeypatch.setattr(preparing, "read_file", never)
    ran = run("import", *paths)
    assert ran.out.count("imported before") == 4
    assert "0 matches imported into log imports; 3 imported before" in ran.out


class Breaking(LocalTaker):
    """Takes one match of each batch, then the disk is full."""

    def take(self, log_id: str, matches: Sequence[ReadyMatch]) -> list[bool | TooLarge]:
        super().take(log_id, matches[:1])
        raise StoreFailed("the disk is full")


def test_a_file_of_several_matches_that_came_in_half_is_completed(
    sqlite_url: str, tmp_path: Path
) -> None:
    path = tmp_path / "evening.mat"
    path.write_text(MATCH + MATCH.replace("Ida", "Ada") + MATCH.replace("Ida", "Eda"), "utf-8")
    archive = open_archive(sqlite_url)
    try:
        with pytest.raises(StoreFailed):
            list(Bulk(Breaking(archive), ORDER).run([path]))
        [done] = Bulk(LocalTaker(archive), ORDER).run([path])
        assert [one.already for one in done if isinstance(one, MatchResult)] == [False, False, True]
        [[known]] = Bulk(LocalTaker(archive), ORDER).run([path])
        assert isinstance(known, Known)
    finally:
        archive.close()
    assert len(streams(sqlite_url)) == 3


def test_a_worker_and_this_process_make_the_same_of_a_file() -> None:
    data = MATCH.encode()
    workers = Workers(ORDER, 1)
    try:
        [told] = workers.submit(Loaded("a.mat", "a.mat", data)).result()
    finally:
        workers.close()
    [own] = Preparer(ORDER).ready(data, "a.mat", source_name="a.mat")
    assert isinstance(told, ReadyMatch)
    assert isinstance(own, ReadyMatch)
    assert told.result == own.result
    assert told.stream is not None
    assert own.stream is not None
    # Ids, salts and nonces are random; all the rest is the same.
    assert [row[1:3] for row in told.stream.rows] == [row[1:3] for row in own.stream.rows]
    assert len(told.stream.disclosures) == len(own.stream.disclosures)


@pytest.mark.parametrize("kills", [2, pytest.param(200, marks=pytest.mark.long)])
def test_an_import_killed_at_any_moment_is_gone_on_with(
    kills: int, sqlite_url: str, tmp_path: Path
) -> None:
    folder = tmp_path / "season"
    paths = write_files(folder, 40 * kills)
    size = _entries_of(paths[0])
    chance = random.Random(kills)
    command = [*PROGRAM, "import", str(folder), "--db", sqlite_url, "--workers", "1"]
    for number in range(kills):
        child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        assert child.stdout is not None
        # At least one more file is told of each time, or every one of them.
        for _ in range(30 * number + chance.randrange(1, 30)):
            child.stdout.readline()
        child.kill()
        child.wait()
        child.stdout.close()
        assert {entries for _, _, entries in streams(sqlite_url)} == {size}
    ended = subprocess.run(command, capture_output=True, check=True)
    assert b"Traceback" not in ended.stderr
    found = streams(sqlite_url)
    assert [entries for _, _, entries in found] == [size] * len(paths)


def _entries_of(path: Path) -> int:
    [match] = Preparer(ORDER).ready(path.read_bytes(), "x", source_name="x")
    assert isinstance(match, ReadyMatch)
    return match.row.version


PEAK = """
import resource, sys
from api.cli import app
try:
    app(sys.argv[1:], standalone_mode=False)
finally:
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)
"""


@pytest.mark.parametrize(
    ("few", "many"), [(20, 320), pytest.param(500, 5_000, marks=pytest.mark.long)]
)
def test_memory_does_not_grow_with_the_number_of_files(few: int, many: int, tmp_path: Path) -> None:
    peaks = []
    for count in (few, many):
        folder = tmp_path / str(count)
        write_files(folder, count)
        db = f"sqlite:///{tmp_path / str(count)}.sqlite"
        command = [sys.executable, "-c", PEAK, "import", str(folder), "--db", db, "--workers", "0"]
        ran = subprocess.run(command, capture_output=True, text=True, check=True)
        assert f"{count:,} matches imported" in ran.stdout
        peaks.append(int(ran.stderr.split()[-1]) * 1024)
    # What SQLite keeps of the file grows up to its bound, whatever the number of files.
    assert peaks[1] - peaks[0] < 50_000_000, peaks


def test_contexts_are_written_as_every_door_writes_them() -> None:
    preparer = Preparer(ORDER, now_ms=lambda: 1_700_000_000_000)
    [match] = preparer.ready(MATCH.encode(), "x", source_name="x")
    assert isinstance(match, ReadyMatch)
    assert match.stream is not None
    raws = [raw for _, _, name, _, raw in match.stream.disclosures if name == "context"]
    assert len(raws) == match.row.version
    for raw in raws:
        salt, _, told = json.loads(raw)
        assert told.keys() == {"recorded_by", "received_at", "line"}
        assert raw == context_of(told, entropy=lambda size, salt=salt: bytes.fromhex(salt))


def test_ids_of_a_match_lie_side_by_side_and_those_of_two_far_apart() -> None:
    preparer = Preparer(ORDER)
    streams = []
    for _ in range(2):
        [match] = preparer.ready(MATCH.encode(), "x", source_name="x")
        assert isinstance(match, ReadyMatch)
        assert match.stream is not None
        streams.append([uuid.UUID(row[0]) for row in match.stream.rows])
    for ids in streams:
        assert {(one.version, one.variant) for one in ids} == {(8, uuid.RFC_4122)}
        first = ids[0].int
        assert [one.int for one in ids] == list(range(first, first + len(ids)))
        assert first & 0xFFFF_FFFF == 0
    # Of the first 64 bits 58 are chance: nothing of the time, of the file or of the match before.
    assert streams[0][0].int >> 64 != streams[1][0].int >> 64


def test_what_is_sealed_before_is_what_an_append_would_seal() -> None:
    entropy = b"\x5a".__mul__
    store = MemoryEventStore(entropy=entropy)
    store.open_log("imports")
    preparer = Preparer(ORDER)
    [match] = read_file(MATCH.encode(), "x")
    drafts, _ = preparer._drafts(match.facts)
    sealed = seal_stream("imports", "match", drafts, entropy=entropy)
    appended = store.append("imports", "match", drafts).events
    assert [row[3] for row in sealed.rows] == [event.sealed for event in appended]
    assert [row[4] for row in sealed.rows] == [event.leaf_hash for event in appended]


@pytest.mark.parametrize(
    "change",
    [
        {"entry_id": "no-id"},
        {"entry_id": "{id}\n{id}"},
        {"tag": "no tag"},
        {"body": b'{"b":1,"a":2}'},
        {"context": b"no context"},
        {"context": None},
        {"disclosures": (b'["00","x",1]',)},
    ],
)
def test_what_no_append_would_take_is_not_sealed(change: dict[str, Any]) -> None:
    [match] = read_file(MATCH.encode(), "x")
    drafts, _ = Preparer(ORDER)._drafts(match.facts)
    entry_id = drafts[1].entry_id
    if "entry_id" in change:
        change = {"entry_id": change["entry_id"].format(id=entry_id)}
    for wrong in (msgspec.structs.replace(drafts[1], **change), drafts[0]):
        with pytest.raises(BadInput):
            seal_stream("imports", "match", [drafts[0], wrong], entropy=os.urandom)


def test_another_format_than_the_one_asked_for_is_refused(run, match_file: Path) -> None:
    [refused] = run("import", "--json", "--format", "sgf", match_file, exit_code=1).lines
    assert (
        refused["refused"]["reason"] == "it is to be read as sgf, and it is mat; leave --format out"
    )
    assert run("import", "--json", "--format", "mat", match_file).lines[0]["games"] == 2


def test_what_is_no_match_file_is_not_told_to_leave_its_format_out(run, tmp_path: Path) -> None:
    file = tmp_path / "README.md"
    file.write_text("A collection of matches, and how it came about.\n")
    [refused] = run("import", "--json", "--format", "mat", file, exit_code=1).lines
    assert refused["refused"]["reason"] == (
        "no match file of a known format; save the match as .mat, .sgf, .xg, .ogxm or .bgf"
    )


def test_a_folder_is_walked_in_one_order(tmp_path: Path) -> None:
    for name in ("b/x.mat", "a/y.txt", "a/b/z.MAT", "c.mat", "d.pdf"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"")
    found = [str(path.relative_to(tmp_path)) for path in files_in([tmp_path])]
    assert found == ["c.mat", "a/y.txt", "a/b/z.MAT", "b/x.mat"]


def test_a_pipe_is_no_file_and_is_not_waited_for(run, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.mat"
    os.mkfifo(pipe)
    [refused] = run("import", "--json", pipe, exit_code=1).lines
    assert refused["refused"]["reason"] == "it is neither a file nor a folder; name one of these"


def test_ctrl_c_leaves_whole_matches_and_no_workers(sqlite_url: str, tmp_path: Path) -> None:
    folder = tmp_path / "season"
    write_files(folder, 200)
    command = [*PROGRAM, "import", "--json", str(folder), "--db", sqlite_url, "--workers", "2"]
    child = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    )
    assert child.stdout is not None
    told = json.loads(child.stdout.readline())
    os.killpg(child.pid, signal.SIGINT)
    _, messages = child.communicate(timeout=60)
    assert b"Traceback" not in messages
    assert told["match_id"] in {name for _, name, _ in streams(sqlite_url)}
    with pytest.raises(ProcessLookupError):
        os.killpg(child.pid, 0)
