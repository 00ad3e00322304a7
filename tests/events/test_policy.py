"""Policies: a file says whose signatures are enough; undefined names count for nothing."""

from __future__ import annotations

import pytest

from events.errors import BadNote, Unverified
from events.sealing.notes import Kind, Note, SigningKey
from events.sealing.policy import MOST, Policy, Witness, any_of, parse_policy

LOG = SigningKey("archive.example/logs/7f3c", bytes(32))
WITNESSES = [
    SigningKey(f"witness.example/{name}", bytes([at]) * 32, kind=Kind.COSIGNATURE)
    for at, name in enumerate(("x1", "x2", "x3", "y1", "y2"), 1)
]
X1, X2, X3, Y1, Y2 = WITNESSES
TEXT = f"{LOG.verifier.name}\n1\n" + "A" * 43 + "=\n"


def note_by(*keys: SigningKey) -> Note:
    signatures = [
        key.sign(TEXT) if key is LOG else key.cosign(TEXT, seconds=1767000000) for key in keys
    ]
    return Note(TEXT, tuple(signatures))


NESTED = f"""
# Two of the three in one house, and one of the other.
log {LOG.verifier}
witness X1 {X1.verifier}
witness X2 {X2.verifier} https://witness.example/
\twitness  X3\t{X3.verifier}
group X 2 X1 X2 X3
witness Y1 {Y1.verifier}
witness Y2 {Y2.verifier}
group Y any Y1 Y2
group both all X Y
quorum both
"""


@pytest.mark.parametrize(
    ("keys", "is_enough"),
    [
        ((LOG, X1, X2, Y1), True),
        ((LOG, X1, X3, Y1, Y2), True),
        ((LOG, X1, X2), False),
        ((LOG, X1, Y1), False),
        ((LOG,), False),
        ((X1, X2, Y1), False),
    ],
)
def test_a_quorum_of_groups_is_counted(keys: tuple[SigningKey, ...], is_enough: bool) -> None:
    policy = parse_policy(NESTED)
    if is_enough:
        assert len(policy.check(note_by(*keys))) == len(keys) - 1
    else:
        with pytest.raises(Unverified):
            policy.check(note_by(*keys))


def test_a_policy_is_written_as_it_is_read() -> None:
    policy = parse_policy(NESTED)
    assert parse_policy(str(policy)) == policy


def test_a_false_cosignature_is_none_and_spoils_no_other() -> None:
    note = note_by(LOG, X1)
    false = X2.cosign("another text\n", seconds=1)
    policy = any_of([LOG.verifier], [Witness(k.verifier.name, k.verifier) for k in (X1, X2)])
    assert policy.check(note.with_signatures([false])) == ["witness.example/x1"]
    with pytest.raises(Unverified):
        policy.check(note_by(LOG).with_signatures([false]))


def test_without_witnesses_the_log_is_enough() -> None:
    policy = any_of([LOG.verifier], [])
    assert str(policy) == f"log {LOG.verifier}\nquorum none\n"
    assert policy.check(note_by(LOG)) == []
    with pytest.raises(Unverified):
        policy.check(note_by(X1))


@pytest.mark.parametrize(
    "text",
    [
        "",
        f"log {LOG.verifier}\n",
        "quorum none\nquorum none\n",
        "quorum X1\n",
        f"log {LOG.verifier}\nlog {LOG.verifier}\nquorum none\n",
        f"log {X1.verifier}\nquorum none\n",
        f"witness none {X1.verifier}\nquorum none\n",
        f"witness X1 {LOG.verifier}\nquorum X1\n",
        f"witness X1 {X1.verifier} https://a https://b\nquorum X1\n",
        f"witness X1 {X1.verifier}\nwitness X2 {X1.verifier}\nquorum X1\n",
        f"witness X1 {X1.verifier}\ngroup X1 any X1\nquorum X1\n",
        f"witness X1 {X1.verifier}\ngroup G 2 X1\nquorum G\n",
        f"witness X1 {X1.verifier}\ngroup G 0 X1\nquorum G\n",
        f"witness X1 {X1.verifier}\ngroup G some X1\nquorum G\n",
        f"witness X1 {X1.verifier}\ngroup G \u0661 X1\nquorum G\n",
        f"witness X1 {X1.verifier}\ngroup G all X1 X1\nquorum G\n",
        f"witness X1 {X1.verifier}\ngroup G any X1\ngroup H any X1\nquorum G\n",
        "group G any\nquorum G\n",
        "log nonsense\nquorum none\n",
        "believe everybody\nquorum none\n",
    ],
)
def test_what_is_no_policy_is_refused(text: str) -> None:
    with pytest.raises(BadNote):
        parse_policy(text)


def test_a_policy_names_a_bounded_number_of_logs_and_witnesses() -> None:
    keys = [bytes([at]) * 32 for at in range(1, MOST + 2)]
    logs = [f"log {SigningKey('log', key).verifier}" for key in keys]
    seen = [SigningKey("w", key, kind=Kind.COSIGNATURE).verifier for key in keys]
    witnesses = [f"witness W{at} {key}" for at, key in enumerate(seen)]
    for lines in (logs, witnesses):
        parse_policy("\n".join([*lines[:MOST], "quorum none\n"]))
        with pytest.raises(BadNote, match="too many"):
            parse_policy("\n".join([*lines, "quorum none\n"]))


def test_a_refusal_names_the_line() -> None:
    with pytest.raises(BadNote, match="line 2"):
        parse_policy(f"log {LOG.verifier}\nbelieve everybody\nquorum none\n")


def test_a_policy_of_nobody_believes_what_its_caller_has_checked() -> None:
    assert Policy((), quorum="none").check(note_by(X1)) == []
