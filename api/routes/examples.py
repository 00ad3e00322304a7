"""One example for every request and answer of the API; a test holds them to their shapes."""

from __future__ import annotations

import json
from typing import Any

_HASH = "78d1cae3f1ba073a3b0817a2225d3eea764158c192aeab1e6c7ed5e5293bd1e6"
_ROOT = "a632e3ef6a9bcb02d3e646359b84d653e3ce8ec3d4b806f7f1ec75caae9eed93"
_NAME = "b01462b1c663cb29e1ebfba7f312a79be6c2568aa5560f1f40b7034becc917ae"
_OPENED = "e7cb1e4a-915b-429a-851b-769b0ccf7c5c"
_ROLL = "0c6ed1f2-1574-4e44-9593-a3b054c32654"
_PLAY = "6125cbe7-5268-4094-bb34-630fb9054a77"
_GRANT = "f89c0e23-80f0-4730-ba5d-0194e88293a1"
_LOG = "nordic-open-2026"
_MATCH = "r3-t07-9c41"

_START = [0, 0, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0]
_AFTER_31 = [0, 0, 0, 0, 0, 2, 4, 0, 2, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0]
_CUBE = {"value": 1, "owner": None, "offered_by": None}
_SCORE = {"one": 0, "two": 0}

_LOG_OUT = {"log_id": _LOG, "title": "Nordic Open", "size": 5, "root": _ROOT, "matches": 1}
_VIEW = {
    "log_id": _LOG,
    "match_id": _MATCH,
    "version": 4,
    "rule_set": "common",
    "as_recorded": False,
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
_FINDING = {
    "code": "illegal-play",
    "rule_set": "common",
    "section": "Movement",
    "version": 4,
    "seat": "one",
    "message": "8/4 6/5 is not a legal play of 3-1",
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

_RECORD = {
    **{name: _SUMMARY[name] for name in ("log_id", "match_id", "version", "players", "event")},
    **{name: _SUMMARY[name] for name in ("date", "length", "score", "state", "rule_set", "source")},
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
_QUESTION = {
    "topic": "match-length.outcome",
    "at": _ROLL,
    "version": 3,
    "seat": None,
    "message": "found in game 1: 7 points posted, 5 played to",
    "rule_set": "biba-2014",
    "section": "4.10",
    "ambiguity": None,
    "reason": "silent",
    "readings": ["complete", "stop", "replay"],
    "lean": None,
    "suggest": None,
    "answered": {"version": 4, "reading": "complete", "at_ms": None},
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
    "exportMatch": _RECORD,
    "exportMatchAsAccepted": _RECORD,
    "exportMatches": None,
    "followMatch": 'id: 4\nevent: entry\ndata: {"version":4,"tag":"play.made"}\n\n',
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
}
"""Operation id to examples of its request's body, by what they show."""
