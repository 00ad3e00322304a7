"""One example for every request and answer of the API; a test holds them to their shapes."""

from __future__ import annotations

import base64
import hashlib
import json
from typing import Any

from api.shapes.shape import JsonObject, Piece
from events.values import Seat
from projections.folding.sayings import UNNAMED, said

_HASH = "78d1cae3f1ba073a3b0817a2225d3eea764158c192aeab1e6c7ed5e5293bd1e6"
_ROOT = "a632e3ef6a9bcb02d3e646359b84d653e3ce8ec3d4b806f7f1ec75caae9eed93"
_NAME = "b01462b1c663cb29e1ebfba7f312a79be6c2568aa5560f1f40b7034becc917ae"
_OPENED = "e7cb1e4a-915b-429a-851b-769b0ccf7c5c"
_ROLL = "0c6ed1f2-1574-4e44-9593-a3b054c32654"
_PLAY = "6125cbe7-5268-4094-bb34-630fb9054a77"
_GRANT = "f89c0e23-80f0-4730-ba5d-0194e88293a1"
_LOG = "nordic-open-2026"
_MATCH = "r3-t07-9c41"

_DEVICE = "tablet-4f1c"
_PAIRING = "0f8fad5bd9cb469fa16570867728950e"
_WORDS = ["maple", "harbor", "fiddle", "onion"]
_NOW = 1795171335285
_NAMES = {"one": "Ann", "two": "Bo"}
_PAIRING_OUT = {
    "state": "waiting",
    "match_id": _MATCH,
    "table": "7",
    "device": _DEVICE,
    "label": "the one with the green cover",
    "epoch": 1,
    "has_key": True,
    "fingerprint": _WORDS,
    "uses": 1,
}
_ENTRANT = {"player": "p-0417", "name": "Ann", "club": "Oslo", "penalty_points": 1}
_PERSON = {"key": "2.one.0", "name": "Ann", "player": "p-0417", "penalty_points": 1}
_SHEET = "round,table,player 1,player 2,length\n3,7,Ann,Bo,5\n"
_LEASE = {"entry_id": _GRANT}
_SEAT_CODE = {
    "member": "m1",
    "holder": "Ida Berg",
    "code": "7KQ2-MXP4",
    "url": "https://tabularium.example/session?code=7KQ2MXP4",
    "qr_svg": "<svg xmlns='http://www.w3.org/2000/svg'/>",
    "expires_at": _NOW + 3_600_000,
}
_CASE = {
    "case": _GRANT,
    "match_id": _MATCH,
    "version": 13,
    "rule_set": "biba-2014",
    "size": 3,
    "is_admitted": True,
    "is_issued": True,
    "through": 11,
    "members": [{"member": "m1", "name": "Ida Berg", "is_independent": True, "is_seated": True}],
    "openings": [{"grant": _OPENED, "member": "m1", "through": 11, "opened_at": _NOW}],
    "hanging": [],
}
_SUMS = {
    "pr": 5.7,
    "decisions": 3,
    "cube_decisions": 1,
    "lost": 0.0342,
    "lost_chance": 0.002634,
    "rolls": 3,
    "luck": 0.1207,
    "luck_chance": 0.009293,
}
_DRAFT = {
    "entry_id": _PLAY,
    "stream": _MATCH,
    "tag": "play.made",
    "schema": 1,
    "basis": "observed",
    "body": {"seat": "one", "moves": [[8, 5], [6, 5]]},
    "device": _DEVICE,
    "epoch": 1,
    "device_seq": 4,
    "device_prev": _ROOT,
    "lease": 2,
    "expected_version": 3,
    "expected_head": None,
    "occurred_at": _NOW - 900_000,
    "elapsed_ms": 61_250,
}
_DRAFT_BYTES = json.dumps(_DRAFT, sort_keys=True, separators=(",", ":")).encode()
_INVITATION = {
    "invitation_id": "0f8fad5bd9cb469fa16570867728950e",
    "code": "7KQ2-MXP4",
    "role": "committee",
    "holder": "Omar Lund",
    "expires_at": _NOW + 3_600_000,
}
_PARKED = {
    "state": "open",
    "items": [
        {
            "journal_id": 4,
            "body": _DRAFT["body"],
            "occurred_at": _NOW - 900_000,
            "device_seq": 4,
            "reason": "version_mismatch",
            "expected_version": 3,
            "version_then": 4,
        }
    ],
}
_FILE = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"

_START = [0, 0, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0]
_AFTER_31 = [0, 0, 0, 0, 0, 2, 4, 0, 2, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0]
_CUBE = {"value": 1}
_SCORE = {"one": 0, "two": 0}

_CLOCK_TERMS = {"kind": "simple", "reserve_ms": 600_000, "delay_ms": 12_000}
_TOURNAMENT_OUT = {
    "title": "Nordic Open",
    "place": "Bergen",
    "starts_on": "2026-05-01",
    "ends_on": "2026-05-03",
    "rule_set": "usbgf-2017-07",
    "options": {"moves_policy": {"value": "legal", "declared_by": "director"}},
    "defaults": {
        "length": 7,
        "rule_set": "usbgf-2017-07",
        "options": {"moves_policy": {"value": "legal", "declared_by": "director"}},
        "clock_terms": _CLOCK_TERMS,
        "publication": {"public": True, "delay_ms": 300_000},
    },
}
_LOG_OUT = {"title": "Nordic Open", "size": 5, "matches": 1, "tournament": _TOURNAMENT_OUT}
_SUMMARY = {
    "log_id": _LOG,
    "match_id": _MATCH,
    "version": 4,
    "players": {"one": ["Ann"], "two": ["Bo"]},
    "event": None,
    "date": None,
    "length": 5,
    "score": _SCORE,
    "state": "live",
    "is_public": True,
    "delay_ms": 0,
    "findings": 0,
    "open_questions": 0,
    "rule_set": None,
    "source": None,
}
_PLACE = {"entry_id": _ROLL, "version": 3, "global_position": 3}
_RECORDED = {"entries": [_PLACE, {**_PLACE, "entry_id": _PLAY, "version": 4, "global_position": 4}]}
_ENTRY = {
    "version": 1,
    "global_position": 1,
    "tag": "match.opened",
    "schema": 1,
    "entry_id": _OPENED,
    "body": {"length": 5, "players": {"one": [{"name": {"sd": _NAME}}], "two": []}},
    "disclosures": {_NAME: "Ann"},
}
_ILLEGAL = said(
    "{seat} plays {play} with {dice}: {why}",
    seat=Seat.ONE,
    play="8/4 6/5",
    dice="31",
    why=said("that is not what the dice show"),
)
_FINDING = {
    "code": "illegal-play",
    "section": "Movement",
    "seat": "one",
    "message": _ILLEGAL.named(UNNAMED),
    "said": _ILLEGAL.as_json(),
    "severity": "irregularity",
    "verified": True,
}
_OUTCOME: JsonObject = {
    "winner": None,
    "by": None,
    "rule_set": None,
    "section": None,
    "version": None,
    "questions": [],
}
_LINE = {
    "seat": "one",
    "play": "8/5 6/5",
    "checkers": {"one": _AFTER_31, "two": _START},
    "position_id": "sGfwATDgc/ABMA",
    "cube": _CUBE,
    "on_roll": "two",
    "to_act": "two",
    "turn_open": "one",
    "findings": [],
}
_TURN = {
    "game": 1,
    "turn": 1,
    "row": 1,
    "seat": "one",
    "dice": "31",
    "play": "8/5 6/5",
    "checkers": {"one": _AFTER_31, "two": _START},
}
_SCENE = {
    **_LINE,
    "is_custody": False,
    "is_crawford": False,
    "at_ms": 12_000,
    "status": "stands",
    "facts": {"play": "8/5 6/5", "dice": "31"},
    "people": {"seat": "one"},
    "game": 1,
    "turn": 1,
    "row": 1,
    "turn_of": "one",
    "awaits": "roll",
    "lying": {"seat": "one", "dice": [3, 1]},
    "before": {"one": _START, "two": _START},
    "frames": [
        {"play": "8/5", "from": 8, "to": 5, "checkers": {"one": _AFTER_31, "two": _START}},
        {"play": "6/5", "from": 6, "to": 5, "checkers": {"one": _AFTER_31, "two": _START}},
    ],
    "words": [],
    "recorder": None,
    "file": None,
}

_RECORD = {
    **{name: _SUMMARY[name] for name in ("log_id", "match_id", "version", "players", "event")},
    **{name: _SUMMARY[name] for name in ("date", "length", "score", "state", "rule_set", "source")},
    "awaits_ruling": False,
    "result": _OUTCOME,
    "games": [
        {
            "number": 1,
            "score": _SCORE,
            "crawford": False,
            "turns": [
                {"version": 4, "act": "play", "seat": "one", "dice": [3, 1], "play": "8/5 6/5"}
            ],
            "result": None,
        }
    ],
    "findings": [],
    "lost": {"opening": 1},
}
_WRONG_LENGTH = said(
    "the match was posted to {correct} {correct:point|points} and played to {wrong}; "
    "at {score}: {answer}",
    correct=7,
    wrong=5,
    score="1-0",
    answer=said("what becomes of the match is for the Director to decide"),
)
_QUESTION = {
    "topic": "match-length.outcome",
    "at": _ROLL,
    "version": 3,
    "message": _WRONG_LENGTH.named(UNNAMED),
    "said": _WRONG_LENGTH.as_json(),
    "rule_set": "biba-2014",
    "section": "4.10",
    "reason": "silent",
    "readings": ["complete", "stop", "replay"],
    "answered": {"reading": "complete"},
    "attention": "answered",
}
_ANSWER: JsonObject = {
    "outcome": "points",
    "section": "2.3",
    "details": {"points": 1},
    "verified": True,
}
_STANDS = {**_ANSWER, "outcome": "ruling_stands", "section": "6.3", "details": {}}

FACTS: JsonObject = {
    "log_id": _LOG,
    "match_id": _MATCH,
    "entry_id": _PLAY,
    "tag": "play.made",
    "basis": "observed",
    "version": 4,
    "global_position": 4,
    "leaf_hash": _HASH,
    "root": _ROOT,
    "pairing_id": _PAIRING,
    "fingerprint": _WORDS,
    "device": _DEVICE,
    "grant_id": _GRANT,
    "epoch": 1,
    "lease": 2,
    "expires_at": _NOW + 600_000,
    "server_time_ms": _NOW,
    "received_at": _NOW,
    "rule_set": "common",
    "delay_ms": 12_000,
}
"""Member to what it says wherever an example does not say it."""

EXAMPLES: JsonObject = {
    "openLog": {**_LOG_OUT, "size": 1, "matches": 0},
    "listLogs": {"logs": [_LOG_OUT]},
    "getLog": _LOG_OUT,
    "getCheckpoint": {"size": 5},
    "getInclusionProof": {"entry": 4, "size": 5, "hashes": [_ROOT]},
    "getConsistencyProof": {"from": 4, "to": 5, "hashes": [_HASH]},
    "getLogKeys": {
        "keys": ["archive.example/logs/7f3c+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k"]
    },
    "openMatch": {**_PLACE, "entry_id": _OPENED, "version": 1, "global_position": 1},
    "listMatches": {"matches": [_SUMMARY]},
    "getMatch": _SUMMARY,
    "appendEvents": _RECORDED,
    "appendLogEvents": {**_RECORDED, "version": 3, "entries": [{**_PLACE, "entry_id": _GRANT}]},
    "listEvents": {"entries": [_ENTRY], "next_after": 1},
    "listLogEvents": {
        "version": 1,
        "entries": [
            {
                **_ENTRY,
                "tag": "tournament.opened",
                "body": {"title": "Nordic Open"},
                "global_position": 0,
                "context": {"recorded_by": _GRANT, "received_at": 1795171335285},
                "disclosures": {},
            }
        ],
    },
    **{
        name: {**_RECORDED, "version": 3, "entries": [_PLACE]}
        for name in ("appendDispute", "appendRuling", "appendAppeal", "appendVote")
    },
    "getScenes": {
        "length": 5,
        "showing": {
            "reader": "director",
            "rule_set": "nordic-2026",
            "section": None,
            "people": "all",
            "withheld": None,
            "cut": None,
            "last": None,
            "unstated": [],
            "is_in_hand": True,
        },
        "scenes": [_SCENE],
        "games": [{"number": 1, "version": 2}],
        "disputes": [{"version": 9, "frozen": 8, "topic": "dice.validity"}],
        "thinking": [
            {"version": 4, "seat": "one", "took_ms": 9_000, "turn_ms": 10_000, "of": "play"}
        ],
        "captions": {"nordic-2026": {"4.2": "illegal plays"}},
    },
    "getFilms": {
        "films": [
            {
                "film_id": _GRANT,
                "version": 14,
                "sha256": _FILE,
                "link": "https://films.example/final",
                "withheld": None,
                "points": [
                    {
                        "version": 15,
                        "target": 4,
                        "at_ms": 75_000,
                        "film_ms": 20_000,
                        "entry_id": _PLAY,
                    }
                ],
                "set_aside": [],
                "moments": [{"version": 4, "film_ms": 20_000}],
            }
        ],
        "withheld": None,
        "may_record": True,
    },
    "getLegalPlays": {
        "seat": "one",
        "dice": [3, 1],
        "plays": ["8/5 6/5", "24/23 13/10"],
        "played": "8/5 6/5",
        "is_legal": True,
    },
    "getAlignment": {
        "with": "r3-t07-shadow",
        "rows": [{"first": _TURN, "second": {**_TURN, "play": "24/23 13/10"}, "differs": ["play"]}],
        "first_divergence": 0,
        "sheets": [
            {
                "game": 1,
                "computed": {"one": 1},
                "noted": {"one": {"score": {"one": 1}, "version": 60}},
            }
        ],
        "records": ["r3-t07-shadow"],
    },
    "listProvenance": {
        "is_context_shown": True,
        "entries": [
            {
                "is_known": True,
                "recorded_by": _GRANT,
                "recorder": {"role": "scribe", "name": None, "table": "7", "withheld": None},
                "device": "tablet-4f1c",
                "device_seq": 12,
                "epoch": 1,
                "lease": 1,
                "signature": "good",
                "occurred_at": 1_773_493_320_000,
                "received_at": 1_773_499_200_000,
                "offline_ms": 5_880_000,
            }
        ],
    },
    "getReplay": {"lines": [_LINE]},
    "getPosition": {
        "checkers": {"one": _AFTER_31, "two": _START},
        "position_id": "sGfwATDgc/ABMA",
        "cube": _CUBE,
        "on_roll": "two",
        "to_act": "two",
        "turn_open": "one",
        "awaits": "roll",
    },
    "getAnalysis": {
        "log_id": _LOG,
        "match_id": _MATCH,
        "version": 13,
        "engine": "bgsage",
        "engine_version": "gv-bgsage/2.0.20260907 gammonview/3.1.0",
        "preset": "fast@2",
        "players": {"one": _SUMS, "two": _SUMS},
        "choices": [
            {
                "version": 4,
                "game": 1,
                "seat": "one",
                "choice": "play",
                "best": "play",
                "lost": 0.0342,
                "lost_chance": 0.002634,
                "counts": True,
                "level": "3ply",
                "best_play": "8/5 6/5",
                "checkers": {"one": _AFTER_31, "two": _START},
            }
        ],
        "luck": [{"version": 4, "seat": "one", "luck": 0.1207, "luck_chance": 0.009293}],
        "left_out": [{"version": 9, "seat": "two", "reason": "illegal"}],
    },
    "getScore": {"length": 5, "crawford": "before", "game_number": 1},
    "getClock": {
        "clock": {
            "reserve_ms": {"one": 600_000, "two": 594_000},
            "running": "one",
            "kind": "simple",
        },
    },
    "getPenalties": {
        "rule_set": "biba-2014",
        "points": {"one": 1},
        "entering": _SCORE,
        "undecided": {"one": 1},
        "scores": {"entered": {"two": 1}},
        "accounts": {"one": {"delays": [{"kind": "start", "ms": 480_000}], "answer": _ANSWER}},
    },
    "getMatchLength": {
        "rule_set": "biba-2014",
        "posted": 7,
        "believed": [{"version": 2, "seat": "one", "length": 5}],
        "found": [{"version": 3, "wrong": 5, "correct": 7, "during_game": True, "found_by": "two"}],
        "awaits_end": False,
        "answer": {**_ANSWER, "outcome": "complete", "section": "4.10", "ruled_at": 4},
    },
    "getWindows": {
        "windows": [
            {
                "what": "play",
                "entry": 4,
                "seat": "one",
                "state": "open",
                "may": True,
                "by": "opponent",
                "until": "next_roll",
                "section": "[4.2.1]",
                "rule_set": "usbgf-2017-07",
            }
        ],
    },
    "getAppeals": {
        "rule_set": "biba-2014",
        "appeals": [
            {
                "version": 5,
                "seat": "two",
                "is_admitted": True,
                "has_committee": True,
                "size": 3,
                "ballots": [
                    {"member": "m1", "vote": "reverse"},
                    {"member": "m2", "vote": "reverse"},
                    {"member": "m3", "vote": "uphold"},
                ],
                "result": _STANDS,
                "announced": "upheld",
                "answer": _STANDS,
            }
        ],
    },
    "getFindings": {"findings": [_FINDING], "questions": [_QUESTION]},
    "openPairing": {
        "code": "7KQ2-MXP4",
        "url": "https://tabularium.example/tablet?code=7KQ2MXP4",
        "qr_svg": "<svg xmlns='http://www.w3.org/2000/svg'/>",
        "uses": 1,
    },
    "getOpening": {
        "entry_id": _OPENED,
        "players": {"one": ["Ann"], "two": ["Bo"]},
        "round": "3",
        "table": "7",
        "length": 5,
        "rule_set": "usbgf-2017-07",
        "clock_terms": _CLOCK_TERMS,
        "is_public": True,
        "delay_ms": 300_000,
    },
    "amendOpening": {**_RECORDED, "version": 5, "entries": [{**_PLACE, "version": 5}]},
    "listRoles": {
        "grants": [
            {
                "role": "director",
                "kind": "log",
                "holder": "Ida Berg",
                "granted_at": _NOW - 86_400_000,
                "last_used_at": _NOW,
                "is_own": True,
            }
        ],
        "invitations": [_INVITATION],
        "may_grant": ["director", "scribe", "viewer"],
    },
    "openCommittee": {
        "case": _GRANT,
        "version": 14,
        "rule_set": "biba-2014",
        "anonymised": True,
        "notes": [],
        "codes": [_SEAT_CODE],
    },
    "erasePerson": {
        "found": [{"log_id": _LOG, "global_position": 4, "path": "players.one.0.name"}],
        "still_mentioned": [],
        "files": [{"log_id": _LOG, "match_id": _MATCH, "sha256": _HASH}],
        "sealed": [],
        "erased": 1,
        "left": [],
        "held": [],
        "is_done": True,
        "is_scrubbed": True,
        "also": ["A. Berg"],
        "backups_until": "2026-12-25",
        "unscrubbed": None,
    },
    "openSeatCode": _SEAT_CODE,
    "grantCase": _CASE,
    "getCase": _CASE,
    "appendBallot": {"entry_id": _PLAY, "version": 16, "commitment": _HASH, "replaces": None},
    "endSeat": {"entry_id": _PLAY, "version": 16},
    "openInvitation": {
        **_INVITATION,
        "url": "https://tabularium.example/session?code=7KQ2MXP4",
        "qr_svg": "<svg xmlns='http://www.w3.org/2000/svg'/>",
    },
    "claimPairing": {"match_id": _MATCH},
    "getPairing": {"state": "approved", "match_id": _MATCH},
    "listPairings": {"pairings": [_PAIRING_OUT]},
    "approvePairing": {"state": "approved", "match_id": _MATCH, "lease": 1},
    "refusePairing": {**_PAIRING_OUT, "state": "refused"},
    "grantLease": _LEASE,
    "grantTable": {"table": "7", "matches": [_MATCH]},
    "endLease": {"reason": "match_over"},
    "openShadow": {**_LEASE, "match_id": f"{_MATCH}-b", "lease": 1, "shadow_of": _MATCH},
    "getAssignment": {
        "leases": [
            {
                "profile": "no_assist",
                "terms": {
                    "crawford": True,
                    "void_cube_acts": ["cube-in-crawford-game"],
                    "played_on": [],
                    "ruled_throws": {},
                    "cubes": {},
                    "concedable": None,
                    "known": {"version": 1},
                },
            }
        ],
        "streams": {_MATCH: {"version": 4, "head": _HASH}},
        "cursor": {"last_seq": 3, "last_hash": _ROOT},
    },
    "ingestDrafts": {
        "results": [{"outcome": "accepted", "global_position": 4, "version": 4, "entry_id": _PLAY}],
        "streams": {_MATCH: {"version": 4, "head": _HASH}},
        "cursor": {"last_seq": 4, "last_hash": hashlib.sha256(_DRAFT_BYTES).hexdigest()},
        "checkpoint": {"size": 5},
        "consistency": {"from": 4, "hashes": [_HASH]},
    },
    "listBranches": {"branches": [_PARKED]},
    "resolveBranch": {"entry_id": _OPENED, "entries": [{"version": 5, "global_position": 9}]},
    "putFile": {"sha256": _FILE, "size": 4, "content_type": "image/jpeg"},
    "getRoundPreview": {
        "kind": "pairings",
        "columns": ["round", "table", "one", "two", "length"],
        "lines": [
            {
                "line": 2,
                "kind": "match",
                "round": "3",
                "table": "7",
                "one": [{**_PERSON}],
                "two": [{"key": "2.two.0", "name": "Bo", "is_new": True}],
                "length": 5,
            }
        ],
        "new_players": 1,
        "next_round": "3",
    },
    "openRound": {"matches": [_MATCH], "players": 1, "tablets": 1},
    "appendAttendance": {"recorded": 2},
    "amendPlayer": {"player": "p-0417", "name": "Anna", "matches": [_MATCH]},
    "listResults": {
        "title": "Nordic Open",
        "results": [
            {
                "match_id": _MATCH,
                "round": "3",
                "table": "7",
                "players": {"one": ["Ann"], "two": ["Bo"]},
                "length": 5,
                "state": "ended",
                "score": {"one": 5, "two": 3},
                "winner": "one",
                "by": "score",
                "confirmed_by": ["one", "two"],
                "is_posted": True,
                "penalty_points": _SCORE,
            }
        ],
    },
    "listPlayers": {
        "players": [{**_ENTRANT, "matches": 2}],
        "byes": [{"round": "2", "players": ["p-0417"], "names": ["Ann"]}],
        "next_round": "3",
    },
    "getRoom": {
        "title": "Nordic Open",
        "tournament": _TOURNAMENT_OUT,
        "tables": [
            {
                "table": "7",
                "names": _NAMES,
                "length": 5,
                "state": "live",
                "rule_set": "usbgf-2017-07",
                "clock": {
                    "reserve_ms": {"one": 600_000, "two": 594_000},
                    "running": "one",
                    "kind": "simple",
                    "running_since": _NOW - 4_000,
                    "time_zero": _NOW - 604_000,
                    "since_elapsed_ms": 0,
                    "turn_reserve_ms": 600_000,
                },
                "on_roll": "two",
                "to_act": "two",
                "last": {"seat": "one", "play": "8/5 6/5", "received_at": _NOW},
                "lease": {"number": 2, "profile": "no_assist"},
                "device": {"id": _DEVICE, "seen_at": _NOW, "unsent": 0},
                "is_public": True,
                "round": "3",
            }
        ],
        "calls": [{"at_ms": 61_000, "received_at": _NOW, "by": "one"}],
        "devices": [
            {
                "id": _DEVICE,
                "has_key": True,
                "matches": [_MATCH],
                "table": "7",
                "seen_at": _NOW,
                "unsent": 0,
            }
        ],
        "grants": [
            {
                "role": "scribe",
                "kind": "log",
                "device": _DEVICE,
                "holder": "the one with the green cover",
            }
        ],
    },
    "exportMatch": _RECORD,
    "exportMatchAsAccepted": _RECORD,
    "exportMatches": None,
    "exportMatchesAs": None,
    "followMatch": 'id: 4\nevent: entry\ndata: {"version":4,"tag":"play.made"}\n\n',
    "getNamedPosition": {"checkers": {"one": [*_START], "two": [*_START]}, "on_roll": "one"},
    "listPrecedents": {
        "precedents": [
            {
                "log_id": _LOG,
                "match_id": _MATCH,
                "version": 45,
                "tag": "ruling.made",
                "rule_set": "usbgf-2017-07",
                "subjects": ["dice.validity"],
                "sections": [{"rule_set": "usbgf-2017-07", "section": "[4.1.1-4]"}],
                "readings": [{"topic": "dice.validity", "reading": "void"}],
                "outcome": "upheld",
                "appeal_on": "fact",
                "players": {"one": ["Ann"], "two": ["Bo"]},
                "moment": 40,
                "checkers": {"one": [*_START], "two": [*_START]},
                "score": _SCORE,
                "length": 5,
            }
        ]
    },
    "findTurns": {
        "turns": [
            {
                "match": {**_SUMMARY, "state": "ended"},
                "version": 3,
                "position_id": "4HPwATDgc/ABMA",
                "gnubg_id": "4HPwATDgc/ABMA:cInpAAAAAAAA",
                "xgid": "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:5:10",
                "dice": [3, 1],
                "double": None,
                "cube": {"value": 1, "owner": "middle"},
                "is_crawford": False,
                "away": {"own": 5, "other": 5},
                "href": f"/matches/{_LOG}/{_MATCH}/replay#v3",
            }
        ],
        "next_cursor": None,
    },
    "getOpenings": {
        "position_id": "4HPwATDgc/ABMA",
        "matches": 1,
        "rolls": [
            {
                "dice": [3, 1],
                "games": 1,
                "replies": [
                    {
                        "play": "8/5 6/5",
                        "position_id": "sGfwATDgc/ABMA",
                        "games": 1,
                        "over": 1,
                        "won": 1,
                        "gammons_won": 0,
                        "gammons_lost": 0,
                        "points": 1,
                        "href": "/search?text=sGfwATDgc%2FABMA",
                    }
                ],
            }
        ],
    },
    "getPlayer": {
        "name": "Ann",
        "also": ["A. Berg"],
        "matches": 1,
        "won": 1,
        "lost": 0,
        "undecided": 0,
        "lengths": [{"length": 5, "matches": 1, "won": 1, "lost": 0}],
        "opponents": [{"name": "Bo", "matches": 1, "won": 1, "lost": 0}],
        "games": {"games": 3, "won": 2, "gammons_won": 1, "gammons_lost": 0},
        "cube": {
            "doubles": 2,
            "redoubles": 0,
            "taken": 1,
            "dropped": 1,
            "mean_turn": 6.5,
            "faced": 1,
            "takes": 1,
        },
        "time": {"matches": 1, "decisions": 41, "mean_ms": 11_200, "slowest_ms": 64_000},
        "skill": None,
    },
    "getHealth": {
        "status": "ok",
        "checks": [{"name": "disk", "status": "ok", "detail": "81,004 MB free"}],
        "database": "sqlite",
        "version": "0.3.0",
        "writer": {},
    },
    "getReadiness": {"ready": True},
    "getProblem": {
        "type": "/problems/version-conflict",
        "title": "The stream has moved on",
        "status": 412,
        "advice": "Read `missed`, then send again with `current_version`.",
    },
}
"""Operation id to the answer to a request that succeeds.

What is null, false, nothing or a fact above is left out: `completed` adds it by the shape.
"""

FILE_EXAMPLES: dict[str, str] = {
    "mat": " 5 point match\n\n Game 1\n Ann : 0                         Bo : 0\n  1) 31: 8/5 6/5\n",
    "sgf": "(;FF[4]GM[6]CA[UTF-8]PW[Ann]PB[Bo]MI[length:5][game:0][ws:0][bs:0];W[31hfff])\n",
    "text": "Ann - Bo, a match to 5\n",
    "html": "<!DOCTYPE html><title>Ann - Bo</title>\n",
    "jsonl": json.dumps({"body": {"length": 5}, "tag": "match.opened", "version": 1}) + "\n",
    "ndjson": json.dumps({**_RECORD, "cursor": "WzFd"}) + "\n",
}
"""Format to how a file in it begins."""

_NOTE = (
    "archive.example/logs/7f3c5a1e2b4d6f80\n5\nuVNV09o4xHXbmih6R6nrG9pS4u/RXUCIRtrykd+5YyE=\n\n"
    "\u2014 archive.example/logs/7f3c5a1e2b4d6f80 UwOQOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlT"
    "gK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=\n"
)
_PATH = "fvkAcpD5I6RmhJnVb8TLkyIoPR3jTwzoT6pAYxM8zIE="
_VKEY = (
    "archive.example/logs/7f3c5a1e2b4d6f80+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k"
)

EVIDENCE_EXAMPLES: dict[str, str] = {
    "getSignedCheckpoint": _NOTE,
    "getEntryProof": f"c2sp.org/tlog-proof@v1\nindex 4\n{_PATH}\n\n{_NOTE}",
    "getGrowthProof": f"old 4\n{_PATH}\n\n{_NOTE}",
    "getTrustPolicy": f"log {_VKEY}\nquorum none\n",
}
"""Operation id to the text that it answers."""

REQUEST_EXAMPLES: dict[str, JsonObject] = {
    "openLog": {"club night": {"title": "Nordic Open", "log_id": _LOG}},
    "openMatch": {
        "public match to 5": {
            "match_id": _MATCH,
            "entry_id": _OPENED,
            "opened": {
                "players": {"one": [{"name": "Ann"}], "two": [{"name": "Bo"}]},
                "length": 5,
                "publication": {"public": True, "delay_ms": 300_000},
            },
        }
    },
    "appendEvents": {
        "a roll and its play": {
            "entries": [
                {"entry_id": _ROLL, "tag": "dice.rolled", "body": {"seat": "one", "dice": [3, 1]}},
                {
                    "entry_id": _PLAY,
                    "tag": "play.made",
                    "body": {"seat": "one", "moves": [[8, 5], [6, 5]]},
                },
            ]
        },
        "a slip taken back": {
            "entries": [{"entry_id": _GRANT, "tag": "entry.retracted", "body": {"target": _PLAY}}]
        },
        "dice lifted early, and the delay that it costs": {
            "entries": [
                {
                    "entry_id": _ROLL,
                    "tag": "dice.lift_answered",
                    "body": {"seat": "one", "answer": "forfeit"},
                },
                {
                    "entry_id": _PLAY,
                    "tag": "clock.delay_forfeited",
                    "body": {"seat": "two", "cause": "fast_grab", "turn": "next", "waits": True},
                },
            ]
        },
        "a void throw, and the delay begun anew": {
            "entries": [
                {
                    "entry_id": _ROLL,
                    "tag": "dice.voided",
                    "body": {"seat": "one", "reason": "cocked"},
                },
                {
                    "entry_id": _PLAY,
                    "tag": "clock.delay_restarted",
                    "body": {"seat": "one", "cause": "invalid_roll"},
                },
            ]
        },
        "both reserves run out, nobody knows whose first": {
            "entries": [
                {
                    "entry_id": _ROLL,
                    "tag": "clock.flag_noticed",
                    "body": {"whose": "both", "noticed_by": "director", "gin": False},
                }
            ]
        },
        "a side to throw on permitted, and taken back": {
            "entries": [
                {
                    "entry_id": _ROLL,
                    "tag": "equipment.agreed",
                    "body": {
                        "item": "throwing_side",
                        "half": "left",
                        "allowed": "one",
                        "by": "two",
                        "until": "game",
                    },
                },
                {
                    "entry_id": _PLAY,
                    "tag": "equipment.agreement_ended",
                    "body": {"item": "throwing_side", "target": _ROLL, "by": "two"},
                },
            ]
        },
        "a warning for slow play": {
            "entries": [
                {
                    "entry_id": _ROLL,
                    "tag": "slow_play.warned",
                    "body": {"seat": "two", "remedy": "clock"},
                }
            ]
        },
        "a decision reported": {
            "entries": [
                {
                    "entry_id": _ROLL,
                    "tag": "decision.reported",
                    "body": {"to": "WBGF", "ruling": _GRANT, "by": "director"},
                }
            ]
        },
    },
    "appendDispute": {
        "a cocked die, or not": {
            "entry_id": _GRANT,
            "body": {"by": "one", "frozen_at": 3, "topic": "dice.validity"},
        }
    },
    "appendRuling": {
        "an answer to an open question": {
            "entry_id": _GRANT,
            "body": {
                "answers": [
                    {
                        "question": {"topic": "dice.validity", "at": 3, "seat": "one"},
                        "reading": "invalid",
                    }
                ],
                "references": [{"rule_set": "usbgf-2017-07", "section": "[4.1.3]"}],
            },
        }
    },
    "appendAppeal": {
        "against the ruling at 12": {
            "entry_id": _GRANT,
            "body": {"seat": "one", "target": 12, "on": "rule"},
        }
    },
    "appendVote": {
        "a member's": {
            "entry_id": _GRANT,
            "body": {"member": "b", "vote": "reverse", "appeal": 13},
        },
        "the director's": {
            "entry_id": _GRANT,
            "tag": "vote.director_cast",
            "body": {"vote": "uphold"},
        },
    },
    "appendLogEvents": {
        "a grant": {
            "entries": [
                {
                    "entry_id": _GRANT,
                    "tag": "access.granted",
                    "body": {
                        "token_sha256": _HASH,
                        "role": "scribe",
                        "scope": {"kind": "match", "match": _MATCH},
                        "holder": "Table 7",
                    },
                }
            ]
        }
    },
    "openSession": {"a token": {"token": _HASH}},
    "amendOpening": {"another table": {"changes": {"table": "9"}, "reason": "moved to the hall"}},
    "openInvitation": {"a second director": {"role": "director", "holder": "Omar Lund"}},
    "openCommittee": {
        "three members": {
            "members": [
                {"name": "Ida Berg", "independent": True},
                {"name": "Omar Lund", "independent": True},
                {"name": "Zoe Hara", "independent": True},
            ]
        }
    },
    "openSeatCode": {"for the first member": {"member": "m1"}},
    "grantCase": {"as it stands": {}, "without its score": {"hides_score": True}},
    "appendBallot": {"to reverse": {"vote": "reverse"}},
    "endSeat": {"a friend": {"reason": "a friend of the appellant"}},
    "exportPack": {"for the chair": {"to": "Ida Berg"}},
    "openPackSeals": {"all of them": {}},
    "erasePerson": {
        "what would go": {"name": "Ida Berg"},
        "for good": {"name": "Ida Berg", "confirm": "Ida Berg", "words": True},
    },
    "openPairing": {
        "for a match": {"match": _MATCH, "table": "7"},
        "for several tablets": {"uses": 12},
    },
    "claimPairing": {
        "a tablet": {
            "code": "7KQ2-MXP4",
            "device": _DEVICE,
            "epoch": 1,
            "token_sha256": _HASH,
            "public_key": "11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=",
            "label": "the one with the green cover",
        }
    },
    "approvePairing": {"for its match": {"match": _MATCH}, "for a table": {"table": "7"}},
    "appendAttendance": {
        "both are called": {"request_id": _ROLL, "acts": [{"match": _MATCH, "act": "called"}]}
    },
    "amendPlayer": {"a slip": {"request_id": _ROLL, "name": "Anna"}},
    "grantTable": {"a spare tablet": {"device": _DEVICE, "table": "7"}},
    "refusePairing": {"no": {}},
    "getRoundPreview": {"a round": {"text": _SHEET}},
    "openRound": {"a round": {"text": _SHEET, "request_id": _ROLL, "called": True}},
    "grantLease": {"a spare tablet": {"match": _MATCH, "device": _DEVICE, "takeover": True}},
    "endLease": {"the match is over": {"match": _MATCH, "reason": "match_over"}},
    "ingestDrafts": {
        "one play": {
            "items": [
                {
                    "draft": base64.b64encode(_DRAFT_BYTES).decode(),
                    "signature": None,
                    "disclosures": [],
                }
            ],
            "checkpoint_size": 4,
        }
    },
    "resolveBranch": {
        "taken over": {
            "match": _MATCH,
            "device": _DEVICE,
            "accepted": [_PLAY],
            "set_aside": [],
            "reason": "recorded before the other tablet took over",
        }
    },
    "openShadow": {"a second scribe": {"match": _MATCH, "device": _DEVICE}},
}
"""Operation id to examples of its request's body, by what they show."""


_LEFT_OUT: Any = object()


def completed(schema: Piece, schemas: Piece, said: Any = _LEFT_OUT, *, name: str = "") -> Any:
    """What is said of an answer, with every member that its schema requires besides.

    Errors: KeyError, by a required text that nothing says.
    """
    if "$ref" in schema:
        return completed(schemas[schema["$ref"].rpartition("/")[2]], schemas, said, name=name)
    if "anyOf" in schema:
        if said is _LEFT_OUT or not isinstance(said, dict | list):
            return None if said is _LEFT_OUT else said
        kind = "array" if isinstance(said, list) else "object"
        one = next(one for one in schema["anyOf"] if "$ref" in one or one["type"] == kind)
        return completed(one, schemas, said, name=name)
    if "properties" in schema:
        known = {} if said is _LEFT_OUT else said
        return known | {
            member: completed(of, schemas, known.get(member, _LEFT_OUT), name=member)
            for member, of in schema["properties"].items()
            if member in known or member in schema["required"]
        }
    if schema["type"] == "array":
        if said is _LEFT_OUT:
            return FACTS.get(name, [])
        return [completed(schema["items"], schemas, one) for one in said]
    if said is not _LEFT_OUT:
        return said
    plain = {"boolean": False, "integer": 0, "object": {}}
    return FACTS[name] if name in FACTS else schema.get("const", plain[schema["type"]])
