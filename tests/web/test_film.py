"""Film and replay side by side: each goes to what the other shows, once they are aligned."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, FilePayload, Page, expect

from api.html.assets import assets
from events.payloads import match, play
from events.payloads.custody import PublicationReleased
from events.values import CheckerMove, Seat
from tests.projections.table import Table
from tests.web.conftest import LOG, Site, Size, at_every_look, check_axe, check_targets, shot
from tests.web.replay_rig import open_replay, put
from tests.web.tablet_rig import draw
from tests.web.test_replay_loading import MOST_SHIFT, OBSERVE

pytestmark = pytest.mark.warm

SignIn = Callable[..., None]

MADE = """async () => {
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [64, 36];
  const paint = canvas.getContext('2d');
  const recorder = new MediaRecorder(canvas.captureStream(25), {mimeType: 'video/webm'});
  const pieces = [];
  recorder.ondataavailable = ({data}) => pieces.push(data);
  const stopped = new Promise((done) => (recorder.onstop = done));
  recorder.start();
  const begun = performance.now();
  while (performance.now() - begun < 3000) {
    paint.fillStyle = `hsl(${performance.now() / 10}, 80%, 50%)`;
    paint.fillRect(0, 0, 64, 36);
    await new Promise((next) => setTimeout(next, 40));
  }
  recorder.stop();
  await stopped;
  const bytes = new Uint8Array(await new Blob(pieces).arrayBuffer());
  return btoa(Array.from(bytes, (one) => String.fromCharCode(one)).join(''));
}"""
"""Three seconds of film, made by the browser itself."""

AT = "() => Math.round(document.querySelector('#film-video').currentTime * 1000)"

SEEK = "(seconds) => { document.querySelector('#film-video').currentTime = seconds; }"

LINK = "https://youtu.be/dQw4w9WgXcQ?si=x"


def played() -> Table:
    """Turns half a second long; the first roll is at the tenth second of the table."""
    table = Table(3, rule_set="usbgf-2017-07").game().opening(3, 1)
    turns = (("one", "8/5 6/5"), ("two", "13/7 8/7"), ("one", "24/20"), ("two", "24/20"))
    hops = {
        "8/5 6/5": ((8, 5), (6, 5)),
        "13/7 8/7": ((13, 7), (8, 7)),
        "24/20": ((24, 22), (22, 20)),
    }
    for number, (seat, text) in enumerate(turns):
        if number:
            table.roll(seat, 61 if number == 1 else 22)
        moves = tuple(CheckerMove(*hop) for hop in hops[text])
        at_ms = 10_000 + 500 * number
        table.record(play.PlayMade(seat=Seat(seat), moves=moves, at_ms=at_ms))
    table.record(match.MatchEnded(winner=Seat.ONE))
    table.record(PublicationReleased())
    return table


def film_of(page: Page) -> FilePayload:
    page.goto("about:blank")
    content = base64.b64decode(page.evaluate(MADE))
    return {"name": "final.webm", "mimeType": "video/webm", "buffer": content}


def shown(page: Page) -> int:
    return int(page.locator("[aria-current=true]").first.get_attribute("data-version") or 0)


def test_film_and_replay_go_to_each_other(
    site: Site, new_context: Callable[..., BrowserContext], sign_in: SignIn
) -> None:
    table = played()
    plays = [one.version for one in table.events if isinstance(one.payload, play.PlayMade)]
    name = put(site, table.events, "m1")
    context = new_context()
    sign_in(context)
    page = context.new_page()
    film = film_of(page)
    sha256 = hashlib.sha256(film["buffer"]).hexdigest()
    # The director attaches it and says where the first play is, with the keyboard alone.
    page.add_init_script(OBSERVE)
    open_replay(page, name, f"#v{plays[0]}")
    expect(page.locator(".film-desk summary")).to_be_visible()
    draw(page)
    assert sum(value for value, _ in page.evaluate("window.shifts")) <= MOST_SHIFT
    page.locator(".film-desk summary").click()
    page.locator("#film-new-link").fill("javascript:alert(1)")
    page.locator("#film-add").click()
    expect(page.locator("#refused")).to_contain_text("no address of the web")
    page.locator("#film-new-link").fill(LINK)
    page.locator("#film-new-file").set_input_files(film)
    page.locator("#film-new-link").press("Enter")
    expect(page.locator("#film-align")).to_be_visible()
    page.locator("#film-time").fill("0.4")
    page.locator("body").click(position={"x": 2, "y": 2})
    page.keyboard.press("m")
    expect(page.locator(".film-here")).to_contain_text("At 0:00:00 in the film")
    said = [one for one in site.entries(name) if one["tag"].startswith("film.")]
    assert [one["body"].get("film_ms") for one in said] == [None, 400]
    assert said[0]["body"]["file"] == sha256
    looks = {(1440, 900): "desk", (390, 844): "phone"}

    def look(what: str, size: Size) -> None:
        check_axe(page)
        check_targets(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
        shot(page, f"film-director-{what}")

    at_every_look(page, list(looks), look)

    # Everybody else: the file is held against its hash, then both go to each other.
    reader = new_context(extra_http_headers={}).new_page()
    reader.add_init_script(OBSERVE)
    open_replay(reader, name, f"?lang=de#v{plays[2]}")
    draw(reader)
    assert sum(value for value, _ in reader.evaluate("window.shifts")) <= MOST_SHIFT
    assert reader.locator("#film-align").count() == 0
    link = reader.locator("#film-link")
    expect(link).to_have_attribute("href", "https://youtu.be/dQw4w9WgXcQ?si=x&t=1s")
    expect(link).to_have_attribute("rel", "noopener noreferrer")
    other: FilePayload = {**film, "buffer": film["buffer"][:-1]}
    reader.locator("#film-file").set_input_files(other)
    expect(reader.locator("#film-status")).to_contain_text("nicht der Film")
    reader.locator("#film-file").set_input_files(film)
    expect(reader.locator("#film-video")).to_be_visible()
    reader.wait_for_function("() => document.querySelector('#film-video').readyState > 1")
    reader.locator("#film-jump").click()
    reader.wait_for_function(f"() => ({AT})() === 1400")
    assert shown(reader) == plays[2]
    for at_ms, version in ((1_950, plays[3]), (950, plays[1]), (450, plays[0])):
        reader.evaluate(
            "(s) => { document.querySelector('#film-video').currentTime = s; }", at_ms / 1_000
        )
        expect(
            reader.locator(f"[aria-current=true][data-version='{version}']").first
        ).to_be_attached()
    # It plays, and the replay goes along.
    reader.evaluate("document.querySelector('#film-video').play()")
    # Where a busy machine draws seldom, it may be two plays on when it is looked at.
    going = ", ".join(f"[aria-current=true][data-version='{one}']" for one in plays[1:])
    expect(reader.locator(going).first).to_be_attached()
    reader.evaluate("document.querySelector('#film-video').pause()")
    # The same by keyboard, and by a time that is typed.
    reader.locator("#film-time").fill("0:01,9")
    reader.locator("#film-go").click()
    assert shown(reader) == plays[3]
    reader.locator("body").click(position={"x": 2, "y": 2})
    reader.keyboard.press("v")
    reader.wait_for_function(f"() => ({AT})() === 1900")

    def read(what: str, size: Size) -> None:
        check_axe(reader)
        check_targets(reader)
        assert reader.evaluate("document.documentElement.scrollWidth") <= size[0]
        shot(reader, f"film-reader-{what}")

    at_every_look(reader, list(looks), read)
    # No hash that is worked out in pieces differs from that of the browser.
    pieces = reader.evaluate(
        """async ([module, size]) => {
          const {hashOf} = await import(module);
          const bytes = Uint8Array.from({length: size}, (_, n) => (n * 7919) % 251);
          return [await hashOf(new Blob([bytes])), await hashOf(new Blob([bytes]), () => {}, 0)];
        }""",
        [assets().url("replay/film_file.js"), 4 * 1024 * 1024 + 77],
    )
    assert pieces[0] == pieces[1]

    # What was said is taken back where it was said.
    page.locator("details summary", has_text="What was said").click()
    page.get_by_role("button", name="Take back what was said").click()
    expect(page.locator(".film-here")).to_contain_text("Nobody has said where this is")


def test_addresses_lead_to_the_moment_and_times_are_read_as_typed(site: Site, page: Page) -> None:
    put(site, played().events, "m1")
    page.goto(f"/matches/{LOG}/m1/replay")
    assert page.locator("#film").count() == 0
    found: Any = page.evaluate(
        """async (module) => {
          const {linkAt, msOf, timeOf} = await import(module);
          const at = (link) => linkAt(link, 3723500);
          return {
            links: ['https://www.youtube.com/watch?v=x&t=9', 'https://vimeo.com/12#t=1s',
              'https://www.twitch.tv/videos/12', 'https://films.example/a.webm'].map(at),
            none: linkAt('https://vimeo.com/12', null),
            times: ['1:02:03.5', '2:03', '83', '0:1,25', '', '1:', 'noon', '-3'].map(msOf),
            told: timeOf(3723500),
          };
        }""",
        assets().url("replay/film_links.js"),
    )
    assert found["links"] == [
        "https://www.youtube.com/watch?v=x&t=3723s",
        "https://vimeo.com/12#t=3723s",
        "https://www.twitch.tv/videos/12?t=1h2m3s",
        "https://films.example/a.webm#t=3723",
    ]
    assert found["none"] == "https://vimeo.com/12"
    assert found["times"] == [3_723_500, 123_000, 83_000, 1_250, None, None, None, None]
    assert found["told"] == "1:02:03"
