"""Browser contexts and ports that tests of a process reuse, because warm pages are twice as fast.

A new page fetches, parses and compiles a hundred modules, which is most of the time of a test of
the tablet. A renderer that has loaded them takes them from memory, as long as it is the same page
at the same address.
"""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Callable, Iterator
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Page
from playwright.sync_api import Error as PlaywrightError

STORAGE = "cookies,file_systems,indexeddb,local_storage,cache_storage"
"""Storage that a page leaves; `sessionStorage` is the page's own, so the page empties it."""

RESETTABLE = {
    *("base_url", "color_scheme", "has_touch", "locale", "reduced_motion", "service_workers"),
    "viewport",
}
"""Options of contexts that may be reused: each is in the key, or is reset."""

_SPOILING = (
    *("clock", "expose_binding", "expose_function", "new_cdp_session"),
    *("once", "route_from_har", "route_web_socket", "set_extra_http_headers"),
    *("set_default_navigation_timeout", "set_default_timeout", "set_geolocation"),
)
"""Calls that cannot be undone reliably: a context with one of them is not reused."""

_UNDONE: dict[str, Callable[[Any, tuple[Any, ...], Any], object]] = {
    "add_init_script": lambda _, arguments, made: made.close(),
    "on": lambda owner, arguments, made: owner.remove_listener(*arguments),
    "route": lambda owner, arguments, made: owner.unroute_all(behavior="ignoreErrors"),
}
"""How calls are undone, given their object, their arguments and their result."""

_NOTED = tuple((kind, name) for kind in (BrowserContext, Page) for name in (*_SPOILING, *_UNDONE))


class _Ports:
    """Ports of this process, used again, because renderers remember files by their address."""

    def __init__(self) -> None:
        self._known: list[int] = []

    def listen(self) -> socket.socket:
        """A socket that listens on the first free one of them, or on a new port."""
        for port in self._known:
            with contextlib.suppress(OSError):
                return socket.create_server(("127.0.0.1", port))
        found = socket.create_server(("127.0.0.1", 0))
        self._known.append(found.getsockname()[1])
        return found

    def __contains__(self, url: object) -> bool:
        return url in {f"http://127.0.0.1:{port}" for port in self._known}

    def urls(self) -> Iterator[str]:
        """All origins at which a page may have stored something."""
        return (f"http://127.0.0.1:{port}" for port in self._known)


PORTS = _Ports()


class Kept:
    """A context with its page, used by one test at a time."""

    def __init__(self, browser: Browser, options: dict[str, Any], patience_ms: float) -> None:
        self._options = options
        self.errors: list[str] | None = None
        """The list that gets the page's exceptions; None = they are ignored."""
        self.context = browser.new_context(**options)
        self.context.set_default_timeout(patience_ms)
        self.page = self.context.new_page()
        self._devtools = self.context.new_cdp_session(self.page)
        self.context.on("weberror", lambda error: self._hear(str(error.error)))

    def _hear(self, error: str) -> None:
        if self.errors is not None:
            self.errors.append(error)

    def lend(self, viewport: dict[str, int], errors: list[str] | None) -> BrowserContext:
        """The context, like a new one; its first page is reused too."""
        self.errors = errors
        self.page.set_viewport_size(viewport)  # type: ignore[arg-type]
        # The instance's attribute hides the class's method until it was called once.
        own = vars(self.context)

        def first() -> Page:
            del own["new_page"]
            return self.page

        own["new_page"] = first
        return self.context

    def clear(self) -> bool:
        """Clear it; whether nothing is left of the last test. If not, it must be closed."""
        self.errors = None
        vars(self.context).pop("new_page", None)
        try:
            for page in self.context.pages:
                if page != self.page:
                    page.close()
            self.context.set_offline(False)
            if self.page.url.startswith("http"):
                self.page.evaluate("localStorage.clear(); sessionStorage.clear()")
            self.page.goto("about:blank")
            self.context.clear_cookies()
            self.context.clear_permissions()
            for url in PORTS.urls():
                wanted = {"origin": url, "storageTypes": STORAGE}
                self._devtools.send("Storage.clearDataForOrigin", wanted)
            # The HTTP cache stays: pages are revalidated, and their ETags depend on the archive.
            self.page.emulate_media(
                media="null",
                color_scheme=self._options.get("color_scheme", "light"),
                reduced_motion=self._options.get("reduced_motion", "no-preference"),
                forced_colors="none",
                contrast="no-preference",
            )
            self.page.mouse.move(0, 0)
        except PlaywrightError:
            return False
        return True


class Shelf:
    """The contexts that are free for the next test, by browser and options."""

    def __init__(self, patience_ms: float) -> None:
        self._patience_ms = patience_ms
        self._waiting: dict[str, list[Kept]] = {}
        self._taken: list[tuple[str, Kept]] = []
        self._undoing: list[Callable[[], object]] = []
        self._is_noting = True
        self.is_spoiled = False
        """Whether the running test made a call on a kept context that cannot be undone."""

    def take(
        self, browser: Browser, options: dict[str, Any], errors: list[str] | None
    ) -> BrowserContext | None:
        """A context with these options; None if such contexts cannot be reused."""
        if not RESETTABLE.issuperset(options) or options["base_url"] not in PORTS:
            return None
        viewport = options["viewport"]
        key = repr((id(browser), sorted((k, v) for k, v in options.items() if k != "viewport")))
        waiting = self._waiting.setdefault(key, [])
        if waiting:
            kept = waiting.pop()
        else:
            with self.unnoticed():
                kept = Kept(browser, options, self._patience_ms)
        self._taken.append((key, kept))
        return kept.lend(viewport, errors)

    @contextlib.contextmanager
    def unnoticed(self) -> Iterator[None]:
        """Calls within this context are not noted."""
        was, self._is_noting = self._is_noting, False
        yield
        self._is_noting = was

    def give_back(self) -> None:
        """Give back all contexts in use: undo calls, clear and keep them, or close them."""
        with self.unnoticed():
            self._undo()
            for key, kept in self._taken:
                if self.is_spoiled or not kept.clear():
                    kept.context.close()
                else:
                    self._waiting[key].append(kept)
        self._taken.clear()
        self.is_spoiled = False

    def _undo(self) -> None:
        for undo in reversed(self._undoing):
            try:
                undo()
            except PlaywrightError:
                self.is_spoiled = True
        self._undoing.clear()

    @contextlib.contextmanager
    def watching(self) -> Iterator[None]:
        """Within this context, calls are noted that have to be undone, or cannot be."""
        was = {(kind, name): getattr(kind, name, None) for kind, name in _NOTED}
        for (kind, name), member in was.items():
            if isinstance(member, property):
                setattr(kind, name, property(self._noting(name, member.fget)))
            elif member is not None:
                setattr(kind, name, self._noting(name, member))
        yield
        for (kind, name), member in was.items():
            if member is not None:
                setattr(kind, name, member)

    def _noting(self, name: str, method: Any) -> Callable[..., Any]:
        def noting(owner: Any, *arguments: Any, **named: Any) -> Any:
            made = method(owner, *arguments, **named)
            if self._is_noting and self._is_kept(owner):
                self._note(name, owner, arguments, made)
            return made

        return noting

    def _is_kept(self, owner: BrowserContext | Page) -> bool:
        context = owner.context if isinstance(owner, Page) else owner
        return any(kept.context is context for _, kept in self._taken)

    def _note(self, name: str, owner: Any, arguments: tuple[Any, ...], made: Any) -> None:
        if name in _UNDONE:
            self._undoing.append(lambda: _UNDONE[name](owner, arguments, made))
        else:
            self.is_spoiled = True
