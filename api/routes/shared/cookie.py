"""The cookie of a session: a token that no script reads, and the sign that a write is meant."""

from __future__ import annotations

import hashlib
import hmac
import re
from collections import OrderedDict, deque
from collections.abc import Callable
from urllib.parse import urlsplit

from starlette.requests import Request

from api.refusals import Problem

COOKIE = "tabularium_session"
"""Name of the cookie: it holds the token itself, and only as long as the browser is open."""

CSRF_HEADER = "X-Tabularium-CSRF"
"""Header by which a page of ours shows that a write by cookie is its own."""

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})

AFTER_SIGNING_IN = "/room"

_TOKEN = re.compile(r"[A-Za-z0-9._~+/-]{1,256}=*")
_LOCAL = re.compile(r"/(?![/\\])[^\\\x00-\x20\x7f]{0,1023}")


def csrf_of(token: str) -> str:
    """What a page has to send with a write by cookie; it gives nothing of the token away."""
    return hashlib.sha256(f"csrf:{token}".encode()).hexdigest()[:32]


def session_token(request: Request) -> str | None:
    """The token of the request's cookie; None without one."""
    token = request.cookies.get(COOKIE)
    return token if token and _TOKEN.fullmatch(token) else None


def csrf_for(request: Request) -> str | None:
    """What goes into `<meta name="csrf">` of a page; None for whoever has not signed in."""
    token = session_token(request)
    return None if token is None else csrf_of(token)


def check_csrf(request: Request, token: str) -> None:
    """Refuse a write by cookie that another site may have caused. Errors: Problem."""
    if request.method in SAFE_METHODS:
        return
    given = request.headers.get(CSRF_HEADER, "")
    if not is_csrf(given, token):
        raise Problem("csrf", f"a write by cookie names `{CSRF_HEADER}`, which pages of ours carry")


def is_csrf(given: str, token: str) -> bool:
    """Whether this is the sign that belongs to a token."""
    return hmac.compare_digest(given.encode("utf-8", "surrogatepass"), csrf_of(token).encode())


def check_origin(request: Request) -> None:
    """Refuse to sign anybody in because another site sent the form. Errors: Problem."""
    site = request.headers.get("sec-fetch-site")
    origin = request.headers.get("origin")
    if site is not None:
        is_ours = site in ("same-origin", "none")
    else:
        is_ours = origin is None or _host_of(origin) == request.headers.get("host")
    if not is_ours:
        raise Problem("csrf", "this form was sent from another site")


def _host_of(origin: str) -> str | None:
    try:
        return urlsplit(origin).netloc
    except ValueError:
        return None


def is_token(text: str) -> bool:
    """Whether a cookie can hold this text: anything else was never a token of ours."""
    return _TOKEN.fullmatch(text) is not None


def cookie(token: str | None, *, is_secure: bool) -> str:
    """The header `Set-Cookie` that keeps a token; None takes the one that is kept away."""
    kept = f"{COOKIE}={token or ''}; Path=/; HttpOnly; SameSite=Strict"
    if token is None:
        kept += "; Max-Age=0"
    return f"{kept}; Secure" if is_secure else kept


def local_path(given: str | None) -> str:
    """Where to go after signing in: a path of this server, whatever was asked for."""
    if given is None or _LOCAL.fullmatch(given) is None:
        return AFTER_SIGNING_IN
    return given


class Attempts:
    """Wrong tokens and wrong codes by address, so that nobody tries them by the thousand.

    Kept in memory and bounded: of more addresses than `at_most`, the longest silent is forgotten.
    """

    def __init__(
        self,
        now_ms: Callable[[], int],
        *,
        allowed: int = 20,
        window_ms: int = 60_000,
        at_most: int = 10_000,
    ) -> None:
        self._now_ms = now_ms
        self._allowed = allowed
        self._window_ms = window_ms
        self._at_most = at_most
        self._failed: OrderedDict[str, deque[int]] = OrderedDict()

    def check(self, request: Request) -> None:
        """Refuse an address that was wrong too often just now. Errors: Problem."""
        failed = self._failed.get(_address(request))
        if failed is None:
            return
        now = self._now_ms()
        while failed and failed[0] <= now - self._window_ms:
            failed.popleft()
        if len(failed) >= self._allowed:
            wait_s = max(1, -(-(failed[0] + self._window_ms - now) // 1_000))
            raise Problem(
                "too-often",
                "too many wrong ones from this address: wait a moment",
                headers={"Retry-After": str(wait_s)},
                retry_after_seconds=wait_s,
            )

    def failed(self, request: Request) -> None:
        """Remember that this address was wrong."""
        address = _address(request)
        failed = self._failed.setdefault(address, deque(maxlen=self._allowed))
        failed.append(self._now_ms())
        self._failed.move_to_end(address)
        while len(self._failed) > self._at_most:
            self._failed.popitem(last=False)


def _address(request: Request) -> str:
    return "" if request.client is None else request.client.host
