// The band of director's notices, each of which stays until somebody here acknowledges it.

import { announce, fill, h, settleKeys } from "../../shared/dom.js";
import { freezes } from "../../fold/freezing.js";
import { waitingNotices } from "../../fold/notices.js";
import { language, loadTexts, t } from "../../shared/texts.js";
import { needsWords, noticeWords } from "./notice_words.js";

/** @import { BySeat, Table } from "../../shared/types.js" */
/** @typedef {import("../acts/recorder.js").Recorder} Recorder */

/** The band between header and board: an open dispute, and the director's decisions. */
export class Notices {
  #recorder;
  #below;
  #shown = "";
  #said = "";
  #hasWords = false;
  #isFrozen = false;

  /**
   * @param {Recorder} recorder
   * @param {readonly HTMLElement[]} below elements that move when the band comes or goes
   */
  constructor(recorder, below) {
    this.#recorder = recorder;
    this.#below = below;
    this.element = h("section", { class: "notices", "aria-label": t("notices.band"), hidden: true });
  }

  /** Whether a ruling is awaited. */
  get isFrozen() {
    return this.#isFrozen;
  }

  /** @param {Table} table @param {BySeat<string>} names */
  update(table, names) {
    const { standing } = table;
    const waiting = waitingNotices(standing, this.#recorder.outbox.entries);
    const [first] = waiting;
    if (first !== undefined && needsWords(first)) this.#askWords(table, names);
    const words = first === undefined ? null : noticeWords(first, names, standing);
    this.#isFrozen = freezes(standing).some(({ settled }) => settled === null);
    const mayAct = this.#recorder.outbox.status.role === "scribe";
    const shown = JSON.stringify([first?.entry_id, waiting.length, words, this.#isFrozen, mayAct]);
    if (shown === this.#shown) return;
    this.#shown = shown;
    this.#draw(words, waiting, mayAct);
    this.#tell(words);
  }

  /**
   * @param {import("./notice_words.js").Words | null} words
   * @param {readonly import("../../shared/types.js").Entry[]} waiting
   * @param {boolean} mayAct
   */
  #draw(words, waiting, mayAct) {
    const before = this.element.offsetHeight;
    const hadFocus = this.element.contains(document.activeElement);
    const [first] = waiting;
    const act = () => this.#recorder.acknowledge(first);
    fill(
      this.element,
      this.#isFrozen && words === null && h("p", { class: "frozen" }, t("notices.frozen")),
      words &&
        h(
          "div",
          { class: "notice" },
          this.#isFrozen && h("span", { class: "badge bad" }, t("notices.frozen_brief")),
          h(
            "p",
            // A long decision scrolls; focusable, so that keys scroll it too.
            { class: "said", tabindex: 0, role: "group", "aria-label": t("notices.said", { who: words.who }) },
            h("b", null, `${words.who}: `),
            words.what,
            words.todo && h("span", { class: "todo" }, ` ${words.todo}`),
          ),
          waiting.length > 1 && h("span", { class: "badge number" }, t("notices.first_of", { of: waiting.length })),
          mayAct &&
            h(
              "button",
              { type: "button", class: "primary", dataset: { act: "acknowledge" }, on: { click: act } },
              t("notices.understood"),
            ),
        ),
    );
    this.element.hidden = !this.#isFrozen && words === null;
    // The next notice is under the same finger: ignore taps until it can have been read.
    settleKeys(this.element, hadFocus);
    if (this.element.offsetHeight === before) return;
    for (const place of this.#below) settleKeys(place);
  }

  /**
   * Announce a new notice to screen readers.
   * @param {import("./notice_words.js").Words | null} words
   */
  #tell(words) {
    const frozen = this.#isFrozen ? t("notices.frozen") : "";
    const said = [words && `${words.who}: ${words.what} ${words.todo}`, frozen].filter(Boolean).join(" ").trim();
    if (said !== "" && said !== this.#said) announce(said, { assertive: true });
    this.#said = said;
  }

  /**
   * Load the replay's texts when a notice first needs them; until then, or offline, the record's
   * own words are shown.
   * @param {Table} table
   * @param {BySeat<string>} names
   */
  #askWords(table, names) {
    if (this.#hasWords) return;
    this.#hasWords = true;
    const again = () => this.update(table, names);
    loadTexts("replay", ...(language === "en" ? [] : ["findings"])).then(again, () => {});
  }
}
