// The header above the board: where the entries are, who may record, and links to sheets.

import { announce, fill, h, settleKeys, unturned } from "../../shared/dom.js";
import { hasText, t } from "../../shared/texts.js";
import { waitingCalls } from "../acts/calls.js";
import { openingWord } from "../acts/words.js";

/** @import { Table } from "../../shared/types.js" */
/** @typedef {import("../acts/recorder.js").Recorder} Recorder */

/**
 * A younger answer is shown as "now": the tablet polls as often anyway, and the age must not show
 * that a tap has just been sent.
 */
const NOW_MS = 10_000;

/** On a small screen the count of unsent entries appears after this time: each entry would move the board. */
const SOON_MS = 2_000;

/** The header of the recorder. */
export class Header {
  #outbox;
  #title = h("p", { class: "title" });
  #here = h("span", { class: "tick here" });
  #there = h("span", { class: "tick" });
  #age = h("span", { class: "age number", title: t("tablet.last_heard") });
  #unsent = h("span", { class: "badge warn unsent number" });
  #role = h("span", { class: "badge role" });
  #secure = h("span", { class: "badge bad degraded" });
  #profile = h("span", { class: "badge warn monitor" });
  #called = h("button", { type: "button", class: "badge warn called" });
  #alarm = h("button", { type: "button", class: "badge bad alarm" });
  #elsewhere = h("button", { type: "button", class: "primary" }, t("tablet.other_board"));
  #recorder;
  #below;
  /** What is shown now that may move the board. */
  #shown = "";
  #isCalled = false;
  /** When nothing was unsent, by `performance.now()`. */
  #sentAt = 0;

  /**
   * @param {Recorder} recorder
   * @param {{ menu: () => void, view: () => void, help: () => void, next: () => void,
   *   device: () => void, call: () => void }} open
   * @param {readonly HTMLElement[]} below elements that move when the header grows or shrinks
   */
  constructor(recorder, open, below) {
    this.#recorder = recorder;
    this.#below = below;
    this.#outbox = recorder.outbox;
    this.#elsewhere.addEventListener("click", open.next);
    this.#alarm.addEventListener("click", open.device);
    this.#called.addEventListener("click", open.call);
    const key = (/** @type {"menu" | "view" | "help"} */ name) =>
      h(
        "button",
        { type: "button", class: "quiet", dataset: { act: name }, on: { click: open[name] } },
        t(`tablet.${name}`),
      );
    this.element = h(
      "header",
      { class: "bar" },
      this.#title,
      h("p", { class: "state" }, this.#here, this.#there, this.#age, this.#unsent),
      h("p", { class: "badges" }, this.#alarm, this.#called, this.#secure, this.#profile, this.#role),
      h("div", { class: "ways" }, this.#elsewhere, key("help"), key("view"), key("menu")),
    );
  }

  /** Show length, Crawford and table; the players are beside the board. @param {Table} table */
  update(table) {
    const { standing, length } = table;
    const place = openingWord(standing, "table");
    const to = length === null ? t("tablet.money") : t("tablet.to_points", { points: length });
    const crawford = table.is_crawford && length !== 1 ? ` · ${t("tablet.crawford")}` : "";
    const where = place === null ? "" : ` · ${t("tablet.table", { table: place })}`;
    // Length and Crawford come first, since a narrow screen may cut off the end.
    if (this.#title.textContent !== to + crawford + where) {
      fill(this.#title, h("b", null, to + crawford), h("span", null, where));
    }
    this.#isCalled = waitingCalls(standing).length > 0;
    this.tick();
  }

  /** Show what is wrong; the sheet about this tablet says more. @param {string} text */
  #warn(text) {
    if (text !== "" && text !== this.#alarm.textContent) announce(text, { assertive: true });
    show(this.#alarm, text !== "", text);
  }

  /** Update what changes without a gesture: ages, counts, alarms. */
  tick() {
    const { ack_age_ms, files, link, parked, secure, role, alarm } = this.#outbox.status;
    const { isBusy, isOpen, unsent } = this.#recorder;
    if (this.#here.dataset.busy !== String(isBusy)) this.#here.dataset.busy = String(isBusy);
    mark(this.#here, !isBusy && !isOpen, t(isOpen ? "tablet.play_open" : "tablet.saved_here"));
    mark(this.#there, unsent === 0 && !files && !isOpen, t("tablet.on_server"));
    write(this.#age, ack_age_ms === null ? t("tablet.never_heard") : agoWords(ack_age_ms));
    const isOld = link === "offline" && (ack_age_ms ?? Infinity) >= NOW_MS;
    const now = performance.now();
    if (unsent === 0) this.#sentAt = now;
    const isSoon = unsent > 0 && now - this.#sentAt < SOON_MS;
    const { assignment, match_id } = /** @type {any} */ (this.#outbox);
    const others = (assignment?.leases ?? []).filter((/** @type {any} */ one) => one.match_id !== match_id && !one.is_over);
    const hasOther = role === "none" && others.length > 0;
    const isMonitor = this.#recorder.profile === "monitor";
    const key = `tablet.alarm_${String(alarm).replaceAll("-", "_")}`;
    const said = alarm === null ? "" : hasText(key) ? t(key) : t("tablet.alarm", { why: alarm });
    const waiting = parked > 0 ? t("tablet.parked", { count: parked }) : "";
    const recording = t(`tablet.role_${role}`);
    const shown = [recording, hasOther, said || waiting, this.#isCalled, isMonitor, secure, isOld, unsent > 0 && !isSoon].join();
    const isSame = shown === this.#shown;
    const before = isSame ? 0 : this.element.offsetHeight;
    this.#shown = shown;
    show(this.#called, this.#isCalled, t("entry.director.called.name"));
    show(this.#profile, isMonitor, t("tablet.monitor"));
    show(this.#secure, !secure, t("tablet.degraded"));
    show(this.#unsent, unsent > 0, t("tablet.unsent", { count: unsent }));
    this.#unsent.classList.toggle("soon", isSoon);
    this.#age.classList.toggle("old", isOld);
    write(this.#role, recording);
    this.#role.classList.toggle("bad", role === "none");
    this.#role.classList.toggle("good", role !== "none");
    this.#elsewhere.hidden = !hasOther;
    if (isSame) return;
    this.#warn(said || waiting);
    // The board has moved: a finger on its way down must not hit another point.
    if (before === 0 || this.element.offsetHeight === before) return;
    for (const place of this.#below) settleKeys(place);
  }
}

/** @param {HTMLElement} element @param {boolean} isShown @param {string} text */
function show(element, isShown, text) {
  element.hidden = !isShown;
  write(element, isShown ? text : "");
}

/** @param {HTMLElement} tick @param {boolean} isDone @param {string} text */
function mark(tick, isDone, text) {
  const sign = isDone ? "✓ " : "○ ";
  if (tick.textContent !== sign + text) {
    fill(tick, h("span", { class: "sign" }, sign), h("span", { class: "words" }, text));
  }
  tick.classList.toggle("open", !isDone);
}

/**
 * Write a text only if it has changed, because this runs several times a second.
 * @param {HTMLElement} element
 * @param {string} text
 */
function write(element, text) {
  const told = unturned(text);
  if (element.textContent !== told) element.textContent = told;
}

/** @param {number} ms */
function agoWords(ms) {
  if (ms < NOW_MS) return t("tablet.ago_now");
  const seconds = Math.round(ms / 1_000);
  if (seconds < 60) return t("tablet.ago_seconds", { count: seconds });
  return t("tablet.ago_minutes", { count: Math.floor(seconds / 60) });
}
