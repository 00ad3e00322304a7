"""`VIDO`: a film goes into an OGXM file ply by ply, and comes out of it as it went in."""

from __future__ import annotations

from typing import Any

from api.exchange.ogxm.reader import read as read_ogxm
from events.payloads import film
from events.values import Seat
from projections.replay import Replay
from projections.views.films import films_of, moments_of
from tests.api.exchange.ogxm_documents import BLACK, OPENING, act, codec, document, ogxm
from tests.api.exchange.ogxm_documents import NAMES as PLAYERS
from tests.projections.table import Table

__all__ = ["codec"]

LINK = "https://www.youtube.com/watch?v=x"
SHA = "ab" * 32
PASS = 37


def timed(*attached: film.FilmAttached) -> tuple[Replay, list[str]]:
    """Two plays, a film or more, and the first play said to be a minute into each of them."""
    table = Table(5).game().opening(3, 1)
    table.play("one", "8/5 6/5", at_ms=10_000)
    target = table.last
    table.roll("two", 61).play("two", "13/7 8/7", at_ms=31_000)
    films = []
    for one in attached:
        films.append(table.record(one).last)
        table.record(film.FilmAligned(film=films[-1], target=target, film_ms=60_000))
    return table.replay, films


def written(shown: Replay, films: dict[str, str | None]) -> tuple[Any, dict[str, int]]:
    """(what the codec reads of the file, kinds of loss with their counts)."""
    from api.exchange.ogxm.writer import WRITER
    from api.exchange.writing.wanted import Wanted

    made = WRITER.write(shown, Wanted(names=PLAYERS, films=films))
    return ogxm().binary_to_json(made.content), {one.kind: one.count for one in made.losses}


def test_every_ply_has_its_moment_and_those_that_somebody_named_say_so() -> None:
    shown, [name] = timed(film.FilmAttached(file=SHA))
    told, losses = written(shown, {name: LINK})
    assert (told["video_info"]["url"], told["video_info"]["kind"]) == (LINK, "youtube")
    plies = told["games"][0]["plies"]
    assert [ply["video_ms"] for ply in plies] == [60_000, 81_000]
    assert [ply.get("video_hand_anchored", False) for ply in plies] == [True, False]
    assert "film" not in losses


def test_a_film_that_may_not_be_shown_is_not_written_and_a_file_is_named_by_its_hash() -> None:
    shown, [first, second] = timed(film.FilmAttached(), film.FilmAttached(file=SHA))
    told, losses = written(shown, {})
    assert "video_info" not in told
    assert not any("video_ms" in ply for ply in told["games"][0]["plies"])
    assert losses["film"] == 4
    told, losses = written(shown, {first: "http://films.example/", second: None})
    assert (told["video_info"]["url"], told["video_info"]["kind"]) == (f"sha256:{SHA}", "file")
    assert losses["film"] == 2


def test_what_was_written_is_read_again() -> None:
    shown, [name] = timed(film.FilmAttached(file=SHA))
    [ours] = films_of(shown)
    for link in (LINK, None):
        content = ogxm().json_to_binary(written(shown, {name: link})[0])
        [match] = read_ogxm(content, "x.ogxm")
        facts = [fact for fact in match.facts if fact.kind.startswith("film.")]
        assert facts[0].plain == ({"link": LINK} if link else {"file": SHA})
        played = [fact for fact in match.facts if fact.tag == "play.made"]
        places = [match.facts.index(fact) for fact in played]
        film_at = match.facts.index(facts[0])
        assert [(fact.refers, fact.plain) for fact in facts[1:]] == [
            ((("target", place), ("film", film_at)), {"film_ms": film_ms})
            for place, film_ms in zip(places, (60_000, 81_000), strict=True)
        ]
        assert not [one for one in match.lost if one.startswith("film")]
    assert [one.film_ms for one in moments_of(ours, shown)][-2:] == [60_000, 81_000]


def test_what_no_entry_holds_of_a_film_is_lost_and_named() -> None:
    told = document(
        {**OPENING, "video_ms": 4_000},
        act(BLACK, PASS),
        video_info={"kind": 3, "url": "films/final.mp4", "offset_ms": -250, "is_live": True},
    )
    [match] = read_ogxm(ogxm().json_to_binary(told), "x.ogxm")
    assert match.lost == ["film: films/final.mp4", "film: offset -250 ms", "film: live"]
    attached, aligned = [fact for fact in match.facts if fact.kind.startswith("film.")]
    assert attached.plain == {}
    assert aligned.plain == {"film_ms": 4_000}
    assert match.facts[dict(aligned.refers)["target"]].payload.seat is Seat.ONE  # type: ignore[union-attr]
