"""Pages of a public match: the match page, pictures of its board, the page for frames."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Literal

import msgspec
import orjson
from fastapi import APIRouter, Query, Request, Response
from markupsafe import Markup
from msgspec import structs

from api.archive.index.rows import PLAIN_WINS
from api.archive.words import showing_line
from api.exchange.details import details_of
from api.exchange.forms import FORMS, Form
from api.exchange.prose.account import Account
from api.exchange.prose.drawing import SHAPES, SYMBOLS
from api.exchange.prose.spoken import left_out_of, notes_on, spoken
from api.exchange.writers import WRITERS
from api.exchange.writing.story import Story, told
from api.exchange.writing.wanted import Loss, NotWritten, Wanted
from api.html.entry_words import sentence, word
from api.html.framing import frame_code, oembed_of
from api.html.kept import Made, finished, finished_here, kept_answer, kept_of
from api.html.moments import heard_since
from api.html.pictures import CARD, PNG_WIDTH, Card, board_svg, card_svg, drawn_board
from api.html.records import record_of
from api.html.refusals import framed_headers
from api.html.sheets import findings_of, sheet_of
from api.html.templates import Values, posted, rendered, set_apart
from api.routes.shared.analysed import analysed
from api.routes.shared.door import ANONYMOUS, LogId, MatchId, door_of
from api.routes.shared.listing import day_of, files_of, stage_of
from api.routes.shared.sight import Seen, length_words, seen_of, state_words, words_in
from events.values import Seat
from projections.views.lines import Line, outcome_line, question_lines

At = Annotated[int | None, Query(ge=0, description="Show the match after this version.")]
Part = Annotated[Literal["now", "sheet"] | None, Query(description="Only this part of the page.")]

_TEMPLATES = {None: "match.html", "now": "match_now.html", "sheet": "match_sheet.html"}

router = APIRouter(include_in_schema=False)


@router.get("/matches/{log}/{match}")
async def match_page_of(
    request: Request, log: LogId, match: MatchId, at: At = None, part: Part = None
) -> Response:
    """The match page: players, score, board, all turns, findings, and downloads."""
    seen = await seen_of(request, log, match, at)
    words = await words_in(request, seen.sight, seen.whole)
    found = None if part else await analysed(door_of(request), seen.sight)
    # If the players are secret, other files are withheld too, since they contain the names.
    visitor = seen.sight.visitor if seen.sight.is_trusted else ANONYMOUS
    files = [] if part else await files_of(door_of(request), visitor, seen.summary)

    def make() -> Made:
        values = _VALUES[part](request, seen.to_keep, words) | _said(seen, words)
        values |= {"analysis": None if found is None else found.out(seen.sight)}
        values |= {"files": files}
        return finished_here(rendered(request, _TEMPLATES[part], **values).encode(), seen.origin)

    etag = seen.etag("page", part, msgspec.json.encode([words, files]), found and found.mark)
    return await kept_answer(request, etag, make, seen.headers(), origin=seen.origin)


@router.get("/matches/{log}/{match}/embed")
async def embed_of(request: Request, log: LogId, match: MatchId, at: At = None) -> Response:
    """The page for frames on other sites: the board, with steps from turn to turn."""
    seen = await seen_of(request, log, match, at)
    words = await words_in(request, seen.sight, seen.whole)

    def make() -> Made:
        values = {**_now(request, seen, words), **_beside(seen.to_keep), **_said(seen, words)}
        return finished_here(rendered(request, "embed.html", **values).encode(), seen.origin)

    headers = {**seen.headers(), **framed_headers()}
    etag = seen.etag("embed", msgspec.json.encode(words))
    return await kept_answer(request, etag, make, headers, origin=seen.origin)


@router.head("/matches/{log}/{match}/board.svg")
@router.get("/matches/{log}/{match}/board.svg")
async def board_as_svg(request: Request, log: LogId, match: MatchId, at: At = None) -> Response:
    """The board at a version as an SVG image."""
    seen = await seen_of(request, log, match, at)

    def make() -> Made:
        return finished(_board(seen).encode(), "image/svg+xml")

    return await kept_answer(request, seen.image_etag("svg"), make, seen.image_headers())


@router.head("/matches/{log}/{match}/board.png")
@router.get("/matches/{log}/{match}/board.png")
async def board_as_png(request: Request, log: LogId, match: MatchId, at: At = None) -> Response:
    """The board at a version as a PNG image."""
    return await _picture(
        request,
        await seen_of(request, log, match, at),
        "png",
        _board,
        width=PNG_WIDTH,
    )


@router.head("/matches/{log}/{match}/card.png")
@router.get("/matches/{log}/{match}/card.png")
async def card_as_png(request: Request, log: LogId, match: MatchId, at: At = None) -> Response:
    """The preview that other sites show with a link: board, players, score."""

    def drawn(seen: Seen) -> str:
        return card_svg(_card(seen), seen.moment)

    seen = await seen_of(request, log, match, at)
    return await _picture(request, seen, "card", drawn, width=CARD[0])


def _board(seen: Seen) -> str:
    return board_svg(seen.moment, seen.names, has_pips=seen.tells_pips)


async def _picture(
    request: Request, seen: Seen, kind: str, drawn: Callable[[Seen], str], *, width: int
) -> Response:
    def make() -> Made:
        return finished(door_of(request).draw(drawn(seen), width=width), "image/png")

    return await kept_answer(request, seen.image_etag(kind), make, seen.image_headers())


# The data of the pages.


def _now(_: Request, seen: Seen, words: Mapping[int, Line]) -> Values:
    """The data of the board and of the links to other turns."""
    moment, ways = seen.moment, seen.ways
    board, pips = None, None
    if moment.board is not None:
        pips = moment.board.pip_count() if seen.tells_pips else None
        board = drawn_board(seen.t, moment.board, moment.cube, moment.dice, seen.names)
    return {
        "path_of": seen.path,
        "is_last": seen.at.version == seen.whole.version,
        "version": seen.whole.version,
        "moment": moment,
        "ways": ways,
        "board": board,
        # By strings: a template cannot use `Seat`, and `BySeat` takes any other key for seat two.
        "names": {seat.value: seen.names[seat] for seat in Seat},
        "pips": pips,
        # Other programs compute pip counts, and more, from these ids.
        "tells_ids": seen.tells_pips,
        "match": seen.summary,
        "is_empty": seen.whole.version == 0,
    }


def _said(seen: Seen, words: Mapping[int, Line]) -> Values:
    """The texts of persons, all and at the moment shown, and what is withheld and why."""
    names = {seat.value: seen.names[seat] for seat in Seat}
    told = [spoken(seen.t, version, line, names) for version, line in sorted(words.items())]
    # A correction without a text has only a recorder, so there is nothing to show.
    every = [one for one in told if one.sayings]
    last = seen.at.version
    since = heard_since(seen.whole, last)
    silent = {one.version: reason for one in every if (reason := left_out_of(one)) is not None}
    return {
        "spoken": [one for one in every if one.version not in silent],
        # Entries whose texts are all withheld are only counted, in one line.
        "silent": [
            (reason, [version for version, other in silent.items() if other == reason])
            for reason in dict.fromkeys(silent.values())
        ],
        "spoken_here": [one for one in every if since < one.version <= last],
        "shown_to": notes_on(seen.t, showing_line(seen.sight.showing)) if every else [],
    }


def _beside(seen: Seen) -> Values:
    """The data that all full pages of a match need."""
    delay_ms = 0 if seen.sight.is_granted else seen.sight.live.publicity.delay_ms
    return {
        "title": seen.title,
        "url": seen.url,
        "origin": seen.origin,
        "at": seen.asked,
        "symbols": Markup(SYMBOLS),
        "board_style": Markup(SHAPES),
        "delay_minutes": -(-delay_ms // 60_000),
        "goes_on": stage_of(seen.summary) != "ended" or seen.summary.awaits_ruling,
        "is_private": not seen.sight.live.publicity.is_public,
    }


def _page(request: Request, seen: Seen, words: Mapping[int, Line]) -> Values:
    account = _account(request, seen)
    is_played = not seen.told.tells_match
    every = [] if is_played else question_lines(seen.whole)
    questions = [one for one in every if one["answered"] is None]
    return {
        **_now(request, seen, words),
        **_beside(seen),
        "sections": sheet_of(account, seen.t),
        "findings": [] if is_played else list(findings_of(account, seen.t)),
        "is_played": is_played,
        "facts": _facts(account, seen) if seen.whole.version else [],
        "outcome": outcome_line(seen.whole.state),
        "record": record_of(seen.whole, _leaf_hash(request, seen)),
        "questions": [_asked(one, seen) for one in questions if one["attention"] == "alarm"],
        "resting": [_asked(one, seen) for one in questions if one["attention"] != "alarm"],
        "downloads": _downloads(request, seen, words),
        "described": _described(seen),
        # As text, because it is shown for copying.
        "frame": str(frame_code(seen.url, seen.asked, _title(seen))),
        "oembed": oembed_of(seen.origin, seen.path, seen.asked),
        "linked_data": _linked_data(seen),
    }


def _title(seen: Seen) -> str:
    return f"{seen.names.one} \N{EN DASH} {seen.names.two}"


def _linked_data(seen: Seen) -> Values:
    """The match as data for search engines: players and tournament.

    Without the score, which search results would give away.
    """
    named = [*seen.summary.players.one, *seen.summary.players.two]
    day = day_of(seen.summary.date)
    return {
        "@context": "https://schema.org",
        "@type": "SportsEvent",
        "sport": "Backgammon",
        "name": _title(seen),
        "url": seen.url,
        "image": f"{seen.url}/card.png",
        **({} if day is None else {"startDate": day}),
        "competitor": [{"@type": "Person", "name": name} for name in named],
        "superEvent": {
            "@type": "SportsEvent",
            "name": seen.title,
            "url": f"{seen.origin}/tournaments/{seen.sight.log_id}",
        },
    }


def _facts(account: Account, seen: Seen) -> list[tuple[str, str]]:
    """The agreed options, in the visitor's language."""
    facts = [[one.as_json() for one in fact] for fact in account.facts]
    return [(sentence(seen.t, label, {}), sentence(seen.t, value, {})) for label, value in facts]


def _asked(question: Line, seen: Seen) -> Values:
    """A question in the visitor's language, with the players' names."""
    names = {seat.value: seen.names[seat] for seat in Seat}
    leaning = question["leaning"]
    return {
        **question,
        "words": sentence(seen.t, question["said"], names),
        "readings": [word(seen.t, reading) for reading in question["readings"]],
        "lean": None if leaning is None else sentence(seen.t, leaning, names),
    }


def _leaf_hash(request: Request, seen: Seen) -> bytes | None:
    """The hash of the last entry that the visitor may see. Reads the store."""
    sight, version = seen.sight, seen.whole.version
    store = door_of(request).archive.store
    rows = store.read_stream(sight.log_id, sight.match_id, after=max(version - 1, 0), limit=1)
    return next((row.leaf_hash for row in rows if row.version == version), None)


def _sheet(request: Request, seen: Seen, words: Mapping[int, Line]) -> Values:
    """The score sheet alone, for pages that follow a live match."""
    return {**_now(request, seen, words), "sections": sheet_of(_account(request, seen), seen.t)}


def _account(request: Request, seen: Seen) -> Account:
    """The match in turns; with findings once they can no longer help the players."""
    wanted = _wanted(request, seen)
    if not seen.told.tells_match:
        wanted = structs.replace(wanted, findings=False, is_held_back=True)
    return Account(seen.whole, wanted, holds_record=True)


_VALUES = {None: _page, "now": _now, "sheet": _sheet}


def _described(seen: Seen) -> str:
    """The match in a sentence, for previews."""
    is_moment = seen.asked is not None
    # The preview of a moment must not give away the end or a later score.
    score = seen.moment.score if is_moment else seen.summary.score
    parts = [
        *map(set_apart, posted(seen.summary, seen.t)),
        f"{score.one}\N{EN DASH}{score.two}",
        length_words(seen.summary, seen.t),
        seen.moment.words if is_moment else state_words(seen.summary, seen.names, seen.t),
    ]
    return ", ".join(part for part in parts if part)


def _card(seen: Seen) -> Card:
    event, length = seen.summary.event, length_words(seen.summary, seen.t)
    lines = [length] if length else []
    if seen.asked is not None:
        moment = (seen.moment.words,)
        return Card(event or seen.title, seen.names, seen.moment.score, None, (*lines, *moment))
    by = seen.summary.won_by
    # Who has won stands there in bold, and there is no room for a name and the reason.
    is_plain = by in PLAIN_WINS or seen.summary.awaits_ruling
    state = state_words(seen.summary, seen.names, seen.t)
    lines.append(state if is_plain else seen.t(f"results.by_{by}"))
    score = seen.whole.state.final_score
    return Card(event or seen.title, seen.names, score, seen.summary.winner, tuple(lines))


# Downloads, and what each format loses.


def _wanted(request: Request, seen: Seen) -> Wanted:
    """How exports show the match to the visitor: never more than the visitor may see."""
    sight = seen.sight
    reading = door_of(request).reading
    details = details_of(reading, sight.log_id, seen.whole.opened, sight.people)
    return Wanted(names=seen.names, details=details)


def _downloads(request: Request, seen: Seen, words: Mapping[int, Line]) -> list[Values]:
    """All formats with their losses, which are counted once for each version."""
    key = seen.etag("losses", msgspec.json.encode(words))
    kept = kept_of(request)
    made = kept.get(key)
    if made is None:
        wanted = structs.replace(_wanted(request, seen), spoken=words)
        story = told(seen.whole)
        listed = [_download(form, seen, wanted, story) for form in FORMS.values()]
        made = Made(orjson.dumps([one for one in listed if one is not None]), None, "")
        kept.put(key, made)
    found: list[Values] = orjson.loads(made.body)
    return found


def _download(form: Form, seen: Seen, wanted: Wanted, story: Story) -> Values | None:
    """One format; None if the match is not available in it. Writes no file."""
    sight = seen.sight
    writer = WRITERS.get(form.name)
    if writer is not None and writer.marks_illegal and not seen.told.tells_match:
        return None
    try:
        losses = () if writer is None else writer.losses(story, wanted)
    except NotWritten:
        return None
    # Losses reveal illegal plays too, so they are shown only when they cannot help the players.
    is_counted = not losses or seen.told.tells_match
    return {
        "name": form.name,
        "ending": form.ending,
        "title": form.title,
        "href": f"/logs/{sight.log_id}/matches/{sight.match_id}/export.{form.ending}",
        "count": sum(loss.count for loss in losses) if is_counted else None,
        "losses": [_loss(loss) for loss in losses] if is_counted else [],
    }


def _loss(loss: Loss) -> Values:
    """A kind of loss in a line; the command line lists the places."""
    return {"kind": loss.kind, "count": loss.count, "detail": loss.detail.partition(". ")[0] + "."}
