"""The recorder's screen with an outbox in memory, for tests of what the tablet shows."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from playwright.sync_api import Browser, Locator, Page

from tests.web import modules
from tests.web.conftest import PATIENCE_MS, TABLET

_START = """
async ([language, opening, terms]) => {
  localStorage.setItem("tabularium.language", language);
  document.body.className = "tablet";
  const { loadTexts } = await import("/static/shared/texts.js");
  await loadTexts("tablet", "entry", "board", "echo", "notices", "question");
  for (const name of ["tablet", "screen/notices", "sheets/sheets"]) {
    document.head.append(Object.assign(document.createElement("link"),
      { rel: "stylesheet", href: `/static/tablet/${name}.css` }));
  }
  const { TrainingOutbox } = await import("/static/training/outbox.js");
  const { Recorder } = await import("/static/tablet/acts/recorder.js");
  const { Screen } = await import("/static/tablet/screen/screen.js");
  const outbox = new TrainingOutbox(opening);
  outbox.terms = terms;
  const recorder = new Recorder(outbox, "no-assist");
  const screen = new Screen(recorder, () => {});
  document.querySelector("main").replaceChildren(screen.element);
  window.table = { outbox, recorder, screen, heard: [] };
  new MutationObserver(() => {
    const region = document.getElementById("live-region");
    if (region?.textContent) window.table.heard.push(region.textContent);
  }).observe(document.body, { childList: true, subtree: true, characterData: true });
}
"""

OPENED: list[dict[str, Any]] = [
    {
        "tag": "match.opened",
        "body": {"players": {"one": [{"name": "Ada"}], "two": [{"name": "Ben"}]}, "length": 5},
    },
    {"tag": "game.started", "body": {"number": 1}},
]


def act(tag: str, **body: Any) -> dict[str, Any]:
    """An entry that is on record when a table starts."""
    return {"tag": tag, "body": body}


class TableRig:
    """A tablet in memory: takes acts, gives the texts that it shows."""

    def __init__(self, page: Page, url: str) -> None:
        self.page = page
        self.url = url
        self.language = "en"
        self._errors: list[str] = []
        page.on("pageerror", lambda error: self._errors.append(str(error)))

    def no_errors(self) -> None:
        """Fail if the page has thrown an exception since the last call."""
        found, self._errors[:] = self._errors[:], []
        assert not found, "\n".join(found)

    def start(
        self,
        *acts: dict[str, Any],
        language: str = "en",
        terms: dict[str, Any] | None = None,
        opening: list[dict[str, Any]] | None = None,
    ) -> None:
        """A screen for these acts, in a page of its own."""
        self.page.goto(self.url)
        told = [*(OPENED if opening is None else opening), *acts]
        self.page.evaluate("document.body.className = 'tablet'")
        self.page.evaluate(_START, [language, told, terms or {}])

    def do(self, script: str) -> None:
        """Make a gesture, by its name on the recorder, and wait until it is drawn."""
        self.page.evaluate(f"async () => {{ await table.recorder.{script}; }}")
        self.settle()

    def record(self, tag: str, **body: Any) -> str:
        """Add an entry of another writer, or of a sheet; returns its id."""
        found: str = self.page.evaluate(
            "async ([tag, body]) => (await table.outbox.record(tag, body)).entry_id", [tag, body]
        )
        self.settle()
        return found

    def settle(self) -> None:
        self.page.evaluate(
            "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame("
            "() => setTimeout(done, 20))))"
        )

    @property
    def lines(self) -> list[str]:
        """The lines of the list, the latest first."""
        ends = (", put right", ", berichtigen")
        return [
            next((one.removesuffix(end) for end in ends if one.endswith(end)), one)
            for one in self._texts(".lines li")
        ]

    @property
    def heading(self) -> str:
        (found,) = self._texts(".next")
        return found

    @property
    def so_far(self) -> str:
        return "".join(self._texts(".so-far .play"))

    @property
    def heard(self) -> list[str]:
        """The announcements to screen readers since the last call."""
        found: list[str] = self.page.evaluate("table.heard.splice(0)")
        return found

    @property
    def entries(self) -> list[tuple[str, dict[str, Any]]]:
        """The tags and bodies recorded."""
        told = self.page.evaluate("table.outbox.entries.map(({tag, body}) => [tag, body])")
        return [(tag, body) for tag, body in told]

    def table(self, member: str) -> Any:
        return self.page.evaluate(f"table.recorder.table.{member}")

    def key(self, act: str) -> Locator:
        return self.page.locator(f'[data-act="{act}"]:visible').first

    def _texts(self, selector: str) -> list[str]:
        return [" ".join(text.split()) for text in self.page.locator(selector).all_text_contents()]


@contextlib.contextmanager
def rig(chromium: Browser, **options: Any) -> Iterator[TableRig]:
    """A page for one table after the other, so that modules are fetched only once.

    Tests call `no_errors` after each table.
    """
    with modules.served() as url:
        look = {"viewport": TABLET, "has_touch": True, "reduced_motion": "reduce"}
        page = chromium.new_page(**{**look, **options})
        page.set_default_timeout(PATIENCE_MS)
        yield TableRig(page, url)
        page.close()
