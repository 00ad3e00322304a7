"""The tablet's board modules in a slowed Chromium: tap to paint, legal plays, a match folded.

Times of the modules alone, without a tablet's storage and network: a tap by script on a column,
narrowed by `board/taps.js` and painted by `<tb-board>`, up to the frame that shows it; the legal
plays of the doublets among the golden vectors; a fold of 600 entries, and of one entry more.
"""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from playwright.sync_api import sync_playwright

from events import catalogue
from tests.projections.board import vectors
from tests.projections.streams import legal_match
from tests.web import modules

SLOWDOWN = 4

TAPS = """async () => {
  const { loadTexts } = await import("/static/shared/texts.js");
  await loadTexts("board");
  await import("/static/board/element.js");
  const { STARTING, boardOf, otherSeat, placeOf, pointOf, seenBy } =
    await import("/static/board/position.js");
  const { begin, drawn, tap, wordOf } = await import("/static/board/taps.js");
  const board = document.createElement("tb-board");
  Object.assign(board, { labels: { one: "Ada", two: "Ben" }, interactive: true, board: STARTING });
  board.cube = { value: 1, owner: null, offered_by: null };
  document.querySelector("main").append(board);
  let seed = 5;
  const chance = (count) => (seed = (seed * 16807) % 2147483647) % count;
  const painted = () => new Promise((done) => {
    requestAnimationFrame(() => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = done;
      port2.postMessage(null);
    });
  });
  const took = [];
  let [now, seat, state] = [STARTING, "one", null];
  board.addEventListener("tb-tap", ({ detail }) => {
    state = tap(state, wordOf(pointOf(seat, detail.place)));
    const { position, moves } = drawn(state);
    board.board = boardOf(position, seat);
    board.marks = new Map(moves.flatMap(([from, to]) =>
      [[placeOf(seat, from), "from"], [placeOf(seat, to), "to"]]));
  });
  for (let turn = 0; turn < 120; turn += 1) {
    const dice = [1 + chance(6), 1 + chance(6)];
    state = begin(seenBy(now, seat), dice);
    Object.assign(board, { dice, diceSeat: seat, turn: seat, marks: new Map() });
    const wanted = state.choices[chance(state.choices.length)];
    const points = [...wanted.sources].flatMap((point) => Array(wanted.changes[point]).fill(point));
    for (const point of points.slice(0, 4)) {
      await painted();
      const began = performance.now();
      const column = board.querySelector(`[data-place="${placeOf(seat, point)}"]`);
      column.dispatchEvent(new MouseEvent("click", { bubbles: true }));
      await painted();
      took.push(performance.now() - began);
    }
    now = boardOf(wanted.end, seat);
    if (now[seat][0] === 15) now = STARTING;
    seat = otherSeat(seat);
  }
  return took;
}"""

PLAYS = """async (cases) => {
  const { begin } = await import("/static/board/taps.js");
  const { legalPlays } = await import("/static/board/legal.js");
  const took = { legal: [], begun: [] };
  for (const [board, dice] of cases) {
    const counts = [...board].map((one) => parseInt(one, 36));
    const position = { own: counts.slice(0, 26), other: counts.slice(26) };
    const roll = [...dice].map(Number);
    let began = performance.now();
    legalPlays(position, roll);
    took.legal.push(performance.now() - began);
    began = performance.now();
    begin(position, roll);
    took.begun.push(performance.now() - began);
  }
  return took;
}"""

FOLD = """async (entries) => {
  const { extend, fold } = await import("/static/fold/fold.js");
  const took = { fold: [], extend: [] };
  for (let round = 0; round < 20; round += 1) {
    let began = performance.now();
    fold(entries);
    took.fold.push(performance.now() - began);
    const table = fold(entries.slice(0, -1));
    began = performance.now();
    extend(table, entries.at(-1));
    took.extend.push(performance.now() - began);
  }
  return took;
}"""


def row(name: str, took: list[float]) -> str:
    """Median, p95 and the slowest, in milliseconds."""
    ordered = sorted(took)
    p95 = ordered[round((len(ordered) - 1) * 0.95)]
    middle = ordered[len(ordered) // 2]
    return f"{name:44} {len(took):5}  {middle:7.2f}  {p95:7.2f}  {ordered[-1]:7.2f}"


def entries() -> list[dict[str, Any]]:
    """The first 600 entries of a long match, as a tablet has them."""
    return [
        {
            "entry_id": event.entry_id,
            "version": event.version,
            "tag": event.tag,
            "schema": 1,
            "basis": event.basis.value,
            "body": json.loads(catalogue.encode(event.payload)),
            "state": "sent",
        }
        for event in legal_match(1, length=25, games=9).events[:600]
    ]


def main() -> None:
    """Print the table."""
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        print("there is no Chromium")
        return
    cases = json.loads((vectors.FOLDER / "legal.json").read_text("utf-8"))
    doublets = [case for case in cases if case[1][0] == case[1][1]]
    with sync_playwright() as driver, modules.served() as url:
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1180, "height": 820})
        page.goto(url)
        slow = page.context.new_cdp_session(page)
        slow.send("Emulation.setCPUThrottlingRate", {"rate": SLOWDOWN})
        taps = page.evaluate(TAPS)
        plays = page.evaluate(PLAYS, doublets)
        folds = page.evaluate(FOLD, entries())
        browser.close()
    print(f"milliseconds, processor slowed to 1/{SLOWDOWN}")
    print(f"{'':44} {'n':>5}   median      p95      max")
    print(row("tap to paint (goal: p95 <= 100)", taps))
    print(row("legal plays of a doublet (goal: < 5)", plays["legal"]))
    print(row("  with all that taps need, once a roll", plays["begun"]))
    print(row("fold of 600 entries (goal: < 20)", folds["fold"]))
    print(row("  one entry more", folds["extend"]))


if __name__ == "__main__":
    main()
