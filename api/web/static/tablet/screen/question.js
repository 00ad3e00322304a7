// The question about an undetermined play, shown beside the board until it is answered.

import { fill, h, settleKeys } from "../../shared/dom.js";
import { joined, playWords } from "../../fold/notation.js";
import { t } from "../../shared/texts.js";
import { moved, seenBy } from "../../board/position.js";
import { brief } from "../acts/words.js";

/** @import { BySeat, CheckerMove, Position } from "../../shared/types.js" */
/** @typedef {import("../acts/asking.js").Asking} Asking */
/** @typedef {import("../acts/asking.js").Question} Question */
/** @typedef {import("../acts/recorder.js").Recorder} Recorder */

/** The bar with the question; dice, clock, cube and board stay usable. */
export class QuestionBar {
  element = h("section", { class: "question", "aria-label": t("question.label"), hidden: true });
  #recorder;
  #shown = "";

  /** @param {Recorder} recorder */
  constructor(recorder) {
    this.#recorder = recorder;
  }

  /** @param {BySeat<string>} names */
  update(names) {
    const { asking, fixing } = this.#recorder;
    const { question } = asking;
    const isOpen = question !== null && fixing === null && !this.#isTaken;
    const { isUntapped, isRolling, isAnew, count } = asking;
    const words = question?.turn?.words.join(" ");
    // A correction of the dice or of earlier entries changes which plays fit the same taps.
    const fits = () => [aboutWords(question, names), ...asking.choices.map(({ key }) => key)];
    const shown = isOpen ? [question.entry.entry_id, words, isUntapped, isRolling, isAnew, count, ...fits()].join() : "";
    if (shown === this.#shown) return;
    this.#shown = shown;
    this.element.hidden = !isOpen;
    if (!isOpen) return fill(this.element);
    settleKeys(this.element);
    fill(
      this.element,
      h("p", { class: "asked" }, this.#asks(question, brief(names))),
      h("div", { class: "answers" }, ...this.#keys(question)),
    );
  }

  /** Whether another tablet has the board now. */
  get #isTaken() {
    return this.#recorder.outbox.status.role === "none";
  }

  /** @param {Question} question @param {BySeat<string>} names */
  #asks(question, names) {
    const { asking } = this.#recorder;
    const { turn } = question;
    const about = aboutWords(question, names);
    if (asking.isRolling) return t("question.key_dice", { about });
    if (asking.isUntapped) return t("question.no_play", { about });
    const key = asking.isAnew && turn?.points.length === 0 ? "tap" : asking.choices.length > 0 ? "which" : "more";
    return t(`question.${key}`, { about });
  }

  /** @param {Question} question */
  #keys({ entry, turn }) {
    const { asking } = this.#recorder;
    const key = (/** @type {string} */ act, /** @type {(asking: Asking) => any} */ answer) =>
      h(
        "button",
        { type: "button", dataset: { act }, on: { click: () => this.#recorder.answerWith(entry, answer) } },
        t(`question.${act}`),
      );
    const unseen = key("not_seen", (all) => all.unseen());
    if (asking.isUntapped) {
      const nothing = key("nothing", (all) => all.nothing());
      return [nothing, key("mistyped", (all) => all.mistyped()), unseen];
    }
    const position = turn && seenBy(turn.before, turn.seat);
    const choices = asking.choices.map((choice) =>
      h(
        "button",
        {
          type: "button",
          class: "number",
          dataset: { act: "choose" },
          on: { click: () => this.#recorder.answerWith(entry, (all) => all.choose(choice)) },
        },
        position ? choiceWords(position, choice.moves) : "",
      ),
    );
    return [...choices, unseen, asking.isAnew ? null : key("another", (all) => all.anew())];
  }
}

/**
 * The heading if taps go to the play of the question and not to the one that the table waits for;
 * else null.
 * @param {Recorder} recorder
 * @param {BySeat<string>} names
 */
export function firstWords({ asking, entering, table }, names) {
  const { question } = asking;
  const isAsked = question !== null && question.turn !== null && entering === question.turn;
  if (!isAsked || table.awaits !== "play") return null;
  return t("question.first", { about: aboutWords(question, names) });
}

/** @param {Question | null} question @param {BySeat<string>} names */
function aboutWords(question, names) {
  if (question === null) return "";
  const { entry, before } = question;
  const [first, second] = before.dice ?? [];
  const roll = first && second ? `${Math.max(first, second)}${Math.min(first, second)}` : "";
  return `${names[/** @type {"one" | "two"} */ (entry.body.seat)]} ${roll}`.trim();
}

/**
 * A play in words that differ from every other choice: where each checker went, and each hit.
 * @param {Position} position before the play
 * @param {readonly CheckerMove[]} moves
 */
function choiceWords(position, moves) {
  const { hits } = moved(position, moves);
  const ways = joined(moves);
  const isPassing = hits.some((point) => ways.every(([, to]) => to !== point));
  return playWords(isPassing ? moves : ways, hits) || t("question.nothing");
}
