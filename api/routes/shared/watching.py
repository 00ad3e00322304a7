"""What happens around every request: headers of all answers, metrics, a line in the log.

Metrics and lines contain of an address only its route: no ids, codes, query strings or names, and
not who asked.
"""

from __future__ import annotations

import logging
import sys
import time
from bisect import bisect_left
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from itertools import accumulate
from logging.handlers import WatchedFileHandler
from pathlib import Path
from typing import Any

import orjson
from prometheus_client import CollectorRegistry, GCCollector, PlatformCollector, ProcessCollector
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
)
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.hall.bounded import https_only_for
from events.errors import BadInput

UNKNOWN = "(none)"
"""Route of a request that no route matches."""

_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"})
_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)
_BOUNDS = [*map(str, _BUCKETS), "+Inf"]
_THIS_MACHINE = (b"localhost", b"127.0.0.1", b"[::1]")

_log = logging.getLogger(__name__)

Spans = Callable[[str], AbstractContextManager[Any]]
"""A method to a span that is open during the request."""


class _Times:
    """How long the answers of one route took: how many were within each bound, and their sum."""

    def __init__(self) -> None:
        self.counts = [0] * len(_BOUNDS)
        self.seconds = 0.0


class Figures:
    """Counts and times of one app, as Prometheus reads them.

    Counted by the loop's thread alone, in plain numbers, which are made into metrics when somebody
    asks: a metric takes a lock each time, and with them a request was a fiftieth dearer.
    """

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.entries = 0
        """Entries appended by this server."""
        self._requests: dict[tuple[str, str, int], int] = {}
        self._times: dict[str, _Times] = {}
        self.registry.register(self)
        ProcessCollector(registry=self.registry)
        PlatformCollector(registry=self.registry)
        GCCollector(registry=self.registry)

    def count(self, method: str, route: str, status: int, seconds: float) -> None:
        """One request was answered."""
        key = (method if method in _METHODS else "OTHER", route, status)
        self._requests[key] = self._requests.get(key, 0) + 1
        times = self._times.get(route)
        if times is None:
            times = self._times[route] = _Times()
        times.counts[bisect_left(_BUCKETS, seconds)] += 1
        times.seconds += seconds

    def ask(self, gauges: Callable[[], Iterable[tuple[str, str, float]]]) -> None:
        """Have (name, meaning, value) asked for whenever the figures are read."""
        self.registry.register(_Gauges(gauges))

    def describe(self) -> Iterable[Metric]:
        """Nothing before it is asked, as for the gauges."""
        return ()

    def collect(self) -> Iterable[Metric]:
        """What was counted by now; may be asked by any thread."""
        requests = CounterMetricFamily(
            "tabularium_requests", "Requests answered.", labels=("method", "route", "status")
        )
        for key, count in list(self._requests.items()):
            requests.add_metric([*map(str, key)], count)
        yield requests
        seconds = HistogramMetricFamily(
            "tabularium_request_seconds", "Time until an answer was begun.", labels=("route",)
        )
        for route, times in list(self._times.items()):
            buckets = list(zip(_BOUNDS, map(float, accumulate(times.counts)), strict=True))
            seconds.add_metric([route], buckets, times.seconds)
        yield seconds
        yield CounterMetricFamily(
            "tabularium_entries", "Entries appended by this server.", value=self.entries
        )


class _Gauges:
    def __init__(self, gauges: Callable[[], Iterable[tuple[str, str, float]]]) -> None:
        self._gauges = gauges

    def describe(self) -> Iterable[Metric]:
        """Empty until it is called: the archive may not be open yet."""
        return ()

    def collect(self) -> Iterable[Metric]:
        """What is measured at this moment."""
        for name, meaning, value in self._gauges():
            yield GaugeMetricFamily(name, meaning, value=value)


class Watching:
    """Around everything else: what it sees is what is sent."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        figures: Figures,
        log: logging.Logger | None = None,
        spans: Spans | None = None,
        has_own_authority: bool = False,
    ) -> None:
        self.app = app
        self._figures = figures
        self._log = log
        self._spans = spans
        lasts = https_only_for(has_own_authority=has_own_authority)
        self._hsts = (b"strict-transport-security", lasts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        begun, status, answered = time.perf_counter(), 0, 0.0

        async def sending(message: Message) -> None:
            nonlocal status, answered
            if message["type"] == "http.response.start":
                status, answered = message["status"], time.perf_counter()
                headers = message["headers"] = list(message.get("headers", ()))
                for name, _ in headers:
                    if name == b"x-content-type-options":
                        break
                else:
                    headers.append((b"x-content-type-options", b"nosniff"))
                if scope.get("scheme") == "https" and not _is_this_machine(scope):
                    headers.append(self._hsts)
            await send(message)

        method = scope["method"]
        with nullcontext() if self._spans is None else self._spans(method) as span:
            try:
                await self.app(scope, receive, sending)
            finally:
                # A request that ended without an answer has failed.
                seconds = (answered or time.perf_counter()) - begun
                route = getattr(scope.get("route"), "path", UNKNOWN)
                self._figures.count(method, route, status or 500, seconds)
                if span is not None:
                    span.update_name(f"{method} {route}")
                    span.set_attribute("http.request.method", method)
                    span.set_attribute("http.route", route)
                    span.set_attribute("http.response.status_code", status or 500)
                if self._log is not None:
                    self._log.info(
                        "%s",
                        orjson.dumps(
                            {
                                "at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
                                "method": method if method in _METHODS else "OTHER",
                                "route": route,
                                "status": status or 500,
                                "ms": round(seconds * 1_000, 1),
                            }
                        ).decode(),
                    )


def _is_this_machine(scope: Scope) -> bool:
    """Whether the request was for localhost: other programs use that name too."""
    host = next((value for name, value in scope["headers"] if name == b"host"), b"")
    return any(host == one or host.startswith(one + b":") for one in _THIS_MACHINE)


class _Lines(WatchedFileHandler):
    """A file that may be rotated; a failed write is logged once, and requests go on."""

    _is_well = True

    def emit(self, record: logging.LogRecord) -> None:
        """Write a line."""
        try:
            super().emit(record)
        except OSError as error:
            self._told(error)
            # The file may have been moved: the next line opens the path again.
            self.close()
            self.stream = None
            self.dev = self.ino = -1

    def flush(self) -> None:
        """Check that it can be written. Errors: OSError."""
        super().flush()
        self._is_well = True

    def handleError(self, record: logging.LogRecord) -> None:
        """Report it in the archive's own log."""
        self._told(sys.exc_info()[1])

    def _told(self, error: BaseException | None) -> None:
        if self._is_well:
            _log.warning("TABULARIUM_REQUEST_LOG: requests are not written down: %s", error)
        self._is_well = False


def request_log(place: Path | None) -> logging.Logger | None:
    """The log of requests: a file, which may be rotated under it, or `-` for stderr.

    Errors: BadInput.
    """
    if place is None:
        return None
    if str(place) != "-":
        try:
            with place.open("ab"):
                pass
        except OSError as error:
            raise BadInput(
                f"TABULARIUM_REQUEST_LOG: {place} cannot be written: {error.strerror}"
            ) from None
    log = logging.getLogger("tabularium.requests")
    for handler in list(log.handlers):
        log.removeHandler(handler)
        handler.close()
    handler = (
        logging.StreamHandler()
        if str(place) == "-"
        else _Lines(place, encoding="utf-8", delay=True)
    )
    handler.setFormatter(logging.Formatter("%(message)s"))
    log.addHandler(handler)
    log.setLevel(logging.INFO)
    log.propagate = False
    return log


def spans_to(address: str | None) -> Spans | None:
    """Spans sent to a collector of OpenTelemetry. Errors: BadInput, without the extra too."""
    if address is None:
        return None
    if not address.startswith(("https://", "http://")):
        raise BadInput(f"TABULARIUM_OTLP: {address} is no http URL")
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ModuleNotFoundError:
        raise BadInput(
            "TABULARIUM_OTLP: spans take the extra `telemetry`:"
            " pip install 'tabularium-backgammon[telemetry]'"
        ) from None

    provider = TracerProvider(resource=Resource.create({"service.name": "tabularium"}))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(endpoint=address)))
    return spans_of(provider)


def spans_of(provider: Any) -> Spans:
    """Spans of a provider."""
    from opentelemetry.trace import SpanKind

    tracer = provider.get_tracer("tabularium")
    # The text of an exception may contain a name: it is not recorded.
    return lambda method: tracer.start_as_current_span(
        method, kind=SpanKind.SERVER, record_exception=False, set_status_on_exception=False
    )
