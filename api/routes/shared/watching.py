"""What is seen of every request: headers that all answers carry, figures, a line in a log.

Neither figures nor lines hold more of an address than its route: ids, codes, query strings and
names are in none of them, nor who asked.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from logging.handlers import WatchedFileHandler
from pathlib import Path
from typing import Any

import orjson
from prometheus_client import (
    CollectorRegistry,
    Counter,
    GCCollector,
    Histogram,
    PlatformCollector,
    ProcessCollector,
)
from prometheus_client.core import GaugeMetricFamily, Metric
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.hall.bounded import https_only_for

UNKNOWN = "(none)"
"""Route of a request that none takes."""

_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"})
_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)
_THIS_MACHINE = (b"localhost", b"127.0.0.1", b"[::1]")

Spans = Callable[[str], AbstractContextManager[Any]]
"""A method to a span that is open for as long as the request is."""


class Figures:
    """Counts and times of one app, as Prometheus reads them."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._requests = Counter(
            "tabularium_requests",
            "Requests answered.",
            ("method", "route", "status"),
            registry=self.registry,
        )
        self._seconds = Histogram(
            "tabularium_request_seconds",
            "Time until an answer was begun.",
            ("route",),
            buckets=_BUCKETS,
            registry=self.registry,
        )
        self.entries = Counter(
            "tabularium_entries", "Entries appended by this server.", registry=self.registry
        )
        ProcessCollector(registry=self.registry)
        PlatformCollector(registry=self.registry)
        GCCollector(registry=self.registry)
        # Looking a child up by its labels costs more than counting in it.
        self._counters: dict[tuple[str, str, int], Counter] = {}
        self._times: dict[str, Histogram] = {}

    def count(self, method: str, route: str, status: int, seconds: float) -> None:
        """One request was answered."""
        key = (method if method in _METHODS else "OTHER", route, status)
        counter = self._counters.get(key)
        if counter is None:
            counter = self._counters[key] = self._requests.labels(*map(str, key))
        counter.inc()
        times = self._times.get(route)
        if times is None:
            times = self._times[route] = self._seconds.labels(route)
        times.observe(seconds)

    def ask(self, gauges: Callable[[], Iterable[tuple[str, str, float]]]) -> None:
        """Have (name, meaning, value) asked for whenever the figures are read."""
        self.registry.register(_Gauges(gauges))


class _Gauges:
    def __init__(self, gauges: Callable[[], Iterable[tuple[str, str, float]]]) -> None:
        self._gauges = gauges

    def describe(self) -> Iterable[Metric]:
        """Nothing before it is asked: the archive may not be open yet."""
        return ()

    def collect(self) -> Iterable[Metric]:
        """What is read now."""
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
                # A request that ended without an answer has met a fault.
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
    """Whether it was asked for as localhost: that name is other programs' as well."""
    host = next((value for name, value in scope["headers"] if name == b"host"), b"")
    return any(host == one or host.startswith(one + b":") for one in _THIS_MACHINE)


def request_log(place: Path | None) -> logging.Logger | None:
    """The log of requests: a file, which may be rotated under it, or `-` for stderr."""
    if place is None:
        return None
    log = logging.getLogger("tabularium.requests")
    for handler in list(log.handlers):
        log.removeHandler(handler)
        handler.close()
    handler = (
        logging.StreamHandler()
        if str(place) == "-"
        else WatchedFileHandler(place, encoding="utf-8", delay=True)
    )
    handler.setFormatter(logging.Formatter("%(message)s"))
    log.addHandler(handler)
    log.setLevel(logging.INFO)
    log.propagate = False
    return log


def spans_to(address: str | None) -> Spans | None:
    """Spans sent to a collector of OpenTelemetry. Errors: ModuleNotFoundError without the extra."""
    if address is None:
        return None
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    provider = TracerProvider(resource=Resource.create({"service.name": "tabularium"}))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(endpoint=address)))
    return spans_of(provider)


def spans_of(provider: Any) -> Spans:
    """Spans of a provider."""
    from opentelemetry.trace import SpanKind

    tracer = provider.get_tracer("tabularium")
    # What an exception says may be somebody's name: it is not recorded.
    return lambda method: tracer.start_as_current_span(
        method, kind=SpanKind.SERVER, record_exception=False, set_status_on_exception=False
    )
