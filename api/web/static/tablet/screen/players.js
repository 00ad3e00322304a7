// A strip for each player, at that player's edge: name, score, clock, and keys for answers.

import { fill, h, settleKeys, unturned } from "../../shared/dom.js";
import { t } from "../../shared/texts.js";
import { confirmations } from "../acts/acts.js";
import { inWords } from "../acts/clock_acts.js";

/** @import { BySeat, Seat, Table } from "../../shared/types.js" */
/** @typedef {import("../acts/recorder.js").Recorder} Recorder */

/** A longer name is set smaller, in two lines. */
const LONG = 14;

/** The strip of one player. */
export class PlayerStrip {
  #recorder;
  #seat;
  #name = h("span", { class: "name" });
  #turn = h("span", { class: "badge turn" });
  #score = h("span", { class: "score number", title: t("tablet.score") });
  #plate = h("div", { class: "plate" });
  #time = h("span", { class: "reserve number" });
  #delay = h("span", { class: "delay number" });
  #clock;
  #shown = "";

  /**
   * @param {Recorder} recorder
   * @param {Seat} seat
   * @param {"top" | "bottom"} side
   */
  constructor(recorder, seat, side) {
    this.#recorder = recorder;
    this.#seat = seat;
    this.#clock = h(
      "button",
      { type: "button", class: "clock", on: { click: () => recorder.clock.press(seat) } },
      this.#time,
      this.#delay,
    );
    this.element = h(
      "section",
      { class: ["player", side], dataset: { seat } },
      h("span", { class: ["stone", seat], "aria-hidden": "true" }),
      this.#name,
      this.#score,
      this.#turn,
      this.#plate,
      this.#clock,
    );
  }

  /** @param {Table} table @param {BySeat<string>} names */
  update(table, names) {
    const seat = this.#seat;
    const isActing = table.to_act === seat;
    this.element.setAttribute("aria-label", unturned(names[seat]));
    this.element.classList.toggle("acting", isActing);
    this.#name.textContent = unturned(names[seat]);
    this.#name.classList.toggle("long", names[seat].length > LONG);
    this.#score.textContent = String(table.score[seat]);
    this.#turn.hidden = !isActing;
    this.#turn.textContent = t("tablet.to_act");
    this.#answers(table);
    this.#clock.hidden = !this.#recorder.clock.isUsed;
    this.tick();
  }

  /** Update the clock, several times a second. */
  tick() {
    if (this.#clock.hidden) return;
    const { reserve_ms, delay_ms } = this.#recorder.clock.shown[this.#seat];
    const { clock, flag } = this.#recorder.table;
    const running = this.#recorder.clock.running === this.#seat;
    // A stopped clock at zero has run out, even if the flag was not called; as in the room.
    const isSpent = reserve_ms !== null && reserve_ms <= 0 && clock !== null && clock.kind !== "non_expiring";
    const isOut = flag === null ? isSpent && !running : [this.#seat, "both"].includes(flag.body.whose);
    const time = inWords(reserve_ms);
    const free = delay_ms > 0 ? `+${Math.ceil(delay_ms / 1_000)}` : "";
    const isUnknown = this.#recorder.clock.isUnknown;
    const delay = isOut ? t("echo.flag_fell") : isUnknown ? t("tablet.clock_unread") : free;
    if (this.#time.textContent === time && this.#delay.textContent === delay) {
      if (this.#clock.classList.contains("running") === running) return;
    }
    this.#time.textContent = time;
    this.#delay.textContent = delay;
    this.#clock.classList.toggle("running", running);
    const standing = isUnknown ? "tablet.clock_unknown" : "tablet.clock_standing";
    const key = running ? "tablet.clock_running" : standing;
    this.#clock.setAttribute("aria-label", `${time} ${delay} ${t(key)}`);
  }

  /** @param {Table} table */
  #answers(table) {
    const seat = this.#seat;
    const done = confirmations(table).includes(seat);
    const needs = this.#needs(table);
    const shown = `${needs} ${done} ${table.score.one}-${table.score.two}`;
    if (shown === this.#shown) return;
    this.#shown = shown;
    settleKeys(this.#plate);
    if (needs === "answer") {
      fill(
        this.#plate,
        this.#key("take", "", () => this.#recorder.answer("cube.double_taken")),
        this.#key("pass", "", () => this.#recorder.answer("cube.double_dropped")),
      );
    } else if (needs === "resignation") {
      fill(
        this.#plate,
        this.#key("accept", "", () => this.#recorder.answer("resignation.accepted")),
        this.#key("refuse", "", () => this.#recorder.answer("resignation.refused")),
      );
    } else if (needs === "score" && done) {
      fill(this.#plate, h("span", { class: "badge good" }, t("tablet.confirmed")));
    } else if (needs === "score") {
      const score = `${table.score[seat]}–${table.score[seat === "one" ? "two" : "one"]}`;
      fill(
        this.#plate,
        this.#key("confirm", "primary", () => this.#recorder.score.confirm(seat, table.score), { score }),
        this.#key("disagree", "", () => this.#recorder.score.disagree(seat)),
      );
    } else {
      fill(this.#plate);
    }
  }

  /** @param {Table} table */
  #needs(table) {
    const { awaits, to_act, ended, in_game, unjudged } = table;
    if ((awaits === "answer" || awaits === "resignation") && to_act === this.#seat) return awaits;
    const isOpen = awaits !== "claim" && awaits !== "cancelled";
    return !in_game && ended !== null && !unjudged && isOpen ? "score" : "";
  }

  /**
   * @param {string} name
   * @param {string} className
   * @param {() => void} act
   * @param {Record<string, string>} [values]
   */
  #key(name, className, act, values) {
    const props = { type: "button", class: `big ${className}`, dataset: { act: name }, on: { click: act } };
    return h("button", props, t(`tablet.${name}`, values));
  }
}
