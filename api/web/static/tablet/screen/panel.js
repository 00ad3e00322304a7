// The panel beside the board: who has to act, dice pad, the turn so far, keys, recent entries.

import { freezes, isFrozen } from "../../fold/freezing.js";
import { LEVELS } from "../../fold/past.js";
import { fill, h, s, settleKeys } from "../../shared/dom.js";
import { choices } from "../../shared/settings.js";
import { t } from "../../shared/texts.js";
import { confirmations } from "../acts/acts.js";
import { earlyAnswer, isEarlyNext } from "../acts/early.js";
import { lacksEnd } from "../acts/score_acts.js";
import { dicePad, openingPad } from "./pad.js";
import { firstWords } from "./question.js";
import { brief, howEnded, lastLines, notInMatch, takenBack, whatNext } from "../acts/words.js";

/** @import { BySeat, Table } from "../../shared/types.js" */
/** @typedef {import("../acts/recorder.js").Recorder} Recorder */

const LINES = 8;

/** Icons of keys, as SVG paths. @type {Record<string, string>} */
const SIGNS = {
  undo: "M9 6 4 11l5 5M4 11h10a5 5 0 0 1 0 10h-3",
  double: "M4 4h16v16H4zM9.5 9.5a2.5 2.5 0 1 1 4.3 1.7L9.5 16h5",
  roll_again: "M20 12a8 8 0 1 1-2.5-5.8M20 3v5h-5M12 12h.01",
  call: "M6 17h12c-2-2-1-9-6-9s-4 7-6 9zM12 8V5M11 20h2",
  mark: "M7 4h10v16l-5-4-5 4z",
  clock: "M12 5a8 8 0 1 0 .01 0zM12 9v4l3 2M9 2h6",
};

/** The panel to the right of the board. */
export class Panel {
  #recorder;
  #next = h("h1", { class: "next" });
  #dice = h("div", { class: "dice", "aria-hidden": "true" });
  #play = h("p", { class: "play" });
  #area = h("div", { class: "area" });
  #list = h("ol", { class: "lines", tabindex: 0 });
  #note = h("p", { class: "note", role: "status" });
  #area_of = "";
  #lines_of = "";
  #turn_of = "";
  #undone = "";
  #waiting = "";
  /** The early roll that was drawn as the roll in play. @type {string | null} */
  #lying = null;

  /**
   * @param {Recorder} recorder
   * @param {() => void} done called for the next match
   * @param {() => void} again opens the sheet that asks why a roll does not count
   */
  constructor(recorder, done, again) {
    this.#recorder = recorder;
    this.#done = done;
    this.#undone = recorder.outbox.entries.at(-1)?.entry_id ?? "";
    const key = (/** @type {string} */ name, /** @type {() => void} */ act, className = name) => {
      const props = { type: "button", class: className, dataset: { act: name }, on: { click: act } };
      const sign = SIGNS[name];
      return h("button", props, sign && s("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, s("path", { d: sign })), name === "twice" ? "×2" : h("span", null, t(`tablet.${name}`)));
    };
    this.#played = key("played", () => recorder.played());
    this.#undo = key("undo", () => recorder.undo());
    this.#cube = key("double", () => recorder.double(), "cube");
    this.#twice = key("twice", () => recorder.twice());
    this.#free = key("as_played", () => recorder.asPlayed());
    this.#again = key("roll_again", again, "again");
    this.#clock = key("clock", () => recorder.clock.toggle(), "clock-key");
    const roll = (/** @type {import("../../shared/types.js").Dice} */ dice) => {
      // A double touch is not two rolls.
      if (this.#area.inert) return;
      settleKeys(this.#area);
      void recorder.roll(dice);
    };
    this.#pad = dicePad(
      roll,
      h("div", { class: "so-far" }, this.#dice, this.#play),
    );
    this.element = h(
      "section",
      { class: "panel", "aria-label": t("tablet.panel") },
      h("div", { class: "head" }, this.#next, this.#note),
      this.#area,
      h("div", { class: "keys main" }, this.#played, this.#twice, this.#undo),
      h("div", { class: "keys more" }, this.#cube, this.#free, this.#again),
      h("div", { class: "tail" }, this.#list),
      h(
        "div",
        { class: "keys calls" },
        key("call", () => recorder.call()),
        key("mark", () => recorder.mark()),
        this.#clock,
      ),
    );
    this.#twice.setAttribute("aria-label", `×2, ${t("tablet.twice")}`);
  }

  #done;
  #played;
  #undo;
  #cube;
  #twice;
  #free;
  #again;
  #clock;
  #pad;

  /**
   * Show a message to the scribe, until the next gesture.
   * @param {string} text
   * @param {{ isCalm?: boolean }} [how] whether it needs no reaction
   */
  say(text, { isCalm = false } = {}) {
    this.#note.textContent = text;
    this.#note.classList.toggle("calm", isCalm);
  }

  /**
   * An earlier play is complete: for a moment, ignore taps on keys that now mean something else.
   * @param {{ isFixed: boolean }} over
   */
  settle({ isFixed }) {
    for (const key of [this.#played, this.#twice, this.#free]) settleKeys(key);
    if (isFixed) for (const key of [this.#undo, this.#area]) settleKeys(key);
  }

  /** @param {Table} table @param {BySeat<string>} whole the players' full names */
  update(table, whole) {
    const names = brief(whole);
    const { fixing } = this.#recorder;
    this.#next.classList.toggle("bad", this.#isTaken);
    this.#next.textContent = heading(this.#recorder, table, names);
    this.#turnSoFar(table);
    this.#fillArea(table, names);
    const { in_game, awaits, on_roll } = table;
    const isPlaying = in_game && on_roll !== null && awaits !== "answer";
    this.#cube.disabled = !isPlaying || fixing !== null;
    // After "Played" an early roll may be in play at once: a double touch must not complete it too.
    const lying = table.early?.entry_id === table.roll_entry ? table.roll_entry : null;
    if (lying !== this.#lying) settleKeys(this.#played);
    this.#lying = lying;
    // Always enabled during a game: otherwise it would tell whether the play needs confirmation.
    this.#played.disabled = !in_game && !fixing;
    this.#free.disabled = this.#recorder.entering === null;
    this.#again.disabled = !in_game;
    const dice = this.#recorder.entering?.dice;
    this.#twice.hidden = !dice || dice[0] !== dice[1];
    const { clock } = this.#recorder;
    this.#clock.hidden = !clock.isUsed || (clock.isOver && !clock.runsOn);
    // A clock that runs between games costs a player's time, so its key says so.
    const told = clock.runsOn ? "tablet.clock_runs_on" : table.clock?.running ? "tablet.pause" : "tablet.clock";
    if (this.#clock.textContent !== t(told)) settleKeys(this.#clock);
    this.#clock.lastElementChild?.replaceChildren(t(told));
    this.#fillLines(table, names);
    this.#sayUndone(names);
    this.#sayWaiting(names);
    const { trouble } = this.#recorder;
    if (trouble !== null) this.say(t("tablet.trouble", { why: trouble }));
  }

  /**
   * Say what "undo" took back, since it skips calls and marks. Not for a play: the board shows
   * that, and words would reveal that it had been recorded.
   * @param {BySeat<string>} names
   */
  #sayUndone(names) {
    const { entries } = this.#recorder.outbox;
    const last = entries.at(-1);
    if (last === undefined || last.entry_id === this.#undone) return;
    this.#undone = last.entry_id;
    const target = entries.find(({ entry_id }) => entry_id === last.body.target);
    const isPlay = [target?.tag, target?.body.tag].includes("play.made");
    if (last.tag !== "entry.retracted" || !target || isPlay) return;
    this.say(takenBack(target, names), { isCalm: true });
  }

  /**
   * Say that an entry waits for the director: the board looks as if it had not been entered.
   * @param {BySeat<string>} names
   */
  #sayWaiting(names) {
    const last = this.#recorder.outbox.parked.at(-1);
    const waiting = last?.entry_id ?? "";
    if (waiting === this.#waiting) return;
    this.#waiting = waiting;
    this.say(last ? notInMatch(last, names) : t("tablet.decided"), { isCalm: !last });
  }

  /** Whether the director has given the board to another tablet, or taken it back. */
  get #isTaken() {
    return isTaken(this.#recorder);
  }

  /** @param {Table} table */
  #turnSoFar(table) {
    const turn = this.#recorder.entering;
    const dice = turn ? turn.dice : table.dice;
    const play = turn ? turn.told || turn.points.join(" ") : "";
    const shown = `${dice ?? ""} ${play}`;
    if (shown === this.#turn_of) return;
    this.#turn_of = shown;
    fill(this.#dice, ...(dice ?? []).map((die) => h("span", { class: "die number" }, String(die))));
    this.#play.textContent = play;
  }

  /** @param {Table} table @param {BySeat<string>} names */
  #fillArea(table, names) {
    const { awaits, winner } = table;
    const kind = this.#isTaken ? "taken" : this.#recorder.fixing ? "play" : awaits;
    const bottom = choices().bottom;
    const done = confirmations(table).length;
    const asked = kind === "roll" && isEarlyNext(table) && earlyAnswer(table) === null;
    const isLost = table.in_game && table.known?.by === "flag";
    const shown = `${kind} ${asked} ${isLost} ${lacksEnd(table)} ${table.length} ${bottom} ${winner} ${done} ${table.unjudged} ${names.one} ${names.two} ${table.game} ${JSON.stringify([table.ended, table.score])}`;
    if (shown === this.#area_of) return;
    this.#area_of = shown;
    settleKeys(this.#area);
    if (isLost) {
      fill(this.#area, h("div", { class: "card between" }, ...this.#end()));
    } else if (asked) {
      fill(this.#area, this.#early());
    } else if (kind === "roll" || kind === "play") {
      fill(this.#area, this.#pad);
    } else if (kind === "opening") {
      const pick = (/** @type {number} */ one, /** @type {number} */ two) =>
        this.#recorder.openingRoll(one, two);
      fill(this.#area, openingPad(pick, bottom, names));
    } else if (kind === "game" || kind === "nothing" || kind === "cancelled") {
      fill(this.#area, this.#between(table, names, done));
    } else if (kind === "claim") {
      fill(this.#area, this.#worth(names));
    } else if (kind === "taken") {
      fill(this.#area, h("p", { class: "card" }, t("tablet.taken_about")));
    } else {
      fill(this.#area, h("p", { class: "card" }, t(`tablet.wait_${kind}`)));
    }
  }

  /** @param {Table} table @param {BySeat<string>} names @param {number} done */
  #between(table, names, done) {
    const { ended, winner, game } = table;
    const isCancelled = table.awaits === "cancelled";
    const isOver = isCancelled || table.awaits === "nothing";
    const start = h(
      "button",
      {
        type: "button",
        class: ["big", (done === 2 || ended === null) && "primary"],
        dataset: { act: isOver ? "next_match" : "next_game" },
        on: { click: () => (isOver ? this.#done() : this.#recorder.score.startGame()) },
      },
      isOver ? t("tablet.next_match") : t("tablet.next_game", { number: game + 1 }),
    );
    const isReached = Math.max(table.score.one, table.score.two) >= (table.length ?? Infinity);
    return h(
      "div",
      { class: "card between" },
      isCancelled && h("p", { class: "ended" }, t("tablet.cancelled")),
      ended && h("p", { class: "ended" }, howEnded(ended, names)),
      winner && h("p", { class: "ended" }, t("tablet.match_won", { name: names[winner] })),
      // The match was made longer since, or its end was recorded by mistake.
      table.awaits === "nothing" && !winner && table.length !== null && h("p", null, t(isReached ? "tablet.won_open" : "tablet.not_won")),
      h("p", { class: "result number" }, `${table.score.one} – ${table.score.two}`),
      ended && done < 2 && !isCancelled && h("p", { class: "muted" }, t(table.unjudged ? "echo.unjudged" : "tablet.confirm_both")),
      ...(lacksEnd(table) ? this.#end() : []),
      start,
    );
  }

  /** Keys for the answer to an early roll: it stands, or the dice are thrown again. */
  #early() {
    const key = (/** @type {"stands" | "redone"} */ answer) =>
      h(
        "button",
        {
          type: "button",
          class: "big",
          dataset: { act: `early_${answer}` },
          on: { click: () => this.#recorder.score.answerEarly(answer) },
        },
        t(`tablet.sheet_early_${answer}`),
      );
    return h("div", { class: "card between" }, key("stands"), key("redone"));
  }

  /** The key that ends a decided match, such as one lost on time in mid-game. */
  #end() {
    const end = h(
      "button",
      {
        type: "button",
        class: "big primary",
        dataset: { act: "match_ended" },
        on: { click: () => this.#recorder.score.endMatch() },
      },
      t("echo.end_match"),
    );
    return [h("p", null, t("echo.end_match_about")), end];
  }

  /** @param {BySeat<string>} names */
  #worth(names) {
    const winner = this.#recorder.table.resigning?.seat === "one" ? "two" : "one";
    return h(
      "div",
      { class: "card between" },
      h("p", null, t("tablet.worth", { name: names[winner] })),
      ...LEVELS.map((kind) =>
        h(
          "button",
          { type: "button", class: "big", on: { click: () => this.#recorder.score.wonBy(winner, kind) } },
          t(`tablet.kind_${kind}`),
        ),
      ),
    );
  }

  /** @param {Table} table @param {BySeat<string>} names */
  #fillLines(table, names) {
    const lines = lastLines(table, LINES, names);
    const known = freezes(table.standing);
    const under = lines.map(({ entry }) => isFrozen(known, entry));
    const shown = [names.one, names.two, ...lines.map(({ entry, text }, at) => entry.entry_id + text + under[at])].join();
    if (shown === this.#lines_of) return;
    this.#lines_of = shown;
    fill(
      this.#list,
      ...lines.map((line, at) => {
        const mark = under[at] && h("span", { class: "under" }, t("notices.under"));
        const said = [line.seat && h("b", null, `${names[line.seat]} `), line.text, mark];
        if (!line.isPlay) return h("li", null, h("p", null, ...said));
        const fix = () => this.#recorder.fix(line.entry);
        const props = { type: "button", class: "quiet line", dataset: { act: "fix" }, on: { click: fix } };
        return h("li", null, h("button", props, ...said, h("span", { class: "unseen" }, `, ${t("tablet.fix")}`)));
      }),
    );
  }
}

/** @param {Recorder} recorder */
function isTaken({ outbox }) {
  return outbox.status.role === "none";
}

/**
 * The heading: what has to be done now, or that this tablet no longer records.
 * @param {Recorder} recorder
 * @param {Table} table as the screen shows it
 * @param {BySeat<string>} names
 */
export function heading(recorder, table, names) {
  if (isTaken(recorder)) return t("tablet.taken");
  if (recorder.fixing) return t("tablet.fixing");
  return firstWords(recorder, names) ?? whatNext(table, names);
}
