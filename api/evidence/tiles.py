"""A log as static files that anybody may mirror (c2sp.org/tlog-tiles): hashes, entries, checkpoint.

    checkpoint                   where the log stands, signed
    tile/<L>/<N>[.p/<W>]         256 hashes a tile: of the entries, of 256 of these, and so on
    tile/entries/<N>[.p/<W>]     the sealed bytes of 256 entries, each behind its length

Hashes tell nothing of what was recorded. Entries are written where all that the log holds may be
read by everybody: a tile of entries cannot leave one out.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from pathlib import Path

from api.archive.archive import Archive
from api.archive.keyring import write_whole
from api.archive.leaves import leaf_pages
from events.envelope import TOURNAMENT_STREAM, RecordedEvent
from events.errors import BadInput, BadNote, Unverified
from events.payloads.corrections import EntryAmended
from events.sealing.merkle import HASH_BYTES, frontier_root, push
from events.sealing.notes import Note, parse_checkpoint, parse_note
from projections.views.ballots import BALLOTS

WIDTH = 256
"""Hashes or entries of a full tile."""

CHECKPOINT = "checkpoint"

_GROUP = 1_000


def tile_path(level: int | str, index: int, width: int = WIDTH) -> str:
    """Where a tile lies; `level` is `entries` for entries, `width` below 256 for a partial one."""
    groups = [f"{index % _GROUP:03d}"]
    while index >= _GROUP:
        index //= _GROUP
        groups.insert(0, f"x{index % _GROUP:03d}")
    end = "" if width == WIDTH else f".p/{width}"
    return f"tile/{level}/{'/'.join(groups)}{end}"


def hash_tiles(leaves: Iterable[bytes]) -> Iterator[tuple[str, bytes]]:
    """(path, content) of every tile of hashes over these leaf hashes."""
    level, row = 0, list(leaves)
    while row:
        above = []
        for index in range(0, len(row), WIDTH):
            tile = row[index : index + WIDTH]
            yield tile_path(level, index // WIDTH, len(tile)), b"".join(tile)
            if len(tile) == WIDTH:
                above.append(_root(tile))
        level, row = level + 1, above


def entry_tiles(entries: Iterable[bytes]) -> Iterator[tuple[str, bytes]]:
    """(path, content) of every tile of sealed bytes, in order."""
    tile: list[bytes] = []
    index = 0
    for sealed in entries:
        tile.append(struct.pack(">H", len(sealed)) + sealed)
        if len(tile) == WIDTH:
            yield tile_path("entries", index), b"".join(tile)
            tile, index = [], index + 1
    if tile:
        yield tile_path("entries", index, len(tile)), b"".join(tile)


def write_tiles(archive: Archive, log_id: str, note: Note, folder: Path, *, entries: bool) -> int:
    """Bring a folder up to a signed checkpoint, which is written last; files that were written.

    What lies there already is left: full tiles never change, and a folder that tells of more
    entries than the checkpoint stays where it is. Errors: BadInput where entries are wanted that
    not everybody may read, or the folder is another log's; Unverified where the log does not go on
    from what the folder tells.
    """
    checkpoint, known, kept = parse_checkpoint(note.text), folder / CHECKPOINT, _note_in(folder)
    told = None if kept is None else parse_checkpoint(kept.text)
    if told is not None and told.origin != checkpoint.origin:
        raise BadInput(f"{folder} holds the tiles of another log: name a folder of its own")
    if kept is not None and told is not None and told.size > checkpoint.size:
        note, checkpoint = kept, told
    if entries:
        check_public(archive, log_id)
    size, store = checkpoint.size, archive.store
    leaves = [leaf for page in leaf_pages(store, log_id, 0, size) for leaf in page]
    if told is not None and (len(leaves) < size or _root(leaves[: told.size]) != told.root):
        raise Unverified(
            f"{known} tells of {told.size} entries, and the log as it is here does not go on from"
            f" them: an older archive stands in its place, or another one. Keep {folder}, which"
            " shows what was published: nothing in it was changed"
        )
    made = _written(folder, hash_tiles(leaves))
    if entries:
        rows = store.read_log(log_id, limit=size)
        made += _written(folder, entry_tiles(bytes(row.sealed) for row in rows))
    folder.mkdir(parents=True, exist_ok=True)
    # Whoever wrote here meanwhile may have come further.
    latest = _note_in(folder)
    if latest is None or parse_checkpoint(latest.text).size <= size:
        write_whole(known, note.raw)
    return made + 1


def _note_in(folder: Path) -> Note | None:
    """The checkpoint that a folder tells; None where there is none. Errors: BadInput, OSError."""
    try:
        note = parse_note((folder / CHECKPOINT).read_bytes())
        parse_checkpoint(note.text)
    except FileNotFoundError:
        return None
    except BadNote as error:
        raise BadInput(f"{folder / CHECKPOINT} is no checkpoint: {error}") from None
    return note


def check_public(archive: Archive, log_id: str) -> None:
    """Whether everybody may read all matches of a log now. Errors: BadInput, which names one."""
    for head in archive.store.streams(log_id):
        if head.stream_id == TOURNAMENT_STREAM:
            continue
        live = archive.reading.once(log_id, head.stream_id)
        version = live.replay.version
        told = live.publicity.told(version) if live.publicity.is_public else 0
        hearing = live.replay.rules.profile.hearing
        if not hearing.opens_ballots and any(_says_ballot(event) for event in live.recorded):
            raise BadInput(
                f"match {head.stream_id} holds ballots, which its rule set makes public to nobody:"
                " the entries of this log are not published, its hashes can be"
            )
        if told < version or live.publicity.delay_ms:
            raise BadInput(
                f"match {head.stream_id} is not one that everybody may read to its end: the entries"
                " of this log are not published, its hashes can be"
            )


def _says_ballot(event: RecordedEvent) -> bool:
    """Whether an entry says what a ballot says, or puts that in another one's place."""
    payload = event.payload
    inner = payload.tag if isinstance(payload, EntryAmended) else event.tag
    return inner in BALLOTS


def _written(folder: Path, tiles: Iterable[tuple[str, bytes]]) -> int:
    made = 0
    for name, content in tiles:
        path = folder / name
        if not path.is_file() or path.read_bytes() != content:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, content)
            made += 1
    return made


def _root(tile: list[bytes]) -> bytes:
    frontier: list[bytes] = []
    for size, one in enumerate(tile):
        push(frontier, size, one)
    assert all(len(one) == HASH_BYTES for one in frontier)
    return frontier_root(frontier)
