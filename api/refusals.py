"""Refusals: every kind of them, and which kind an exception means; RFC 9457 gives the shape."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import NamedTuple

from events import errors

MEDIA_TYPE = "application/problem+json"
"""RFC 9457 3."""

_log = logging.getLogger(__name__)


class Kind(NamedTuple):
    """One kind of problem."""

    slug: str
    """Last part of its `type`."""
    status: int
    """HTTP status."""
    title: str
    """What it is, the same for every occurrence."""
    advice: str
    """What to do about it."""


KINDS: dict[str, Kind] = {
    kind.slug: kind
    for kind in (
        Kind("bad-parameter", 400, "Bad parameter", "Correct the parameter named in `detail`."),
        Kind("bad-request", 400, "Bad request", "Send what the API's description asks for."),
        Kind("unknown-rule-set", 400, "Unknown rule set", "Use one of those in `known`."),
        Kind("not-authenticated", 401, "A valid token is needed", "Send a valid token."),
        Kind("not-permitted", 403, "Not permitted", "Ask for a grant of the role in `needs`."),
        Kind("needs-https", 403, "HTTPS is needed", "See the page `/trust` of this server."),
        Kind("csrf", 403, "No valid CSRF token", "Send `X-Tabularium-CSRF`, or a bearer token."),
        Kind("not-found", 404, "Not found", "Check the address."),
        Kind("no-such-log", 404, "No such log", "Check the id."),
        Kind("no-such-match", 404, "No such match", "Check the id."),
        Kind("no-such-case", 404, "No such case", "Open it by the link from the director."),
        Kind("no-such-entry", 404, "No such entry", "Check the id."),
        Kind("no-such-version", 404, "No such version", "Ask for at most `current_version`."),
        Kind("no-such-player", 404, "No such player", "See the list of players."),
        Kind("no-such-device", 404, "No such device", "Pair it first."),
        Kind("no-such-pairing", 404, "No such pairing", "Ask the director for a new code."),
        Kind("no-such-invitation", 404, "No such code", "Ask the director for a new code."),
        Kind("no-such-branch", 404, "Nothing is parked", "See the list of branches."),
        Kind("no-such-file", 404, "No such file", "Send it with PUT, under the hash of its bytes."),
        Kind("no-such-format", 404, "No such format", "Use one of those in `known`."),
        Kind("not-acceptable", 406, "No such media type", "Accept one of those in `known`."),
        Kind(
            "not-writable",
            406,
            "The format cannot hold the match",
            "Use one of those in `known`.",
        ),
        Kind("method-not-allowed", 405, "Method not allowed", "See the header `Allow`."),
        Kind(
            "entry-id-reused",
            409,
            "Entry id already used for another entry",
            "A new fact needs a new id; a retry repeats the same bytes.",
        ),
        Kind(
            "mixed-batch",
            409,
            "The batch mixes recorded and new entries",
            "Nothing was appended: repeat the earlier batch unchanged, or send only new entry ids.",
        ),
        Kind("log-exists", 409, "The log exists already", "Choose another id."),
        Kind(
            "match-exists",
            409,
            "The match exists already",
            "Append to it, or choose another id.",
        ),
        Kind(
            "lease-held",
            409,
            "Another device is the scribe",
            "Send `takeover` to take the board from `device`; its unsent entries will be parked.",
        ),
        Kind(
            "branch-moved",
            409,
            "The branch has more entries than were named",
            "Decide about those in `missing` too: take them over, or set them aside.",
        ),
        Kind(
            "journal-full",
            409,
            "Too many drafts of this device are kept",
            "Record with another device; what is unsent stays on this one and can be exported.",
        ),
        Kind("no-lease", 409, "No device is the scribe", "There is no lease to end."),
        Kind("ballot-refused", 409, "The ballot is not accepted", "See the reason in `detail`."),
        Kind(
            "case-conflict", 409, "Not possible as the case is now", "See the reason in `detail`."
        ),
        Kind("code-taken", 409, "Another device used the code", "Ask for a new code."),
        Kind("too-many-codes", 409, "Too many codes are open", "Withdraw some of them first."),
        Kind("old-epoch", 409, "The device was paired before", "Claim again with `epoch`."),
        Kind("pairing-settled", 409, "The pairing awaits no answer", "See its `state`."),
        Kind(
            "not-expected",
            409,
            "The entry does not fit the record now",
            "See in `expected` what may come next; a director may record it all the same.",
        ),
        Kind(
            "rolled-back",
            409,
            "The log is held",
            "Keep what is unsent: the operator has to put the newer copy of the archive back.",
        ),
        Kind(
            "unverified",
            409,
            "Not proved",
            "Do not rely on it; ask the operator of the archive, and keep your own checkpoint.",
        ),
        Kind("erased", 410, "Erased", "It cannot be restored; its erasure is recorded."),
        Kind(
            "version-conflict",
            412,
            "The stream has moved on",
            "Read `missed`, then send again with `current_version`.",
        ),
        Kind("too-large", 413, "Too large", "Send less at once."),
        Kind(
            "not-ready",
            422,
            "The sheet is not ready",
            "Correct what `lines` and `faults` name, then send the sheet again.",
        ),
        Kind("bad-input", 422, "Not a valid entry", "Correct the member that `where` names."),
        Kind("not-canonical", 422, "JSON that cannot be sealed", "Send plain, unambiguous JSON."),
        Kind("unknown-tag", 422, "Unknown type of event", "See the catalogue of events."),
        Kind("bad-body", 422, "The body is not valid", "Correct the member that `where` names."),
        Kind("wrong-hash", 422, "The hash does not match", "Send it under `sha256`."),
        Kind(
            "bad-note",
            422,
            "Not a valid key, note or proof",
            "Send it byte for byte as it was issued.",
        ),
        Kind("bad-identifier", 422, "Malformed identifier", "Correct the id."),
        Kind(
            "precondition-required",
            428,
            "If-Match is needed",
            "Send the version at which you believe the stream is, or `*`.",
        ),
        Kind("too-often", 429, "Too many requests", "Wait `Retry-After` seconds."),
        Kind("internal", 500, "Internal error", "No entry was lost; tell the operator."),
        Kind("damaged", 500, "Stored bytes are damaged", "Run `tabularium fsck`."),
        Kind(
            "not-installed",
            501,
            "The format is not installed here",
            "Use one of those in `known`.",
        ),
        Kind("busy", 503, "Busy", "Send the same again after `Retry-After` seconds."),
        Kind("store-failed", 503, "The database failed", "Nothing was written; try again later."),
        Kind(
            "outcome-unknown",
            503,
            "Outcome unknown",
            "Send the same bytes again: an entry is never recorded twice.",
        ),
        Kind("no-room", 507, "No space left", "Erase files, or ask the operator for more space."),
    )
}
"""Every kind of problem that the API answers with."""


class Problem(Exception):
    """A refusal that a route decides itself."""

    def __init__(
        self,
        slug: str,
        detail: str,
        *,
        headers: Mapping[str, str] | None = None,
        why: tuple[str, Mapping[str, object]] | None = None,
        **more: object,
    ) -> None:
        super().__init__(detail)
        self.slug = slug
        self.why = why
        """The text that says it to a person in their language (`texts/*/refused.json`), and what
        stands in its places; None where the kind alone is said."""
        self.detail = detail
        self.headers = dict(headers or {})
        self.more = more


class NotPermitted(Exception):
    """The hand may not do this; `needs` says which role may."""

    def __init__(self, message: str, *, needs: str) -> None:
        super().__init__(message)
        self.needs = needs


class NotExpected(Exception):
    """A scribe's entry cannot describe a fact now; `expected` says what may come instead."""

    def __init__(self, tag: str, why: str, *, expected: tuple[str, ...], index: int) -> None:
        super().__init__(f"{tag} cannot be recorded now: {why}")
        self.expected = expected
        self.index = index


_LEDGER: tuple[tuple[type[errors.LedgerError], str], ...] = (
    # From the leaves to the root: the first class that fits decides.
    (errors.TooLarge, "too-large"),
    (errors.NotCanonical, "not-canonical"),
    (errors.UnknownTag, "unknown-tag"),
    (errors.BadBody, "bad-body"),
    (errors.BadIdentifier, "bad-identifier"),
    (errors.BadNote, "bad-note"),
    (errors.NoEntryId, "bad-request"),
    (errors.BadInput, "bad-input"),
    (errors.ExpectedVersionMismatch, "version-conflict"),
    (errors.EntryIdReused, "entry-id-reused"),
    (errors.MixedBatch, "mixed-batch"),
    (errors.LogExists, "log-exists"),
    (errors.NoSuchLog, "no-such-log"),
    (errors.NoSuchStream, "no-such-match"),
    (errors.NoSuchEntry, "no-such-entry"),
    (errors.NotFound, "not-found"),
    (errors.OutcomeUnknown, "outcome-unknown"),
    (errors.StoreBusy, "busy"),
    (errors.StoreFailed, "store-failed"),
    (errors.RolledBack, "rolled-back"),
    (errors.Unverified, "unverified"),
    (errors.Damaged, "damaged"),
    (errors.LedgerError, "internal"),
)


_FOR_THE_OPERATOR = {
    "store-failed": "the database failed; the server's log says why",
    "damaged": "stored bytes are not those that were written; the server's log says which",
}
"""Faults of which a driver tells paths, hosts and users: those are nobody else's to read."""


def problem_of(error: Exception) -> Problem:
    """The problem that an exception of ours means to whoever asked."""
    match error:
        case Problem():
            return error
        case NotPermitted():
            return Problem("not-permitted", str(error), needs=error.needs)
        case NotExpected():
            expected = list(error.expected)
            where = f"$.entries[{error.index}]"
            return Problem("not-expected", str(error), expected=expected, where=where)
        case errors.LedgerError():
            slug = next(slug for kind, slug in _LEDGER if isinstance(error, kind))
            if KINDS[slug].status == 500 or slug in _FOR_THE_OPERATOR:
                _log.error("a request met %s", slug, exc_info=error)
            problem = Problem(slug, _FOR_THE_OPERATOR.get(slug) or str(error))
            problem.more.update(_more(error))
            return problem
        case _:
            _log.error("a request failed", exc_info=error)
            return Problem("internal", "something went wrong that should not have")


def _more(error: errors.LedgerError) -> dict[str, object]:
    match error:
        case errors.BadInput():
            return {} if error.where is None else {"where": error.where}
        case errors.ExpectedVersionMismatch():
            return {"current_version": error.current, "expected_version": error.expected}
        case errors.EntryIdReused():
            return {"entry_id": error.entry_id}
        case errors.MixedBatch():
            return {"known_entries": error.known}
        case _:
            return {}
