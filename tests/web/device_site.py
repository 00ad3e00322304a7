"""A device at a real server: paired by a code, recording through a proxy, checked in the log."""

from __future__ import annotations

import hashlib
import json
import re
from typing import Any

import httpx
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from playwright.sync_api import BrowserContext, Page, Route

from api.archive.archive import Archive
from api.desk.drafts import decoded
from events.store.fsck import fsck
from events.store.journal import Outcome
from tests.web.conftest import NO_CERTIFICATES
from tests.web.device_rig import open_outbox, wait_for

LOG = "open"
TAG = "score.noted"


def open_device(context: BrowserContext, url: str) -> Page:
    """An empty page of the server's origin in which `load("device/outbox.js")` works."""
    # The version of the running server, which may differ from the checkout's.
    served = httpx.get(f"{url}/sw.js", timeout=30, verify=NO_CERTIFICATES).text
    digest = re.search(r"/static/([0-9a-f]+)/", served)
    assert digest is not None
    document = (
        "<!doctype html><title>device</title><script type=module>"
        f"globalThis.load = (path) => import(`/static/{digest[1]}/${{path}}`);</script>"
    )

    def answer(route: Route) -> None:
        route.fulfill(body=document, content_type="text/html")

    context.route("**/bare", answer)
    page = context.new_page()
    page.goto(f"{url}/bare")
    page.wait_for_function("() => globalThis.load !== undefined")
    return page


def pair(page: Page, director: httpx.Client, match_id: str | None, **approval: Any) -> str:
    """Pair the page's device with the log, and give it the match, if any; returns its id."""
    made = director.post(f"/logs/{LOG}/pairings", json={})
    assert made.status_code == 201, made.text
    claim(page, made.json()["code"])
    path = f"/logs/{LOG}/pairings/{made.json()['pairing_id']}/approval"
    answer = director.post(path, json={"match": match_id, **approval})
    assert answer.status_code == 201, answer.text
    assert approved(page)
    device: str = answer.json()["device"]
    return device


def claim(page: Page, code: str) -> None:
    """Type a code."""
    page.evaluate(
        """async (code) => {
          const { openStore } = await load("device/store/store.js");
          const { claim } = await load("device/pairing.js");
          globalThis.store = await openStore();
          await claim(store, code, "Table 1");
        }""",
        code,
    )


def approved(page: Page) -> bool:
    """Wait for the director's answer; whether the device was approved."""
    found: bool = page.evaluate(
        """async () => {
          const { awaitApproval, currentEnrolment } = await load("device/pairing.js");
          const enrolment = await awaitApproval(store, await currentEnrolment(store));
          store.close();
          return enrolment.state === "approved";
        }"""
    )
    return found


def start(page: Page, match_id: str, *, role: str = "scribe", **terms: Any) -> None:
    """Open the outbox of a paired device, and wait for its lease and the match's entries."""
    open_outbox(page, log_id=LOG, match_id=match_id, **terms)
    wait_for(page, f"status.role === '{role}' && outbox.entries.length > 0")


def check_stream(archive: Archive, match_id: str, made: list[dict[str, Any]]) -> None:
    """Assert that the match has exactly these entries in order, proved by the device's chain."""
    store = archive.store
    rows = store.read_stream(LOG, match_id, after=1, limit=10_000)
    assert [row.entry_id for row in rows] == [entry["entry_id"] for entry in made]
    assert [json.loads(row.sealed)["body"] for row in rows] == [entry["body"] for entry in made]
    journal = [
        row for row in store.journal_rows(LOG, limit=10_000) if row.submitted.stream_id == match_id
    ]
    assert {row.outcome for row in journal} <= {Outcome.ACCEPTED}
    assert len(journal) == len(made)
    key = public_key(archive, journal[0].submitted.device)
    prev = None
    for seq, (row, entry) in enumerate(zip(journal, made, strict=True), start=1):
        draft = json.loads(row.submitted.raw)
        assert draft["entry_id"] == entry["entry_id"]
        assert (draft["device_seq"], draft["device_prev"]) == (seq, prev)
        key.verify(row.submitted.signature, row.submitted.raw)
        prev = hashlib.sha256(row.submitted.raw).hexdigest()
    report = fsck(store)
    assert report.findings == ()


def public_key(archive: Archive, device: str) -> Ed25519PublicKey:
    """The public key with which a device was approved."""
    rows = archive.store.read_stream(LOG, "tournament", after=0, limit=1_000)
    bodies = [json.loads(row.sealed)["body"] for row in rows if row.tag == "access.granted"]
    bound = [body["device"] for body in bodies if "device" in body]
    [key] = [one["public_key"] for one in bound if one["id"] == device]
    return Ed25519PublicKey.from_public_bytes(decoded(key))
