"""The matches of the demonstration, entered act by act as tablets at their tables would.

Matches and players are made up. The final has what paper and other programs lose: an opening tie, a
cocked die with a description of it, an illegal play that stood, every clock press, a dispute with
the moment at which it froze the record, the director's ruling, the appeal against it, and what the
ruling set at the table. The scribe corrects a roll, and a second scribe has recorded the beginning
too. The players at the second table wait for the director, and those at the third for one of the
players.
"""

from __future__ import annotations

import hashlib

from api.archive.archive import TOKEN_BYTES, Archive, token_hash
from api.commands.demo_table import DEMO_LOG, DEMO_MATCH, DEMO_RULES, Table, entry_id
from api.desk.entries import EntryIn
from api.desk.hand import Hand
from events.envelope import TOURNAMENT_STREAM, Basis
from events.values import ONE, TWO
from projections.custody.access import Grant
from projections.judging.ballots import commitment_to

LIVE_MATCH = "third-place-table-2"
"""A match in play, at which somebody has called the director."""

SECOND_MATCH = "final-table-1-second-scribe"
"""The beginning of the final, as a second scribe has recorded it."""

LATE_MATCH = "consolation-table-3"
"""A match that should already have begun."""


async def record(archive: Archive, *, scribe: Hand, director: Hand) -> None:
    """Enter every match; what is there already is entered again, to no effect."""
    table = Table(archive, scribe=scribe, director=director)
    await table.open()
    await table.begin()
    await _game_one(table)
    await _game_two(table)
    await table.close()
    await _second(Table(archive, scribe=scribe, director=director, match=SECOND_MATCH, number="1"))
    await _live(Table(archive, scribe=scribe, director=director, match=LIVE_MATCH, number="2"))
    await _late(Table(archive, scribe=scribe, director=director, match=LATE_MATCH, number="3"))


async def _game_one(table: Table) -> None:
    await table.record("game.started", after_s=20, number=1)
    await table.record("dice.opening_rolled", after_s=8, one=4, two=4)
    await table.record("dice.opening_rolled", after_s=7, one=3, two=1)
    await table.record("clock.started", after_s=1, seat=ONE)
    await table.play(ONE, "8/5 6/5", after_s=5)
    await table.turn(TWO, (6, 4), "24/14")

    # Ada rolls 5-2 and plays a five and a three. Bram rolls before he sees it: it stands.
    await table.roll(ONE, (5, 2))
    illegal = await table.play(ONE, "13/8 24/21", after_s=14)
    await table.roll(TWO, (6, 2))
    await table.record(
        "play.illegality_noticed",
        after_s=4,
        target=illegal,
        noticed_by="two",
        class_="dice_or_pips",
    )
    await table.record("play.illegality_answered", after_s=11, answer="condoned", by="two")
    await table.play(TWO, "24/22 14/8")
    await table.turn(ONE, (4, 3), "24/21 6/2")

    # One of Bram's dice leans on a checker: both agree that the throw is void.
    await table.record(
        "dice.voided",
        after_s=5,
        seat=TWO,
        reason="cocked",
        dice=[5, None],
        caller="one",
        contested=False,
        throw={"source": "cup", "together": True, "shaken": True},
        observations=[
            {"at_rest": "natural", "location": "playing_field", "tilt": "flat", "face": 5},
            {
                "at_rest": "natural",
                "location": "playing_field",
                "rests_on": ["field"],
                "touching": ["checker_side"],
                "supported_by": ["checker_side"],
                "tilt": "tilted",
                "tilt_cause": "vertical_support",
            },
        ],
    )
    await table.turn(TWO, (5, 1), "22/21 13/8")
    await table.turn(ONE, (6, 6), "21/15(2) 13/7(2)", after_s=16)
    await table.turn(TWO, (2, 1), "8/6 6/5")
    await table.record("cube.double_offered", after_s=10, seat=ONE)
    await table.record("cube.double_taken", after_s=18, seat=TWO)
    await table.turn(ONE, (5, 3), "7/4* 7/2")

    await _dispute(table)

    await table.turn(TWO, (3, 2), "bar/22 5/3")
    await _corrected_roll(table)
    await table.play(ONE, "8/2 4/3*")
    await table.turn(TWO, (4, 4), "bar/21 8/4(2) 6/2")
    await table.turn(ONE, (6, 5), "8/3 8/2")
    await table.turn(TWO, (5, 2), "6/1 3/1", after_s=21)
    await table.turn(ONE, (6, 4), "15/9 9/5")
    await table.record("resignation.offered", after_s=12, seat=TWO, level="single")
    await table.record("resignation.accepted", after_s=3, seat=ONE)
    # With contact, the text does not let a game end like this; the table treats it as ended, and
    # records that.
    await table.record("game.won", basis=Basis.AGREED, winner=ONE, points=2, kind="single")
    await table.record("clock.paused", after_s=1, reason="game_over", by="both")
    await table.record(
        "score.noted", after_s=15, score={"one": 2, "two": 0}, keeper="one", sheet="written"
    )


async def _dispute(table: Table) -> None:
    """Bram enters with a six and a four and hits; Ada says that the four was not flat."""
    accepted = table.last
    roll = await table.roll(TWO, (6, 4))
    await table.record("clock.paused", after_s=5, reason="dispute", by="one")
    await table.record("director.called", after_s=2, by="one", about=roll)
    dispute = await table.record(
        "dispute.raised",
        after_s=75,
        by="one",
        frozen_at=accepted,
        topic="dice.validity",
        readings=[
            {"by": "one", "reading": "void", "says": "The four lay on the edge of my checker."},
            {"by": "two", "reading": "valid", "says": "Both dice were flat on the field."},
        ],
    )
    await table.record(
        "testimony.given",
        after_s=20,
        by_director=True,
        basis=Basis.TESTIFIED,
        role="spectator",
        says="I could see light under one side of the die.",
        at_request_of="director",
        about=roll,
    )
    ruling = await table.record(
        "ruling.made",
        after_s=50,
        by_director=True,
        basis=Basis.RULED,
        dispute=dispute,
        references=[{"rule_set": DEMO_RULES, "section": "[4.1.1-4]"}],
        facts="The die still leans on a checker; nobody has touched it.",
        decision="The roll is void and both dice are rolled again.",
        intended_action="Bram rolls again from the bar.",
    )
    await _appeal(table, ruling)
    await table.record(
        "dice.voided",
        after_s=4,
        by_director=True,
        basis=Basis.RULED,
        seat=TWO,
        reason="on_checker",
        target=roll,
        caller="director",
        contested=True,
    )
    await table.record(
        "ruling.carried_out",
        after_s=3,
        by_director=True,
        basis=Basis.RULED,
        ruling=ruling,
        reserve_ms={"one": 354_000, "two": 351_000},
    )
    await table.record("clock.resumed", after_s=5, seat=TWO)


async def _appeal(table: Table, ruling: str) -> None:
    """Bram appeals before the next roll; two of three members uphold the ruling."""
    appeal = await table.record(
        "appeal.filed",
        after_s=30,
        seat=TWO,
        target=ruling,
        on="fact",
        ground="The die lay flat when I lifted my hand; the cup touched the checker afterwards.",
    )
    await table.record(
        "committee.convened",
        after_s=240,
        by_director=True,
        size=3,
        members=[
            {"member": member, "name": name, "independent": True} for member, name in _MEMBERS
        ],
        appeal=appeal,
        anonymised=False,
    )
    await _ballots(table, appeal)
    await table.record("vote.director_declined", after_s=5, by_director=True, appeal=appeal)
    await table.record(
        "appeal.decided",
        after_s=30,
        by_director=True,
        basis=Basis.RULED,
        appeal=appeal,
        outcome="upheld",
        votes_for=2,
        votes_cast=3,
        threshold=2,
        decision="The ruling stands: light under a die is what leaning looks like.",
    )


_MEMBERS = (("m1", "Ilse Brandt"), ("m2", "Jonas Virtanen"), ("m3", "Kavya Rao"))

_BALLOTS = (("m1", "uphold"), ("m2", "reverse"), ("m3", "uphold"))


async def _ballots(table: Table, appeal: str) -> None:
    """Each member votes with a seat of their own, sealed; after the last vote all are opened."""
    await table.record(
        "appeal.issued",
        after_s=30,
        by_director=True,
        is_timed=False,
        target=appeal,
        through=appeal,
        profile=DEMO_RULES,
    )
    sealed = []
    for member, vote in _BALLOTS:
        seat = await _seat(table, appeal, member)
        # Public from the start, because nothing has to be hidden.
        salt = hashlib.sha256(f"{DEMO_LOG} ballot {member}".encode()).hexdigest()
        ballot = await table.record(
            "vote.sealed",
            after_s=60,
            at_case=seat,
            is_timed=False,
            target=appeal,
            member=member,
            grant=seat.grant_id,
            commitment=commitment_to(vote, None, salt),
        )
        sealed.append((ballot, vote, salt, seat))
    for ballot, vote, salt, _ in sealed:
        await table.record(
            "vote.opened",
            at_case=sealed[-1][3],
            is_timed=False,
            target=ballot,
            vote=vote,
            salt=salt,
        )


async def _seat(table: Table, appeal: str, member: str) -> Grant:
    """A member's seat on the committee; nobody has its token."""
    archive = table.archive
    wanted = entry_id(1, f"{table.match} seat {member}")

    def held() -> Grant | None:
        grants = archive.reading.access(DEMO_LOG).grants.values()
        return next((grant for grant in grants if grant.grant_id == wanted), None)

    if (seat := held()) is not None:
        return seat
    seated = {
        "token_sha256": token_hash(archive.entropy(TOKEN_BYTES).hex()),
        "match": table.match,
        "appeal": appeal,
        "member": member,
        "holder": dict(_MEMBERS)[member],
    }
    entry = EntryIn(wanted, "access.seated", seated)
    appended = await table.desk.append(
        table.director, DEMO_LOG, TOURNAMENT_STREAM, [entry], expected_version=None
    )
    archive.reading.took(appended.events)
    seat = held()
    assert seat is not None, "it was recorded"
    return seat


async def _corrected_roll(table: Table) -> None:
    """The scribe types a three instead of a one, and notices before the play."""
    roll = await table.roll(ONE, (6, 3))
    await table.record(
        "entry.amended",
        after_s=4,
        target=roll,
        tag_="dice.rolled",
        schema=1,
        body_={"seat": "one", "dice": [6, 1], "at_ms": table.at_ms},
        reason="Typed a three; the die shows a one.",
    )


async def _second(table: Table) -> None:
    """A second scribe at the final, who reads Ada's three as a two, and is called away."""
    await table.open(beside=DEMO_MATCH)
    await table.record("game.started", after_s=125, number=1)
    await table.record("dice.opening_rolled", after_s=8, one=4, two=4)
    await table.record("dice.opening_rolled", after_s=7, one=3, two=1)
    await table.play(ONE, "8/5 6/5", after_s=5)
    await table.turn(TWO, (6, 4), "24/14")
    await table.turn(ONE, (5, 2), "13/8 24/22")
    await table.turn(TWO, (6, 2), "24/22 14/8")
    await table.turn(ONE, (4, 3), "24/21 6/2")
    await table.turn(TWO, (5, 1), "22/21 13/8")


async def _game_two(table: Table) -> None:
    """The Crawford game: the cube is out of play, and one point is enough."""
    await table.record("game.started", after_s=60, number=2)
    await table.record("dice.opening_rolled", after_s=7, one=2, two=5)
    await table.record("clock.resumed", after_s=1, seat=TWO)
    await table.play(TWO, "13/8 24/22", after_s=6)
    await table.turn(ONE, (3, 1), "8/5 6/5")
    await table.turn(TWO, (6, 4), "24/18 22/18")
    await table.turn(ONE, (4, 2), "8/4 6/4")
    await table.turn(TWO, (6, 5), "13/8 13/7")
    await table.turn(ONE, (3, 3), "24/21(2) 21/18*(2)", after_s=15)
    await table.turn(TWO, (5, 4), "")
    await table.turn(ONE, (6, 1), "8/2 6/5")
    await table.turn(TWO, (5, 5), "")
    await table.turn(ONE, (2, 1), "5/3 3/2")
    await table.record("resignation.offered", after_s=14, seat=TWO, level="single")
    await table.record("resignation.accepted", after_s=2, seat=ONE)
    await table.record("game.won", basis=Basis.AGREED, winner=ONE, points=1, kind="single")
    await table.record("clock.paused", after_s=1, reason="game_over", by="both")
    await table.record(
        "score.noted", after_s=12, score={"one": 3, "two": 0}, keeper="one", sheet="written"
    )


async def _live(table: Table) -> None:
    """A match in play: Dov lifted his dice too soon, and Cleo has called the director."""
    await table.open("Cleo Marsh", "Dov Feld", length=5, round_="Third place")
    await table.begin(length=5)
    await table.record("game.started", after_s=15, number=1)
    await table.record("dice.opening_rolled", after_s=6, one=2, two=6)
    await table.record("clock.started", after_s=1, seat=TWO)
    await table.play(TWO, "24/18 13/11", after_s=5)
    await table.turn(ONE, (4, 2), "8/4 6/4")
    await table.turn(TWO, (5, 3), "8/3 6/3")
    await table.turn(ONE, (6, 6), "24/18(2) 13/7*(2)", after_s=14)
    await table.roll(TWO, (4, 1))
    await table.play(TWO, "bar/24 13/9", after_s=12)
    await table.roll(ONE, (5, 4))
    lifted = await table.record("dice.lifted", after_s=7, seat=TWO, dice="both")
    await table.record("clock.paused", after_s=3, reason="director_called", by="one")
    await table.record("director.called", after_s=4, by="one", about=lifted)


async def _late(table: Table) -> None:
    """A match for which one player has not come yet."""
    await table.open("Eve Okafor", "Finn Harlan", length=5, round_="Consolation, semifinal")
    await table.record("player.arrived", after_s=20, seat=ONE)
