"""One example for every request and answer of the API; a test holds them to their shapes."""

from __future__ import annotations

import base64
import hashlib
import json
from typing import Any

from projections.folding.sayings import said, worded

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
    "pairing_id": _PAIRING,
    "state": "waiting",
    "code": None,
    "match_id": _MATCH,
    "table": "7",
    "expires_at": _NOW + 600_000,
    "device": _DEVICE,
    "label": "the one with the green cover",
    "epoch": 1,
    "has_key": True,
    "fingerprint": _WORDS,
    "grant_id": None,
    "lease": None,
    "uses": 1,
    "uses_left": 0,
}
_ENTRANT = {
    "player": "p-0417",
    "name": "Ann",
    "club": "Oslo",
    "federation_id": None,
    "penalty_points": 1,
}
_PERSON = {
    "key": "2.one.0",
    "name": "Ann",
    "player": "p-0417",
    "is_new": False,
    "penalty_points": 1,
    "candidates": [],
}
_SHEET = "round,table,player 1,player 2,length\n3,7,Ann,Bo,5\n"
_LEASE = {"match_id": _MATCH, "lease": 2, "device": _DEVICE, "entry_id": _GRANT}
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
    "match_id": None,
    "expires_at": _NOW + 3_600_000,
}
_PARKED = {
    "match_id": _MATCH,
    "device": _DEVICE,
    "state": "open",
    "items": [
        {
            "journal_id": 4,
            "entry_id": _PLAY,
            "tag": "play.made",
            "body": _DRAFT["body"],
            "disclosures": {},
            "occurred_at": _NOW - 900_000,
            "received_at": _NOW,
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
_CUBE = {"value": 1, "owner": None, "offered_by": None}
_SCORE = {"one": 0, "two": 0}

_CLOCK_TERMS = {"kind": "simple", "reserve_ms": 600_000, "delay_ms": 12_000}
_TOURNAMENT_OUT = {
    "version": 4,
    "title": "Nordic Open",
    "organiser": None,
    "place": "Bergen",
    "starts_on": "2026-05-01",
    "ends_on": "2026-05-03",
    "rule_set": "usbgf-2017-07",
    "options": {"moves_policy": {"value": "legal", "declared_by": "director"}},
    "is_closed": False,
    "defaults": {
        "length": 7,
        "rule_set": "usbgf-2017-07",
        "options": {"moves_policy": {"value": "legal", "declared_by": "director"}},
        "clock_terms": _CLOCK_TERMS,
        "publication": {"public": True, "delay_ms": 300_000},
    },
}
_LOG_OUT = {
    "log_id": _LOG,
    "title": "Nordic Open",
    "size": 5,
    "root": _ROOT,
    "matches": 1,
    "tournament": _TOURNAMENT_OUT,
}
_VIEW = {
    "log_id": _LOG,
    "match_id": _MATCH,
    "version": 4,
    "rule_set": "common",
    "as_recorded": False,
    "held_back": None,
    "awaits_ruling": False,
}
_SUMMARY = {
    "log_id": _LOG,
    "match_id": _MATCH,
    "version": 4,
    "players": {"one": ["Ann"], "two": ["Bo"]},
    "event": None,
    "date": None,
    "length": 5,
    "score": _SCORE,
    "games": 0,
    "state": "live",
    "winner": None,
    "is_public": True,
    "delay_ms": 0,
    "findings": 0,
    "open_questions": 0,
    "rule_set": None,
    "source": None,
    "awaits_ruling": False,
}
_PLACE = {"entry_id": _ROLL, "version": 3, "global_position": 3, "leaf_hash": _HASH}
_RECORDED = {
    "version": 4,
    "entries": [_PLACE, {**_PLACE, "entry_id": _PLAY, "version": 4, "global_position": 4}],
    "duplicate": False,
}
_ENTRY = {
    "version": 1,
    "global_position": 1,
    "tag": "match.opened",
    "schema": 1,
    "entry_id": _OPENED,
    "basis": "observed",
    "body": {"length": 5, "players": {"one": [{"name": {"sd": _NAME}}], "two": []}},
    "leaf_hash": _HASH,
    "context": None,
    "disclosures": {_NAME: "Ann"},
}
_ILLEGAL = said("{play} with {dice}: {why}", play="8/4 6/5", dice="31", why=worded("not-the-dice"))
_FINDING = {
    "code": "illegal-play",
    "rule_set": "common",
    "section": "Movement",
    "version": 4,
    "seat": "one",
    "message": str(_ILLEGAL),
    "said": _ILLEGAL.as_json(),
    "severity": "irregularity",
    "ambiguity": None,
    "verified": True,
    "ruling_required": None,
    "answered_by": None,
}
_OUTCOME: dict[str, Any] = {
    "winner": None,
    "by": None,
    "rule_set": None,
    "section": None,
    "version": None,
    "questions": [],
}
_LINE = {
    "version": 4,
    "tag": "play.made",
    "seat": "one",
    "dice": None,
    "play": "8/5 6/5",
    "checkers": {"one": _AFTER_31, "two": _START},
    "position_id": "sGfwATDgc/ABMA",
    "score": _SCORE,
    "cube": _CUBE,
    "on_roll": "two",
    "to_act": "two",
    "turn_open": "one",
    "clock": None,
    "findings": [],
}
_AT_MATCH = {"log_id": _LOG, "match_id": _MATCH, "version": 4}
_TURN = {
    "game": 1,
    "turn": 1,
    "seat": "one",
    "version": 4,
    "dice": "31",
    "play": "8/5 6/5",
    "cube": [],
    "won": None,
    "checkers": {"one": _AFTER_31, "two": _START},
}
_SCENE = {
    **_LINE,
    "entry_id": _PLAY,
    "basis": "observed",
    "at_ms": 12_000,
    "status": "stands",
    "corrected_by": None,
    "was": None,
    "target": None,
    "facts": {"play": "8/5 6/5", "dice": "31"},
    "people": {"seat": "one"},
    "game": 1,
    "turn": 1,
    "turn_of": "one",
    "awaits": "roll",
    "lying": {"seat": "one", "dice": [3, 1]},
    "before": {"one": _START, "two": _START},
    "frames": [
        {"play": "8/5", "from": 8, "to": 5, "checkers": {"one": _AFTER_31, "two": _START}},
        {"play": "6/5", "from": 6, "to": 5, "checkers": {"one": _AFTER_31, "two": _START}},
    ],
    "marks": [],
    "is_disputed": False,
    "pips": None,
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
    "posted to {correct}, played to {wrong}, {score}: {answer}",
    correct=7,
    wrong=5,
    score="1-0",
    answer=said("what becomes of the match is for a person to decide"),
)
_QUESTION = {
    "topic": "match-length.outcome",
    "at": _ROLL,
    "version": 3,
    "seat": None,
    "message": str(_WRONG_LENGTH),
    "said": _WRONG_LENGTH.as_json(),
    "rule_set": "biba-2014",
    "section": "4.10",
    "ambiguity": None,
    "reason": "silent",
    "readings": ["complete", "stop", "replay"],
    "lean": None,
    "suggest": None,
    "leaning": None,
    "answered": {"version": 4, "reading": "complete", "at_ms": None},
    "attention": "answered",
    "left": None,
}
_ANSWER: dict[str, Any] = {
    "outcome": "points",
    "section": "2.3",
    "details": {"points": 1},
    "ambiguity": None,
    "reason": None,
    "readings": [],
    "lean": None,
    "suggest": None,
    "verified": True,
    "ruled_at": None,
    "also": {},
}
_STANDS = {**_ANSWER, "outcome": "ruling_stands", "section": "6.3", "details": {}}
_ACCOUNT = {"delays": [], "breaks": [], "is_away": False, "assessed": [], "answer": None}

EXAMPLES: dict[str, Any] = {
    "openLog": {**_LOG_OUT, "size": 1, "matches": 0},
    "listLogs": {"logs": [_LOG_OUT], "next_cursor": None},
    "getLog": _LOG_OUT,
    "getCheckpoint": {"size": 5, "root": _ROOT},
    "getInclusionProof": {
        "entry": 4,
        "size": 5,
        "leaf_hash": _HASH,
        "root": _ROOT,
        "hashes": [_ROOT],
    },
    "getConsistencyProof": {"from": 4, "to": 5, "root": _ROOT, "hashes": [_HASH]},
    "openMatch": {
        **_PLACE,
        "log_id": _LOG,
        "match_id": _MATCH,
        "entry_id": _OPENED,
        "version": 1,
        "global_position": 1,
        "duplicate": False,
    },
    "listMatches": {"matches": [_SUMMARY], "next_cursor": None},
    "getMatch": _SUMMARY,
    "appendEvents": _RECORDED,
    "appendLogEvents": {**_RECORDED, "version": 3, "entries": [{**_PLACE, "entry_id": _GRANT}]},
    "listEvents": {"version": 4, "entries": [_ENTRY], "next_after": 1},
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
        "next_after": None,
    },
    **{
        name: {**_RECORDED, "version": 3, "entries": [_PLACE]}
        for name in ("appendDispute", "appendRuling", "appendAppeal", "appendVote")
    },
    "getScenes": {
        **_VIEW,
        "length": 5,
        "is_trusted": False,
        "scenes": [_SCENE],
        "games": [{"number": 1, "version": 2, "score": _SCORE, "crawford": False, "result": None}],
        "disputes": [{"version": 9, "frozen": 8, "topic": "dice.validity"}],
        "questions": [],
        "corrections": [],
        "contrasts": [],
        "captions": {"nordic-2026": {"4.2": "illegal plays"}},
    },
    "getLegalPlays": {
        **_AT_MATCH,
        "seat": "one",
        "dice": [3, 1],
        "plays": ["8/5 6/5", "24/23 13/10"],
        "played": "8/5 6/5",
        "is_legal": True,
    },
    "getAlignment": {
        **_AT_MATCH,
        "with": "r3-t07-shadow",
        "rows": [
            {
                "first": _TURN,
                "second": {**_TURN, "play": "24/23 13/10"},
                "differs": ["play"],
            }
        ],
        "first_divergence": 0,
        "sheets": [
            {
                "game": 1,
                "computed": {"one": 1, "two": 0},
                "noted": {"one": {"score": {"one": 1, "two": 0}, "version": 60}, "two": None},
                "differs": [],
            }
        ],
        "records": ["r3-t07-shadow"],
    },
    "listProvenance": {
        **_AT_MATCH,
        "is_context_shown": True,
        "entries": [
            {
                "version": 4,
                "entry_id": _PLAY,
                "global_position": 4,
                "leaf_hash": _HASH,
                "basis": "observed",
                "is_known": True,
                "recorded_by": _GRANT,
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
    "getReplay": {**_VIEW, "lines": [_LINE], "questions": []},
    "getPosition": {
        **_VIEW,
        "checkers": {"one": _AFTER_31, "two": _START},
        "position_id": "sGfwATDgc/ABMA",
        "cube": _CUBE,
        "on_roll": "two",
        "to_act": "two",
        "turn_open": "one",
        "dice": None,
        "awaits": "roll",
    },
    "getScore": {
        **_VIEW,
        "score": _SCORE,
        "length": 5,
        "crawford": "before",
        "game_number": 1,
        "games": [],
        "winner": None,
        "has_ended": False,
        "outcome": _OUTCOME,
    },
    "getClock": {
        **_VIEW,
        "clock": {
            "reserve_ms": {"one": 600_000, "two": 594_000},
            "running": "one",
            "kind": "simple",
            "delay_ms": 12_000,
            "paused": None,
            "fallen": {"one": False, "two": False},
        },
    },
    "getPenalties": {
        **_VIEW,
        "rule_set": "biba-2014",
        "points": {"one": 1, "two": 0},
        "entering": _SCORE,
        "undecided": {"one": 1, "two": 0},
        "scores": {"apart": _SCORE, "entered": {"one": 0, "two": 1}},
        "forfeited": None,
        "allowance": None,
        "accounts": {
            "one": {
                **_ACCOUNT,
                "delays": [{"kind": "start", "ms": 480_000}],
                "answer": _ANSWER,
            },
            "two": _ACCOUNT,
        },
    },
    "getMatchLength": {
        **_VIEW,
        "rule_set": "biba-2014",
        "posted": 7,
        "draw_sheet": None,
        "believed": [{"version": 2, "seat": "one", "length": 5}],
        "found": [
            {
                "version": 3,
                "wrong": 5,
                "correct": 7,
                "during_game": True,
                "knowingly": None,
                "found_by": "two",
            }
        ],
        "awaits_end": False,
        "answer": {**_ANSWER, "outcome": "complete", "section": "4.10", "ruled_at": 4},
    },
    "getWindows": {
        **_VIEW,
        "windows": [
            {
                "what": "play",
                "entry": 4,
                "seat": "one",
                "state": "open",
                "must": False,
                "may": True,
                "by": "opponent",
                "until": "next_roll",
                "section": "[4.2.1]",
                "rule_set": "usbgf-2017-07",
                "closed_by": None,
            }
        ],
    },
    "getAppeals": {
        **_VIEW,
        "rule_set": "biba-2014",
        "appeals": [
            {
                "version": 5,
                "seat": "two",
                "is_admitted": True,
                "is_refused": False,
                "has_committee": True,
                "director_may_vote": False,
                "size": 3,
                "ballots": [
                    {"member": "m1", "vote": "reverse", "proposal": None},
                    {"member": "m2", "vote": "reverse", "proposal": None},
                    {"member": "m3", "vote": "uphold", "proposal": None},
                ],
                "director": None,
                "result": _STANDS,
                "announced": "upheld",
                "answer": _STANDS,
            }
        ],
    },
    "getFindings": {
        **_VIEW,
        "findings": [_FINDING],
        "questions": [_QUESTION],
        "open_questions": 0,
    },
    "openPairing": {
        "pairing_id": _PAIRING,
        "code": "7KQ2-MXP4",
        "url": "https://tabularium.example/tablet?code=7KQ2MXP4",
        "qr_svg": "<svg xmlns='http://www.w3.org/2000/svg'/>",
        "unreachable": None,
        "expires_at": _NOW + 600_000,
        "uses": 1,
    },
    "getOpening": {
        "log_id": _LOG,
        "match_id": _MATCH,
        "version": 4,
        "entry_id": _OPENED,
        "is_amended": False,
        "cancelled_by": None,
        "players": {"one": ["Ann"], "two": ["Bo"]},
        "event": None,
        "round": "3",
        "table": "7",
        "division": None,
        "place": None,
        "date": None,
        "appointed_start": None,
        "length": 5,
        "rule_set": "usbgf-2017-07",
        "options": {},
        "clock_terms": _CLOCK_TERMS,
        "is_public": True,
        "delay_ms": 300_000,
    },
    "amendOpening": {**_RECORDED, "version": 5, "entries": [{**_PLACE, "version": 5}]},
    "listRoles": {
        "log_id": _LOG,
        "grants": [
            {
                "grant_id": _GRANT,
                "role": "director",
                "kind": "log",
                "match_id": None,
                "device": None,
                "holder": "Ida Berg",
                "granted_at": _NOW - 86_400_000,
                "last_used_at": _NOW,
                "is_own": True,
            }
        ],
        "invitations": [_INVITATION],
        "may_grant": ["director", "scribe", "committee", "viewer"],
        "may_grant_all": [],
    },
    "openInvitation": {
        **_INVITATION,
        "url": "https://tabularium.example/session?code=7KQ2MXP4",
        "qr_svg": "<svg xmlns='http://www.w3.org/2000/svg'/>",
        "unreachable": None,
    },
    "claimPairing": {
        "pairing_id": _PAIRING,
        "log_id": _LOG,
        "match_id": _MATCH,
        "fingerprint": _WORDS,
    },
    "getPairing": {
        "state": "approved",
        "log_id": _LOG,
        "match_id": _MATCH,
        "device": _DEVICE,
        "epoch": 1,
        "fingerprint": _WORDS,
    },
    "listPairings": {"pairings": [_PAIRING_OUT]},
    "approvePairing": {
        "state": "approved",
        "grant_id": _GRANT,
        "device": _DEVICE,
        "epoch": 1,
        "match_id": _MATCH,
        "lease": 1,
    },
    "refusePairing": {**_PAIRING_OUT, "state": "refused"},
    "grantLease": _LEASE,
    "grantTable": {"device": _DEVICE, "table": "7", "matches": [_MATCH]},
    "endLease": {"match_id": _MATCH, "lease": 2, "device": _DEVICE, "reason": "match_over"},
    "openShadow": {**_LEASE, "match_id": f"{_MATCH}-b", "lease": 1, "shadow_of": _MATCH},
    "getAssignment": {
        "device": _DEVICE,
        "epoch": 1,
        "leases": [
            {
                "match_id": _MATCH,
                "lease": 2,
                "shadow_of": None,
                "profile": "no_assist",
                "is_over": False,
                "terms": {
                    "crawford": True,
                    "jacoby": False,
                    "void_cube_acts": ["cube-in-crawford-game"],
                    "known": {
                        "version": 1,
                        "score": {"one": 0, "two": 0},
                        "entered": {"one": 0, "two": 0},
                        "winner": None,
                        "by": None,
                        "rule_set": None,
                        "section": None,
                        "is_flag_open": False,
                    },
                },
            }
        ],
        "streams": {_MATCH: {"version": 4, "head": _HASH}},
        "cursor": {"last_seq": 3, "last_hash": _ROOT},
        "server_time_ms": _NOW,
    },
    "ingestDrafts": {
        "results": [
            {
                "outcome": "accepted",
                "reason": None,
                "global_position": 4,
                "version": 4,
                "entry_id": _PLAY,
            }
        ],
        "streams": {_MATCH: {"version": 4, "head": _HASH}},
        "cursor": {"last_seq": 4, "last_hash": hashlib.sha256(_DRAFT_BYTES).hexdigest()},
        "server_time_ms": _NOW,
        "checkpoint": {"size": 5, "root": _ROOT},
        "consistency": {"from": 4, "hashes": [_HASH]},
    },
    "listBranches": {"branches": [_PARKED]},
    "resolveBranch": {
        "match_id": _MATCH,
        "device": _DEVICE,
        "entry_id": _OPENED,
        "entries": [{"entry_id": _PLAY, "version": 5, "global_position": 9, "leaf_hash": _HASH}],
        "duplicate": False,
    },
    "putFile": {"sha256": _FILE, "size": 4, "content_type": "image/jpeg"},
    "getRoundPreview": {
        "kind": "pairings",
        "columns": ["round", "table", "one", "two", "length"],
        "ignored": [],
        "faults": [],
        "lines": [
            {
                "line": 2,
                "kind": "match",
                "round": "3",
                "table": "7",
                "is_table_filled": False,
                "one": [{**_PERSON, "key": "2.one.0"}],
                "two": [
                    {
                        "key": "2.two.0",
                        "name": "Bo",
                        "player": None,
                        "is_new": True,
                        "penalty_points": 0,
                        "candidates": [],
                    }
                ],
                "length": 5,
                "start": None,
                "details": {},
                "faults": [],
            }
        ],
        "errors": 0,
        "new_players": 1,
        "next_round": "3",
    },
    "openRound": {
        "matches": [_MATCH],
        "players": 1,
        "byes": [],
        "tablets": 1,
        "duplicate": False,
    },
    "appendAttendance": {"recorded": 2},
    "amendPlayer": {
        "player": "p-0417",
        "name": "Anna",
        "matches": [_MATCH],
        "duplicate": False,
    },
    "listResults": {
        "log_id": _LOG,
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
                "called": [],
            }
        ],
    },
    "listPlayers": {
        "players": [{**_ENTRANT, "matches": 2}],
        "byes": [{"entry_id": _PLAY, "round": "2", "players": ["p-0417"], "names": ["Ann"]}],
        "next_round": "3",
    },
    "getRoom": {
        "log_id": _LOG,
        "title": "Nordic Open",
        "tournament": _TOURNAMENT_OUT,
        "server_time_ms": _NOW,
        "tables": [
            {
                "match_id": _MATCH,
                "table": "7",
                "names": _NAMES,
                "length": 5,
                "score": _SCORE,
                "games": 0,
                "state": "live",
                "rule_set": "usbgf-2017-07",
                "clock": {
                    "reserve_ms": {"one": 600_000, "two": 594_000},
                    "running": "one",
                    "flag": None,
                    "delay_ms": 12_000,
                    "paused": None,
                    "pause_reason": None,
                    "kind": "simple",
                    "running_since": _NOW - 4_000,
                    "time_zero": _NOW - 604_000,
                    "since_elapsed_ms": 0,
                    "turn_reserve_ms": 600_000,
                },
                "on_roll": "two",
                "to_act": "two",
                "last": {
                    "version": 4,
                    "tag": "play.made",
                    "seat": "one",
                    "dice": None,
                    "play": "8/5 6/5",
                    "received_at": _NOW,
                },
                "lease": {"number": 2, "device": _DEVICE, "profile": "no_assist"},
                "device": {"id": _DEVICE, "seen_at": _NOW, "unsent": 0},
                "shadows": [],
                "questions": 0,
                "notes": 0,
                "windows": 0,
                "penalties": _SCORE,
                "lost_on_time": None,
                "parked": 0,
                "dispute": None,
                "notices": [],
                "confirmations": {"one": None, "two": None},
                "is_public": True,
                "late": None,
                "no_show": None,
                "round": "3",
                "called": [],
                "tally": _SCORE,
            }
        ],
        "calls": [
            {
                "match_id": _MATCH,
                "version": 4,
                "entry_id": _PLAY,
                "at_ms": 61_000,
                "received_at": _NOW,
                "by": "one",
                "about": None,
                "reason": None,
                "answered": False,
                "parked": False,
            }
        ],
        "pairings": [],
        "devices": [
            {
                "id": _DEVICE,
                "epoch": 1,
                "has_key": True,
                "fingerprint": _WORDS,
                "grant_id": _GRANT,
                "matches": [_MATCH],
                "table": "7",
                "seen_at": _NOW,
                "unsent": 0,
            }
        ],
        "grants": [
            {
                "grant_id": _GRANT,
                "role": "scribe",
                "kind": "log",
                "match_id": None,
                "device": _DEVICE,
                "holder": "the one with the green cover",
            }
        ],
        "results": [],
        "byes": [],
        "appeals": [],
    },
    "exportMatch": _RECORD,
    "exportMatchAsAccepted": _RECORD,
    "exportMatches": None,
    "followMatch": 'id: 4\nevent: entry\ndata: {"version":4,"tag":"play.made"}\n\n',
    "getNamedPosition": {
        "checkers": {"one": [*_START], "two": [*_START]},
        "on_roll": "one",
        "cube": None,
        "dice": None,
    },
    "getHealth": {
        "status": "ok",
        "database": "sqlite",
        "version": "0.1.0",
        "writer": {"waiting": 0},
        "followers": 0,
    },
    "getProblem": {
        "type": "/problems/version-conflict",
        "title": "The stream has moved on",
        "status": 412,
        "advice": "Read `missed`, then send again with `current_version`.",
    },
}
"""Operation id to the answer to a request that succeeds."""

FILE_EXAMPLES: dict[str, str] = {
    "mat": " 5 point match\n\n Game 1\n Ann : 0                         Bo : 0\n  1) 31: 8/5 6/5\n",
    "sgf": "(;FF[4]GM[6]CA[UTF-8]PW[Ann]PB[Bo]MI[length:5][game:0][ws:0][bs:0];W[31hfff])\n",
    "text": "Ann - Bo, a match to 5\n",
    "html": "<!doctype html><title>Ann - Bo</title>\n",
    "jsonl": json.dumps({"body": {"length": 5}, "tag": "match.opened", "version": 1}) + "\n",
    "ndjson": json.dumps({**_RECORD, "cursor": "WzFd"}) + "\n",
}
"""Format to how a file in it begins."""

REQUEST_EXAMPLES: dict[str, dict[str, Any]] = {
    "openLog": {"club night": {"value": {"title": "Nordic Open", "log_id": _LOG}}},
    "openMatch": {
        "public match to 5": {
            "value": {
                "match_id": _MATCH,
                "entry_id": _OPENED,
                "opened": {
                    "players": {"one": [{"name": "Ann"}], "two": [{"name": "Bo"}]},
                    "length": 5,
                    "publication": {"public": True, "delay_ms": 300_000},
                },
            }
        }
    },
    "appendEvents": {
        "a roll and its play": {
            "value": {
                "entries": [
                    {
                        "entry_id": _ROLL,
                        "tag": "dice.rolled",
                        "body": {"seat": "one", "dice": [3, 1]},
                    },
                    {
                        "entry_id": _PLAY,
                        "tag": "play.made",
                        "body": {"seat": "one", "moves": [[8, 5], [6, 5]]},
                    },
                ]
            }
        },
        "a slip taken back": {
            "value": {
                "entries": [
                    {"entry_id": _GRANT, "tag": "entry.retracted", "body": {"target": _PLAY}}
                ]
            }
        },
    },
    "appendDispute": {
        "a cocked die, or not": {
            "value": {
                "entry_id": _GRANT,
                "body": {"by": "one", "frozen_at": 3, "topic": "dice.validity"},
            }
        }
    },
    "appendRuling": {
        "an answer to an open question": {
            "value": {
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
        }
    },
    "appendAppeal": {
        "against the ruling at 12": {
            "value": {"entry_id": _GRANT, "body": {"seat": "one", "target": 12}}
        }
    },
    "appendVote": {
        "a member's": {
            "value": {
                "entry_id": _GRANT,
                "body": {"member": "b", "vote": "reverse", "appeal": 13},
            }
        },
        "the director's": {
            "value": {
                "entry_id": _GRANT,
                "tag": "vote.director_cast",
                "body": {"vote": "uphold"},
            }
        },
    },
    "appendLogEvents": {
        "a grant": {
            "value": {
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
        }
    },
    "openSession": {"a token": {"value": {"token": _HASH}}},
    "amendOpening": {
        "another table": {"value": {"changes": {"table": "9"}, "reason": "moved to the hall"}}
    },
    "openInvitation": {"a committee": {"value": {"role": "committee", "holder": "Omar Lund"}}},
    "openPairing": {
        "for a match": {"value": {"match": _MATCH, "table": "7"}},
        "for several tablets": {"value": {"uses": 12}},
    },
    "claimPairing": {
        "a tablet": {
            "value": {
                "code": "7KQ2-MXP4",
                "device": _DEVICE,
                "epoch": 1,
                "token_sha256": _HASH,
                "public_key": "11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=",
                "label": "the one with the green cover",
            }
        }
    },
    "approvePairing": {
        "for its match": {"value": {"match": _MATCH}},
        "for a table": {"value": {"table": "7"}},
    },
    "appendAttendance": {
        "both are called": {
            "value": {"request_id": _ROLL, "acts": [{"match": _MATCH, "act": "called"}]}
        }
    },
    "amendPlayer": {"a slip": {"value": {"request_id": _ROLL, "name": "Anna"}}},
    "grantTable": {"a spare tablet": {"value": {"device": _DEVICE, "table": "7"}}},
    "refusePairing": {"no": {"value": {}}},
    "getRoundPreview": {"a round": {"value": {"text": _SHEET}}},
    "openRound": {"a round": {"value": {"text": _SHEET, "request_id": _ROLL, "called": True}}},
    "grantLease": {
        "a spare tablet": {"value": {"match": _MATCH, "device": _DEVICE, "takeover": True}}
    },
    "endLease": {"the match is over": {"value": {"match": _MATCH, "reason": "match_over"}}},
    "ingestDrafts": {
        "one play": {
            "value": {
                "items": [
                    {
                        "draft": base64.b64encode(_DRAFT_BYTES).decode(),
                        "signature": None,
                        "disclosures": [],
                    }
                ],
                "checkpoint_size": 4,
            }
        }
    },
    "resolveBranch": {
        "taken over": {
            "value": {
                "match": _MATCH,
                "device": _DEVICE,
                "accepted": [_PLAY],
                "set_aside": [],
                "reason": "recorded before the other tablet took over",
            }
        }
    },
    "openShadow": {"a second scribe": {"value": {"match": _MATCH, "device": _DEVICE}}},
}
"""Operation id to examples of its request's body, by what they show."""
