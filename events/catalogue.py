"""The one list of event types, tag@version to payload, and the way from bytes to payload and back.

Tags are listed by hand: greppable, and never derived from the name of a class or a module.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple, Protocol, Union

import msgspec
from msgspec import inspect as shape

from events.envelope import Basis, RecordedEvent, StoredEvent
from events.errors import BadBody, BadInput, Damaged, UnknownTag
from events.payloads import (
    access,
    appeal,
    attendance,
    clock,
    corrections,
    cube,
    custody,
    dice,
    dispute,
    ending,
    equipment,
    film,
    match,
    penalty,
    play,
    tournament,
)
from events.payloads.base import Payload
from events.payloads.corrections import EntryAmended
from events.personal import Commitment
from events.upcasters import upcast


class Kind(NamedTuple):
    """One event type at its current version."""

    tag: str
    """Its name on the wire: noun.verb_past."""
    schema: int
    """Current version of its body; older ones are read through the upcasters."""
    payload: type[Payload]
    """The class that validates, decodes and describes the body."""


KINDS: tuple[Kind, ...] = (
    Kind("tournament.opened", 1, tournament.TournamentOpened),
    Kind("tournament.described", 1, tournament.TournamentDescribed),
    Kind("tournament.defaults_declared", 1, tournament.TournamentDefaultsDeclared),
    Kind("tournament.rules_declared", 1, tournament.TournamentRulesDeclared),
    Kind("tournament.rules_varied", 1, tournament.TournamentRulesVaried),
    Kind("player.registered", 1, tournament.PlayerRegistered),
    Kind("player.unregistered", 1, tournament.PlayerUnregistered),
    Kind("player.joined", 1, tournament.PlayerJoined),
    Kind("player.split", 1, tournament.PlayerSplit),
    Kind("bye.given", 1, tournament.ByeGiven),
    Kind("bye.withdrawn", 1, tournament.ByeWithdrawn),
    Kind("tournament.closed", 1, tournament.TournamentClosed),
    Kind("tournament.reopened", 1, tournament.TournamentReopened),
    Kind("access.granted", 1, access.AccessGranted),
    Kind("access.seated", 1, access.AccessSeated),
    Kind("access.case_opened", 1, access.AccessCaseOpened),
    Kind("access.revoked", 1, access.AccessRevoked),
    Kind("match.opened", 1, match.MatchOpened),
    Kind("match.length_believed", 1, match.MatchLengthBelieved),
    Kind("match.length_error_found", 1, match.MatchLengthErrorFound),
    Kind("match.deciding_game_ordered", 1, match.DecidingGameOrdered),
    Kind("match.ended", 1, match.MatchEnded),
    Kind("match.cancelled", 1, match.MatchCancelled),
    Kind("game.started", 1, match.GameStarted),
    Kind("game.won", 1, match.GameWon),
    Kind("score.noted", 1, match.ScoreNoted),
    Kind("result.reported", 1, match.ResultReported),
    Kind("result.posted", 1, match.ResultPosted),
    Kind("result.corrected", 1, match.ResultCorrected),
    Kind("match.next_started", 1, match.MatchNextStarted),
    Kind("score.stated", 1, match.ScoreStated),
    Kind("equipment.agreed", 2, equipment.EquipmentAgreed),
    Kind("equipment.agreement_ended", 1, equipment.AgreementEnded),
    Kind("equipment.changed", 1, equipment.EquipmentChanged),
    Kind("preference.rolled", 1, equipment.PreferenceRolled),
    Kind("dice.mixed", 1, equipment.DiceMixed),
    Kind("monitor.appointed", 1, equipment.MonitorAppointed),
    Kind("spectator.reported", 1, equipment.SpectatorReported),
    Kind("spectator.barred", 1, equipment.SpectatorBarred),
    Kind("recording.consented", 1, equipment.RecordingConsented),
    Kind("recording.objected", 1, equipment.RecordingObjected),
    Kind("player.called", 1, attendance.PlayerCalled),
    Kind("player.arrived", 1, attendance.PlayerArrived),
    Kind("player.left", 1, attendance.PlayerLeft),
    Kind("break.started", 1, attendance.BreakStarted),
    Kind("break.ended", 1, attendance.BreakEnded),
    Kind("delay.noted", 1, attendance.DelayNoted),
    Kind("delay.excused", 1, attendance.DelayExcused),
    Kind("clock.set", 1, clock.ClockSet),
    Kind("clock.started", 1, clock.ClockStarted),
    Kind("clock.pressed", 1, clock.ClockPressed),
    Kind("clock.paused", 1, clock.ClockPaused),
    Kind("clock.resumed", 1, clock.ClockResumed),
    Kind("clock.read", 1, clock.ClockRead),
    Kind("clock.fault_noticed", 1, clock.ClockFaultNoticed),
    Kind("clock.adjusted", 1, clock.ClockAdjusted),
    Kind("clock.delay_forfeited", 1, clock.ClockDelayForfeited),
    Kind("clock.delay_restarted", 1, clock.ClockDelayRestarted),
    Kind("clock.flag_noticed", 2, clock.ClockFlagNoticed),
    Kind("dice.opening_rolled", 1, dice.OpeningRolled),
    Kind("dice.rolled", 1, dice.Rolled),
    Kind("dice.voided", 1, dice.Voided),
    Kind("dice.rolled_early", 1, dice.RolledEarly),
    Kind("dice.early_roll_answered", 2, dice.EarlyRollAnswered),
    Kind("dice.lifted", 1, dice.Lifted),
    Kind("dice.lift_answered", 1, dice.LiftAnswered),
    Kind("dice.repositioned", 1, dice.Repositioned),
    Kind("turn.ended", 1, dice.TurnEnded),
    Kind("play.made", 1, play.PlayMade),
    Kind("play.revised", 1, play.PlayRevised),
    Kind("play.unseen", 1, play.PlayUnseen),
    Kind("play.illegality_noticed", 1, play.PlayIllegalityNoticed),
    Kind("play.illegality_answered", 1, play.PlayIllegalityAnswered),
    Kind("play.corrected", 1, play.PlayCorrected),
    Kind("start.fault_noticed", 1, play.StartFaultNoticed),
    Kind("start.corrected", 1, play.StartCorrected),
    Kind("position.stated", 1, play.PositionStated),
    Kind("handling.noted", 1, play.HandlingNoted),
    Kind("cube.gestured", 1, cube.CubeGestured),
    Kind("cube.intent_stated", 1, cube.CubeIntentStated),
    Kind("cube.double_offered", 1, cube.DoubleOffered),
    Kind("cube.double_taken", 1, cube.DoubleTaken),
    Kind("cube.double_dropped", 1, cube.DoubleDropped),
    Kind("cube.beavered", 1, cube.CubeBeavered),
    Kind("cube.action_voided", 1, cube.CubeActionVoided),
    Kind("cube.stated", 1, cube.CubeStated),
    Kind("resignation.offered", 1, ending.ResignationOffered),
    Kind("resignation.accepted", 1, ending.ResignationAccepted),
    Kind("resignation.refused", 1, ending.ResignationRefused),
    Kind("claim.made", 1, ending.ClaimMade),
    Kind("claim.ruled", 1, ending.ClaimRuled),
    Kind("penalty.assessed", 1, penalty.PenaltyAssessed),
    Kind("penalty.waived", 1, penalty.PenaltyWaived),
    Kind("slow_play.warned", 1, penalty.SlowPlayWarned),
    Kind("forfeit.declared", 1, penalty.ForfeitDeclared),
    Kind("sanction.imposed", 1, penalty.SanctionImposed),
    Kind("player.disqualified", 1, penalty.PlayerDisqualified),
    Kind("director.called", 1, dispute.DirectorCalled),
    Kind("dispute.raised", 1, dispute.DisputeRaised),
    Kind("table.disturbed", 1, dispute.TableDisturbed),
    Kind("evidence.attached", 1, dispute.EvidenceAttached),
    Kind("testimony.given", 1, dispute.TestimonyGiven),
    Kind("question.left", 1, dispute.QuestionLeft),
    Kind("ruling.made", 1, dispute.RulingMade),
    Kind("ruling.carried_out", 1, dispute.RulingCarriedOut),
    Kind("notice.acknowledged", 1, dispute.NoticeAcknowledged),
    Kind("appeal.filed", 2, appeal.AppealFiled),
    Kind("appeal.refused", 1, appeal.AppealRefused),
    Kind("committee.convened", 1, appeal.CommitteeConvened),
    Kind("committee.member_recused", 1, appeal.CommitteeMemberRecused),
    Kind("committee.leak_noted", 1, appeal.CommitteeLeakNoted),
    Kind("pack.issued", 1, appeal.PackIssued),
    Kind("vote.cast", 1, appeal.VoteCast),
    Kind("appeal.issued", 2, appeal.AppealIssued),
    Kind("vote.sealed", 1, appeal.VoteSealed),
    Kind("vote.opened", 1, appeal.VoteOpened),
    Kind("vote.director_cast", 1, appeal.VoteDirectorCast),
    Kind("vote.director_declined", 1, appeal.VoteDirectorDeclined),
    Kind("appeal.decided", 1, appeal.AppealDecided),
    Kind("decision.reported", 2, appeal.DecisionReported),
    Kind("entry.retracted", 1, corrections.EntryRetracted),
    Kind("entry.amended", 1, corrections.EntryAmended),
    Kind("moment.marked", 1, corrections.MomentMarked),
    Kind("film.attached", 1, film.FilmAttached),
    Kind("film.aligned", 1, film.FilmAligned),
    Kind("branch.resolved", 1, custody.BranchResolved),
    Kind("lease.granted", 1, custody.LeaseGranted),
    Kind("lease.ended", 1, custody.LeaseEnded),
    Kind("pack.unsealed", 1, custody.PackUnsealed),
    Kind("disclosure.erased", 1, custody.DisclosureErased),
    Kind("key.rotated", 2, custody.KeyRotated),
    Kind("publication.released", 1, custody.PublicationReleased),
    Kind("publication.withheld", 1, custody.PublicationWithheld),
)
"""Every event type there is, by noun."""

TOURNAMENT_TAGS = frozenset(
    kind.tag
    for kind in KINDS
    if kind.tag.startswith(("tournament.", "access.", "lease.", "bye."))
    or kind.tag in ("player.registered", "player.unregistered", "player.joined", "player.split")
    or kind.tag in ("key.rotated", "branch.resolved", "disclosure.erased")
)
"""Tags that only a tournament stream carries (design §8.12)."""

SCHEMAS = {kind.tag: kind.schema for kind in KINDS}
"""Tag to the version of the shape that its bodies have now."""

_BY_TAG = {kind.tag: kind for kind in KINDS}
_TAG_OF = {kind.payload: kind for kind in KINDS}
_ENCODER = msgspec.json.Encoder(order="sorted")
# Made here and not when a tag is met: threads that make decoders of the same classes at once end
# the process (msgspec fills what it knows of a class without a lock).
_DECODERS = {(kind.tag, kind.schema): msgspec.json.Decoder(kind.payload) for kind in KINDS}


class Unread(Payload, frozen=True, kw_only=True):
    """A body that this program is too old for: kept, shown as bytes, and folded as nothing."""

    raw: msgspec.Raw
    """The body as stored."""


class _Sealed(msgspec.Struct, gc=False):
    """What reading needs of sealed bytes, body untouched."""

    basis: Basis
    body: msgspec.Raw


_SEALED = msgspec.json.Decoder(_Sealed)
_AT = re.compile(r" - at `(?:key` in `)?\$([^`]*)`$")
_UNREADABLE = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)
"""What the decoder raises at bytes that are no body: RecursionError where they nest too deeply."""


class _Decoded(Protocol):
    """What is decoded of sealed bytes whose row says what they hold."""

    basis: Basis
    body: Payload


class _DecodedWhole(_Decoded, Protocol):
    """What is decoded of sealed bytes by themselves."""

    entry_id: str
    schema: int
    version: int


def _sealed_decoder(payload: type[Payload]) -> msgspec.json.Decoder[_Decoded]:
    # One pass over the sealed bytes decodes basis and body and skips the rest; the row's own
    # columns say which class to expect, and `fsck` proves that they say what the bytes say.
    sealed = msgspec.defstruct(
        f"Sealed{payload.__name__}", [("basis", Basis), ("body", payload)], gc=False
    )
    return msgspec.json.Decoder(sealed)


_SEALED_DECODERS = {(kind.tag, kind.schema): _sealed_decoder(kind.payload) for kind in KINDS}


def kind_of(tag: str) -> Kind:
    """The event type of a tag. Errors: UnknownTag."""
    return _kind_of(tag, "$")


def _kind_of(tag: str, at: str) -> Kind:
    kind = _BY_TAG.get(tag)
    if kind is None:
        raise UnknownTag(f"there is no event type {tag[:80]!r}", where=f"{at}.tag")
    return kind


def tag_of(payload: Payload) -> tuple[str, int]:
    """(tag, current schema version) of a payload."""
    kind = _TAG_OF[type(payload)]
    return kind.tag, kind.schema


def encode(payload: Payload) -> bytes:
    """Canonical body of a payload (RFC 8785); members that hold their default are left out."""
    if type(payload) is EntryAmended:
        # The one member that is written as it came; whoever built it may have spaced it at will.
        body = _ENCODER.encode(msgspec.json.decode(payload.body))
        payload = msgspec.structs.replace(payload, body=msgspec.Raw(body))
    return _ENCODER.encode(payload)


def decode(tag: str, body: bytes | msgspec.Raw, *, schema: int | None = None) -> Payload:
    """The payload of a body of `tag` at version `schema` (None = the current one).

    Old versions go through the upcasters. Errors: UnknownTag, BadBody with the member's path.
    """
    return _decode(tag, body, schema, "$")


def _decode(tag: str, body: bytes | msgspec.Raw, schema: int | None, at: str) -> Payload:
    kind = _kind_of(tag, at)
    version = kind.schema if schema is None else schema
    decoder = _DECODERS.get((tag, version))
    try:
        if decoder is not None:
            payload = decoder.decode(body)
        elif 1 <= version < kind.schema:
            old = msgspec.json.decode(body, type=dict[str, object])
            new = upcast(tag, old, schema=version, current=kind.schema)
            payload = msgspec.convert(new, kind.payload)
        else:
            raise UnknownTag(
                f"{tag} has no schema version {version}; this program knows 1 to {kind.schema}",
                where=f"{at}.schema",
            )
    except _UNREADABLE as error:
        message, where = str(error), f"{at}.body"
        found = _AT.search(message)
        if found is not None:
            message, where = message[: found.start()], where + found[1]
        raise BadBody(f"{tag}: {message}", where=where) from None
    if type(payload) is EntryAmended:
        _fill(payload, f"{at}.body")
    return payload


def _fill(amended: EntryAmended, at: str = "$.body") -> None:
    """Decode what an amendment puts in its target's place, so that folds need no catalogue."""
    if amended.tag.startswith("entry."):
        raise BadBody(
            "entry.amended: an amendment cannot stand for a correction", where=f"{at}.tag"
        )
    amended.__dict__["replacement"] = _decode(amended.tag, amended.body, amended.schema, at)


def read(stored: StoredEvent) -> RecordedEvent:
    """The stored row as folds see it. A tag or version from the future reads as `Unread`.

    Errors: Damaged, where the sealed bytes are not of the shape that their row promises.
    """
    decoder = _SEALED_DECODERS.get((stored.tag, stored.schema))
    payload: Payload
    try:
        if decoder is not None:
            known = decoder.decode(stored.sealed)
            basis, payload = known.basis, known.body
            if type(payload) is EntryAmended:
                if _is_future(payload.tag, payload.schema):
                    payload.__dict__["replacement"] = Unread(raw=payload.body)
                else:
                    _fill(payload)
        else:
            sealed = _SEALED.decode(stored.sealed)
            basis = sealed.basis
            if _is_future(stored.tag, stored.schema):
                payload = Unread(raw=sealed.body)
            else:
                payload = decode(stored.tag, sealed.body, schema=stored.schema)
    except (*_UNREADABLE, BadInput) as error:
        raise Damaged(
            f"entry {stored.global_position} of log {stored.log_id} cannot be read: {error}"
        ) from None
    return RecordedEvent(
        stored.version,
        stored.entry_id,
        stored.tag,
        basis,
        payload,
        stored.log_id,
        stored.stream_id,
        stored.global_position,
    )


def _sealed_kind(kind: Kind) -> type:
    return msgspec.defstruct(
        f"Sealed{kind.payload.__name__}Entry",
        [
            ("basis", Basis),
            ("body", kind.payload),
            ("entry_id", str),
            ("schema", int),
            ("version", int),
        ],
        tag_field="tag",
        tag=kind.tag,
        gc=False,
    )


_SEALED_KINDS = {_sealed_kind(kind): (kind.tag, kind.schema) for kind in KINDS}
_ANY_SEALED: Any = Union[tuple(_SEALED_KINDS)]  # noqa: UP007
_SEALED_ENTRY: msgspec.json.Decoder[_DecodedWhole] = msgspec.json.Decoder(_ANY_SEALED)
_SEALED_ENTRIES: msgspec.json.Decoder[list[_DecodedWhole]] = msgspec.json.Decoder(list[_ANY_SEALED])


def read_entries(
    log_id: str, stream_id: str, rows: Sequence[tuple[int, bytes]]
) -> list[RecordedEvent]:
    """Entries of one stream, (global position, sealed bytes) each, as folds see them.

    The same as `read`, without asking the rows' columns: one pass over the bytes finds the tags,
    chooses the payload classes and decodes bases, bodies, ids and versions. This is how whole
    streams are read. Errors: Damaged.
    """
    kinds = _SEALED_KINDS
    events = []
    for (global_position, sealed), entry in zip(rows, _sealed_entries(rows), strict=True):
        if entry is None:
            events.append(_read_carefully(log_id, stream_id, global_position, sealed=sealed))
            continue
        tag, schema = kinds[type(entry)]
        payload = entry.body
        if entry.schema != schema or type(payload) is EntryAmended:
            events.append(_read_carefully(log_id, stream_id, global_position, sealed=sealed))
            continue
        events.append(
            RecordedEvent(
                entry.version,
                entry.entry_id,
                tag,
                entry.basis,
                payload,
                log_id,
                stream_id,
                global_position,
            )
        )
    # A row that is gone would be folded over silently: versions run without gaps, or it is damage.
    if events and events[-1].version - events[0].version != len(events) - 1:
        raise Damaged(f"stream {stream_id} of log {log_id} has a gap: run `tabularium fsck`")
    return events


def _sealed_entries(rows: Sequence[tuple[int, bytes]]) -> Sequence[_DecodedWhole | None]:
    """The entries decoded, None where one has to be read the careful way."""
    try:
        # All at once is a tenth cheaper than one by one. Bytes that end one entry and begin
        # another could only come from damage, and then the counts differ.
        decoded = _SEALED_ENTRIES.decode(b"[" + b",".join([s for _, s in rows]) + b"]")
        if len(decoded) == len(rows):
            return decoded
    except _UNREADABLE:
        pass
    return [_sealed_entry(sealed) for _, sealed in rows]


def _sealed_entry(sealed: bytes) -> _DecodedWhole | None:
    try:
        return _SEALED_ENTRY.decode(sealed)
    except _UNREADABLE:
        # A tag or a version from another time, or damage: the careful way tells them apart.
        return None


def _read_carefully(
    log_id: str, stream_id: str, global_position: int, *, sealed: bytes
) -> RecordedEvent:
    """One entry by way of the row that its bytes stand for."""
    try:
        row = _ROW.decode(sealed)
    except _UNREADABLE as error:
        raise Damaged(f"entry {global_position} of log {log_id} cannot be read: {error}") from None
    return read(
        StoredEvent(
            log_id,
            stream_id,
            row.version,
            global_position,
            row.entry_id,
            row.tag,
            row.schema,
            sealed,
            b"",
        )
    )


class _Row(msgspec.Struct, gc=False):
    """The members of sealed bytes that a row's columns repeat."""

    entry_id: str
    schema: int
    tag: str
    version: int


_ROW = msgspec.json.Decoder(_Row)


def _is_future(tag: str, schema: int) -> bool:
    """Whether only a later program can know this type or this version of it."""
    kind = _BY_TAG.get(tag)
    return kind is None or schema > kind.schema


def json_schemas(ref_template: str = "#/$defs/{name}") -> tuple[dict[str, Any], dict[str, Any]]:
    """(tag to JSON Schema of its current body, shared definitions); draft 2020-12."""
    schemas, components = msgspec.json.schema_components(
        [kind.payload for kind in KINDS], ref_template=ref_template
    )
    return {kind.tag: schema for kind, schema in zip(KINDS, schemas, strict=True)}, components


Path = tuple[str, ...]
"""Members from the body down to a value; `*` stands for every item of a list or a mapping."""


@cache
def personal_paths(payload: type[Payload]) -> tuple[Path, ...]:
    """Where a body of this class holds personal values, that is, commitments."""
    # Found when it is first asked for: of all classes it takes as long as a command that needs few.
    return tuple(_paths(shape.type_info(payload), (), ()))


def _paths(of: shape.Type, path: Path, within: tuple[type, ...]) -> Iterator[Path]:
    match of:
        case shape.StructType(cls=cls) if cls is Commitment:
            yield path
        case shape.StructType(cls=cls, fields=fields) if cls not in within:
            for field in fields:
                yield from _paths(field.type, (*path, field.encode_name), (*within, cls))
        case shape.Metadata(type=inner):
            yield from _paths(inner, path, within)
        case shape.UnionType(types=types):
            for one in types:
                yield from _paths(one, path, within)
        case shape.VarTupleType(item_type=item) | shape.ListType(item_type=item):
            yield from _paths(item, (*path, "*"), within)
        case shape.DictType(value_type=value):
            yield from _paths(value, (*path, "*"), within)
        case _:
            return
