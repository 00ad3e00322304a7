"""A rig for tests of the device's modules: a browser page with a server in memory."""

from __future__ import annotations

import base64
import enum
import hashlib
import json
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlparse

from playwright.sync_api import BrowserContext, Page, Route

from events.sealing.tree import Tree
from tests.web.conftest import PATIENCE_MS

ROOT = Path(__file__).parents[2]
STATIC = ROOT / "api" / "web" / "static"
DEVICE = STATIC / "device"
ORIGIN = "http://localhost"

PAGE = """<!doctype html><title>device</title>
<script type="module">globalThis.load = (path) => import(`/static/${path}`);</script>"""


def serve_modules(context: BrowserContext, *, origin: str = ORIGIN) -> None:
    """Serve the page and its modules from the checkout; refuse everything else."""

    def answer(route: Route) -> None:
        path = urlparse(route.request.url).path
        if path == "/":
            route.fulfill(body=PAGE, content_type="text/html")
            return
        file = (STATIC / path.removeprefix("/static/")).resolve()
        if path.startswith("/static/") and file.is_relative_to(STATIC) and file.is_file():
            route.fulfill(body=file.read_bytes(), content_type="text/javascript")
            return
        route.abort("connectionrefused")

    context.route(f"{origin}/**", answer)


def open_page(context: BrowserContext, *, origin: str = ORIGIN) -> Page:
    """A page in which `load("device/outbox.js")` imports the module."""
    page = context.new_page()
    page.goto(origin + "/")
    page.wait_for_function("() => globalThis.load !== undefined")
    return page


class FakeServer:
    """The server's routes for devices in memory: chain, versions, receipts; faults on demand."""

    def __init__(self, *, match_id: str = "m1", lease: int = 1) -> None:
        self.match_id = match_id
        self.lease: int | None = lease
        self.last_seq = 0
        self.last_hash: str | None = None
        self.hashes: dict[int, str] = {}
        self.entries: list[dict[str, Any]] = []
        self.seals = 0
        """How often it was restored; entries sealed again get another hash."""
        self.tree = Tree()
        """The Merkle tree of the entries' leaf hashes."""
        self.is_proving = True
        self.covered: int | None = None
        """How many entries are safe; None = it signs nothing."""
        self.checkpoint_sizes: list[int] = []
        """The size of the device's checkpoint at each submission received."""
        self.parked: list[dict[str, Any]] = []
        self.submissions: list[list[bytes]] = []
        """The exact bytes of the drafts of every submission received."""
        self.items: list[dict[str, Any]] = []
        """The same with signatures and disclosures."""
        self.files: dict[str, bytes] = {}
        self.file_status = 201
        """The status that the route for files answers."""
        self.most_items = 1_000
        """How many drafts of one submission it answers in time."""
        self.unsent: list[str] = []
        self.reads: list[int] = []
        """The version after which the stream was read, at each reading."""
        self.resolved: list[str] = []
        self.faults: list[Fault] = []
        """The faults of the next submissions, one each."""

    def attach(self, context: BrowserContext, *, origin: str = ORIGIN) -> None:
        """Answer the device's requests of a context."""
        serve_modules(context, origin=origin)
        context.route(f"{origin}/logs/**", self._answer)

    def append(self, tag: str, body: dict[str, Any], *, entry_id: str | None = None) -> None:
        """Append an entry of another writer, or a draft that the director has accepted."""
        self._enter({"entry_id": entry_id or str(uuid.uuid4()), "tag": tag, "body": body})

    def rewrite(self, *leaves: bytes) -> None:
        """Continue as if the log had consisted of these entries."""
        self.tree = Tree(leaves)

    def restore(self, version: int) -> None:
        """Restore a backup that ends after so many entries of this device."""
        self.entries = self.entries[:version]
        self.last_seq = version
        self.last_hash = self.hashes.get(version)
        self.tree = Tree(bytes.fromhex(entry["leaf_hash"]) for entry in self.entries)
        self.seals += 1

    def prove_nothing(self) -> None:
        """Stop giving checkpoints."""
        self.is_proving = False

    @property
    def head(self) -> str | None:
        """The leaf hash of the last entry."""
        return self.entries[-1]["leaf_hash"] if self.entries else None

    @property
    def is_branch_open(self) -> bool:
        """Whether a parked draft still waits for the director."""
        return any(draft["entry_id"] not in self.resolved for draft in self.parked)

    @property
    def bodies(self) -> list[Any]:
        """The bodies of the stream's entries, in order."""
        return [entry["body"] for entry in self.entries]

    def _answer(self, route: Route) -> None:
        url = urlparse(route.request.url)
        if url.path.endswith("/ingest"):
            self._ingest(route)
        elif url.path.endswith("/assignment"):
            self.unsent += parse_qs(url.query).get("unsent", [])
            route.fulfill(json=self._assignment())
        elif url.path.endswith("/events"):
            after, limit = (int(parse_qs(url.query)[name][0]) for name in ("after", "limit"))
            self.reads.append(after)
            entries = self.entries[after : after + limit]
            if len(entries) > self.most_items:
                route.abort("timedout")
                return
            rest = after + limit if after + limit < len(self.entries) else None
            page = {"version": len(self.entries), "entries": entries, "next_after": rest}
            route.fulfill(json=page)
        elif url.path.endswith("/branches"):
            items = [{"entry_id": draft["entry_id"]} for draft in self.parked]
            state = "open" if self.is_branch_open else "resolved"
            route.fulfill(json={"branches": [{"state": state, "items": items}]})
        elif url.path.endswith("/live"):
            # The live stream ends at once: devices poll this server.
            route.fulfill(body="retry: 5000\n\n", content_type="text/event-stream")
        elif "/files/" in url.path:
            body = route.request.post_data_buffer or b""
            if self.file_status < 300:
                self.files[url.path.rsplit("/", 1)[1]] = body
            route.fulfill(status=self.file_status, json={})
        else:
            route.fulfill(status=404, json={"type": "not-found"})

    def _assignment(self) -> dict[str, Any]:
        leases = [{"match_id": self.match_id, "lease": self.lease, "shadow_of": None}]
        return {
            "device": "ignored",
            "epoch": 1,
            "leases": leases if self.lease is not None else [],
            "streams": self._streams(),
            "cursor": {"last_seq": self.last_seq, "last_hash": self.last_hash},
            "server_time_ms": 0,
            "covered": self.covered,
        }

    def _streams(self) -> dict[str, Any]:
        return {self.match_id: {"version": len(self.entries), "head": self.head}}

    def _ingest(self, route: Route) -> None:
        body = json.loads(route.request.post_data or "")
        items = body["items"]
        raws = [base64.b64decode(item["draft"]) for item in items]
        fault = self.faults.pop(0) if self.faults else Fault.NONE
        if fault is Fault.REFUSED:
            route.abort("connectionrefused")
            return
        if len(items) > self.most_items:
            route.abort("timedout")
            return
        if fault is Fault.UNKNOWN:
            problem = {"type": "/problems/not-authenticated", "title": "a token is needed"}
            route.fulfill(status=401, json=problem)
            return
        if fault is Fault.PORTAL:
            route.fulfill(json={"login": "please"})
            return
        self.submissions.append(raws)
        self.checkpoint_sizes.append(body["checkpoint_size"])
        self.items += items
        if fault is Fault.BROKEN:
            route.fulfill(status=503, json={"type": "busy"})
            return
        results = [self._receive(raw) for raw in raws]
        if fault is Fault.LOST_REPLY:
            route.abort("connectionreset")
            return
        route.fulfill(
            json={
                "results": results,
                "streams": self._streams(),
                "cursor": {"last_seq": self.last_seq, "last_hash": self.last_hash},
                "server_time_ms": 0,
                "expected_device_seq": self.last_seq + 1,
                "covered": self.covered,
                **self._proof(body["checkpoint_size"]),
            }
        )

    def _proof(self, since: int) -> dict[str, Any]:
        size = self.tree.size
        if size == 0 or not self.is_proving:
            return {"checkpoint": None, "consistency": None}
        proof = None
        if 0 < since <= size:
            hashes = [each.hex() for each in self.tree.consistency(since, size)]
            proof = {"from": since, "hashes": hashes}
        checkpoint = {"size": size, "root": self.tree.root().hex()}
        return {"checkpoint": checkpoint, "consistency": proof}

    def _receive(self, raw: bytes) -> dict[str, Any]:
        draft = json.loads(raw)
        digest = hashlib.sha256(raw).hexdigest()
        seq = draft["device_seq"]
        if seq <= self.last_seq:
            if self.hashes[seq] != digest:
                return {"outcome": "device_fork", "reason": "seq_reused"}
            known = [one for one in self.entries if one["entry_id"] == draft["entry_id"]]
            version = known[0]["version"] if known else None
            at = None if version is None else version - 1
            told = {"outcome": "duplicate", "version": version, "entry_id": draft["entry_id"]}
            return {**told, "global_position": at}
        if seq > self.last_seq + 1:
            return {"outcome": "gap"}
        if draft["device_prev"] != self.last_hash:
            return {"outcome": "device_fork", "reason": "prev_mismatch"}
        self.last_seq, self.last_hash, self.hashes[seq] = seq, digest, digest
        reason = self._conflict(draft)
        if reason:
            self.parked.append(draft)
            return {"outcome": "stream_conflict", "reason": reason}
        entry = self._enter(draft)
        return {
            "outcome": "accepted",
            "version": entry["version"],
            "entry_id": draft["entry_id"],
            "global_position": entry["version"] - 1,
        }

    def _conflict(self, draft: dict[str, Any]) -> str | None:
        if draft["lease"] != self.lease:
            return "stale_lease"
        if self.is_branch_open or draft["expected_version"] != len(self.entries):
            return "version_mismatch"
        is_known = self.seals > 0 or draft["expected_head"] in (None, self.head)
        return None if is_known else "head_mismatch"

    def _enter(self, draft: dict[str, Any]) -> dict[str, Any]:
        version = len(self.entries) + 1
        entry = {
            "entry_id": draft["entry_id"],
            "version": version,
            "tag": draft["tag"],
            "schema": 1,
            "basis": "observed",
            "body": draft["body"],
            "leaf_hash": hashlib.sha256(
                f"{version} {draft['entry_id']} {self.seals}".encode()
            ).hexdigest(),
            "context": None,
            "disclosures": {},
        }
        self.entries.append(entry)
        self.tree.append(bytes.fromhex(entry["leaf_hash"]))
        return entry


class Fault(enum.StrEnum):
    """The fault of one submission."""

    NONE = "none"
    REFUSED = "refused"
    LOST_REPLY = "lost reply"
    BROKEN = "broken"
    PORTAL = "captive portal"
    UNKNOWN = "unknown token"


QUICK = {
    "request_ms": 1_500,
    "poll_ms": 150,
    "idle_ms": 100,
    "backoff_ms": 20,
    "backoff_max_ms": 500,
}
"""Short timeouts and pauses, so that no test waits long."""


def open_outbox(page: Page, *, log_id: str = "open", match_id: str = "m1", **terms: Any) -> None:
    """Open an outbox as `globalThis.outbox`, and wait until the device knows its lease."""
    page.evaluate(
        """async (terms) => {
          const { openOutbox } = await load("device/outbox.js");
          globalThis.outbox = await openOutbox(terms);
        }""",
        {"log_id": log_id, "match_id": match_id, "timing": QUICK, **terms},
    )


def record(page: Page, *bodies: dict[str, Any], tag: str = "moment.marked") -> list[Any]:
    """Record acts one after the other; returns the entries."""
    made: list[Any] = page.evaluate(
        """async ([tag, bodies]) => {
          const made = [];
          for (const body of bodies) made.push(await outbox.record(tag, body));
          return made;
        }""",
        [tag, list(bodies)],
    )
    return made


def wait_for(page: Page, condition: str) -> None:
    """Wait until an expression over `outbox` and its `status` holds."""
    page.evaluate(
        """(condition) => {
          globalThis.holds = new Function("outbox", "status", `return ${condition};`);
        }""",
        condition,
    )
    page.wait_for_function("() => holds(outbox, outbox.status)", polling=20, timeout=PATIENCE_MS)


def wait_until(page: Page, holds: Callable[[], bool]) -> None:
    """Wait until a condition holds in Python, while the page goes on."""
    deadline = time.monotonic() + PATIENCE_MS / 1000
    while not holds():
        assert time.monotonic() < deadline, "it did not come to hold"
        # The driver hands over routed requests only while it handles a call.
        page.wait_for_timeout(10)


COPIED = """async () => {
  const root = await navigator.storage.getDirectory();
  const counts = {};
  for await (const [name, handle] of root.entries()) {
    const text = await (await handle.getFile()).text();
    counts[name] = text.split("\\n").length - 1;
  }
  return counts;
}"""
"""The complete lines of each file of a second copy."""


def copied(page: Page) -> int:
    """The drafts in second copies."""
    return sum(page.evaluate(COPIED).values())


def all_sent(page: Page) -> None:
    """Wait until nothing is unsent; fail when the number no longer decreases."""
    while left := page.evaluate("outbox.status.unsent"):
        wait_for(page, f"status.unsent < {left}")


def shown(page: Page) -> list[Any]:
    """The bodies of the outbox's entries."""
    bodies: list[Any] = page.evaluate("outbox.entries.map((entry) => entry.body)")
    return bodies
