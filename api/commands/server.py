"""The server that is writing to the archive: found through its lock file, used over HTTP."""

from __future__ import annotations

import contextlib
import os
import uuid
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import version
from typing import TypeVar
from urllib.parse import urlsplit

import httpx
import msgspec
import orjson

from api.archive.archive import operator_file
from api.commands.common import lock_holder
from api.commands.printing import fail, safe
from api.hall.addresses import means_this_machine
from api.imports.ready import FileRefused, MatchResult, ReadyMatch, ReadySealed
from api.imports.taking import IMPORTS_LOG, IMPORTS_TITLE
from api.settings import Settings
from events.errors import LedgerError, TooLarge
from events.store.address import FileAddress, parse_address

TIMEOUT_S = 30.0
"""Seconds to wait for an answer."""


_Told = TypeVar("_Told")


class ServerRefused(LedgerError):
    """The server answered with a refusal, with something else than was asked, or not at all."""


class _Log(msgspec.Struct):
    log_id: str


class _Recorded(msgspec.Struct):
    version: int
    duplicate: bool


class _Entries(msgspec.Struct):
    version: int
    entries: list[msgspec.Raw]


class Client:
    """One server, with the token that lets this command in."""

    def __init__(self, url: str, token: str, http: httpx.Client) -> None:
        self.url = url
        """Its address."""
        self._http = http
        self._headers = {"Authorization": f"Bearer {token}"}

    def new_id(self) -> str:
        """A fresh entry id."""
        return str(uuid.UUID(bytes=os.urandom(16), version=4))

    def request(
        self, method: str, path: str, *, body: object = None, **headers: str
    ) -> httpx.Response:
        """One request; every answer below 500 comes back. Errors: ServerRefused."""
        sent = {
            **self._headers,
            **{name.replace("_", "-"): value for name, value in headers.items()},
        }
        content = None
        if body is not None:
            content = orjson.dumps(body)
            sent["Content-Type"] = "application/json"
        try:
            answer = self._http.request(method, path, content=content, headers=sent)
        except httpx.HTTPError as error:
            message = (
                f"the server at {self.url} does not answer ({type(error).__name__}): is it up?"
            )
            raise ServerRefused(message) from None
        except httpx.InvalidURL as error:
            raise ServerRefused(f"{self.url} is no address of a server: {error}") from None
        if answer.status_code >= 500:
            raise self.refusal(answer)
        return answer

    def refusal(self, answer: httpx.Response) -> ServerRefused:
        """What the server's problem document says, to be raised."""
        return ServerRefused(f"the server at {self.url} refused it: {problem_of(answer)}")

    def told(self, answer: httpx.Response, of: type[_Told]) -> _Told:
        """What an answer says, in its shape. Errors: ServerRefused.

        Whatever else answers at the address, a portal of the network too, has done nothing.
        """
        try:
            return msgspec.json.decode(answer.content, type=of)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            raise ServerRefused(
                f"what answers at {self.url} (status {answer.status_code}) is no Tabularium server,"
                " or one of another release than this program"
                f" ({version('tabularium-backgammon')}): look at /health there, and bring the older"
                " one up to date. Whether it has done what was asked is not known"
            ) from None

    def open_log(self, log_id: str, title: str) -> None:
        """Make a log if the server has none of this id. Errors: ServerRefused."""
        answer = self.request("POST", "/logs", body={"log_id": log_id, "title": title})
        if answer.status_code == 409:
            return
        if answer.status_code not in (200, 201):
            raise self.refusal(answer)
        self.told(answer, _Log)

    def append(
        self,
        log_id: str,
        stream_id: str,
        body: bytes,
        *,
        expected_version: int,
    ) -> httpx.Response:
        """Append a batch to a stream at a version; `body` is that of the request.

        Errors: ServerRefused.
        """
        answer = self.request(
            "POST",
            f"/logs/{log_id}/matches/{stream_id}/events",
            body=orjson.Fragment(body),
            If_Match=f'"{expected_version}"',
        )
        if answer.status_code in (200, 201):
            self.told(answer, _Recorded)
        return answer

    def append_to_log(self, log_id: str, entry: Mapping[str, object]) -> None:
        """Append one entry to a log's own stream, wherever it stands. Errors: ServerRefused."""
        self._append_anywhere(f"/logs/{log_id}/events", [entry])

    def append_to_match(
        self, log_id: str, match_id: str, entries: Sequence[Mapping[str, object]]
    ) -> None:
        """Append entries to a match, wherever it stands. Errors: ServerRefused."""
        self._append_anywhere(f"/logs/{log_id}/matches/{match_id}/events", entries)

    def _append_anywhere(self, path: str, entries: Sequence[Mapping[str, object]]) -> None:
        answer = self.request("POST", path, body={"entries": entries}, If_Match="*")
        if answer.status_code not in (200, 201):
            raise self.refusal(answer)
        self.told(answer, _Recorded)


def problem_of(answer: httpx.Response) -> str:
    """What a problem document (RFC 9457) says, else the status."""
    try:
        problem = answer.json()
        return safe(problem.get("detail") or problem["title"])
    except (ValueError, KeyError, AttributeError, RecursionError):
        return f"status {answer.status_code}"


@contextlib.contextmanager
def server_of(
    settings: Settings, url: str | None, *, patience_s: float = TIMEOUT_S
) -> Iterator[Client]:
    """The server at `url`, else the one that is writing to the database; or the command ends."""
    holder = lock_holder(settings.db) or {}
    if url is None:
        who = f"process {holder['pid']}" if "pid" in holder else "another process"
        found = holder.get("url")
        if not isinstance(found, str):
            fail(f"{who} is writing to this archive, and only one may: wait for it, or stop it")
        url = found
    # The operator's token is sent to this archive's own server, and to no other server.
    is_own = url.rstrip("/") == holder.get("url")
    token = settings.token or (_operator_token(settings.db) if is_own else None)
    if token is None:
        fail(
            f"the server at {url} needs a token: set TABULARIUM_TOKEN to one that"
            " `tabularium grant` or the server printed"
        )
    if not url.startswith(("http://", "https://")):
        fail(f"--server takes an address such as http://127.0.0.1:8340, not {url!r}")
    # A proxy from the environment would receive the operator's token, and cannot lead back to this
    # machine.
    is_here = is_own or _is_here(url)
    with httpx.Client(base_url=url.rstrip("/"), timeout=patience_s, trust_env=not is_here) as http:
        yield Client(url, token, http)


def _is_here(url: str) -> bool:
    try:
        return means_this_machine(urlsplit(url).hostname or "")
    except ValueError:
        return False  # Not an address: the user is told so.


def _operator_token(db: str) -> str | None:
    address = parse_address(db)
    if not isinstance(address, FileAddress):
        return None
    try:
        return operator_file(address.path).read_text("ascii").strip()
    except (OSError, UnicodeDecodeError):
        return None


class ServerTaker:
    """Hands matches to a server, each as one batch for a stream that must not exist."""

    for_server = True

    def __init__(self, client: Client) -> None:
        self.client = client
        self._opened: set[str] = set()

    def knows(self, log_id: str, stream_id: str) -> bool:
        """Whether the log holds this stream, as far as the token may see. Errors: ServerRefused."""
        path = f"/logs/{log_id}/matches/{stream_id}/events?limit=1"
        answer = self.client.request("GET", path)
        if answer.status_code != 200:
            return False
        return bool(self.client.told(answer, _Entries).entries)

    def take(self, log_id: str, matches: Sequence[ReadyMatch]) -> list[bool | TooLarge]:
        """Append each match whole or not at all. Errors: ServerRefused."""
        if log_id not in self._opened:
            self.client.open_log(log_id, IMPORTS_TITLE if log_id == IMPORTS_LOG else log_id)
            self._opened.add(log_id)
        return [self._take(log_id, match) for match in matches]

    def restore(self, file: ReadySealed) -> Sequence[MatchResult | FileRefused]:
        """Refuse it: sealed entries go past every door, straight into the database."""
        why = f"it holds sealed entries, which the server at {self.client.url} does not take in"
        return [FileRefused(file.file, f"{why}: stop it while you import them")]

    def _take(self, log_id: str, match: ReadyMatch) -> bool | TooLarge:
        client = self.client
        answer = client.append(log_id, match.result.match_id, match.entries, expected_version=0)
        if answer.status_code in (200, 201):
            return False
        if answer.status_code == 412:
            return True
        if answer.status_code == 413:
            return TooLarge(
                f"the match is too long for the server at {client.url} to take in at once"
                f" ({problem_of(answer)}): start it with larger TABULARIUM_MAX_BATCH and"
                " TABULARIUM_MAX_BODY_BYTES, or stop it while you import"
            )
        raise client.refusal(answer)
