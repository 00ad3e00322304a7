"""The cookie of a session: a random word hidden from scripts, and the sign of intended writes."""

from __future__ import annotations

import hashlib
import hmac
import re
from urllib.parse import urlsplit

from starlette.requests import Request

from api.refusals import Problem

COOKIE = "tabularium_session"
"""Name of the cookie: it holds the session's word, and only until the browser is closed."""

CSRF_HEADER = "X-Tabularium-CSRF"
"""Header by which our pages show that a write by cookie is intended."""

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})

AFTER_SIGNING_IN = "/room"

_TOKEN = re.compile(r"[A-Za-z0-9._~+/-]{1,256}=*")
_LOCAL = re.compile(r"/(?![/\\])[^\\\x00-\x20\x7f]{0,1023}")


def csrf_of(word: str) -> str:
    """What a page has to send with a write by cookie; it gives nothing of the session away."""
    return hashlib.sha256(f"csrf:{word}".encode()).hexdigest()[:32]


def session_word(request: Request) -> str | None:
    """The word in the request's cookie; None without one."""
    word = request.cookies.get(COOKIE)
    return word if word and _TOKEN.fullmatch(word) else None


def session_token(request: Request) -> str | None:
    """Hash of the token that the request's session was begun with; None where there is none."""
    word = session_word(request)
    if word is None:
        return None
    token: str | None = request.app.state.door.sessions.token_of(word)
    return token


def csrf_for(request: Request) -> str | None:
    """What goes into `<meta name="csrf">` of a page; None for whoever has not signed in."""
    word = session_word(request)
    return None if word is None or session_token(request) is None else csrf_of(word)


def check_csrf(request: Request) -> None:
    """Refuse a write by cookie that another site may have caused. Errors: Problem."""
    if request.method in SAFE_METHODS:
        return
    given = request.headers.get(CSRF_HEADER, "")
    if not is_csrf(given, request):
        raise Problem("csrf", f"a write by cookie names `{CSRF_HEADER}`, which pages of ours carry")


def is_csrf(given: str, request: Request) -> bool:
    """Whether this is the sign that belongs to the request's session."""
    wanted = csrf_of(session_word(request) or "")
    return hmac.compare_digest(given.encode("utf-8", "surrogatepass"), wanted.encode())


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
    """Whether this text can be one: anything else was never a token of ours."""
    return _TOKEN.fullmatch(text) is not None


def cookie(word: str | None, *, is_secure: bool) -> str:
    """The header `Set-Cookie` that keeps a session's word; None takes it away."""
    kept = f"{COOKIE}={word or ''}; Path=/; HttpOnly; SameSite=Strict"
    if word is None:
        kept += "; Max-Age=0"
    return f"{kept}; Secure" if is_secure else kept


def local_path(given: str | None) -> str:
    """Where to go after signing in: a path of this server, whatever was asked for."""
    if given is None or _LOCAL.fullmatch(given) is None:
        return AFTER_SIGNING_IN
    return given
