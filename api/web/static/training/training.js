// Training: the real recorder over a match in memory, with exercises.

import { announce, fill, h } from "../shared/dom.js";
import { loadTexts, t } from "../shared/texts.js";
import { Recorder } from "../tablet/acts/recorder.js";
import { Screen } from "../tablet/screen/screen.js";
import { TrainingOutbox } from "./outbox.js";
import { LAST, STEPS } from "./steps.js";

/** @import { Act } from "../shared/types.js" */

/**
 * Train until the page is left. Nothing of it is stored, sent or counted.
 * @param {Element} place
 */
export async function train(place) {
  await loadTexts("training");
  await styled();
  document.title = t("training.mark");
  document.body.classList.add("training");
  new Training(place).begin(0);
}

/** Leave training, for the match that waits or for the code. */
export function leave() {
  location.assign("/tablet");
}

/** @returns {Promise<unknown>} */
function styled() {
  const link = h("link", { rel: "stylesheet", href: new URL("./training.css", import.meta.url).href });
  const loaded = new Promise((resolve) => {
    link.addEventListener("load", resolve);
    link.addEventListener("error", resolve);
  });
  document.head.append(link);
  return loaded;
}

/**
 * The acts recorded when a step begins, as if earlier steps were done.
 * @param {number} step
 * @returns {Act[]}
 */
function acts(step) {
  const opened = {
    players: { one: [{ name: t("training.one") }], two: [{ name: t("training.two") }] },
    length: 5,
  };
  /** @type {Act[]} */
  const all = [
    { tag: "match.opened", body: opened },
    { tag: "game.started", body: { number: 1 } },
    ...STEPS.slice(0, step).flatMap(({ skipped }) => skipped),
  ];
  return all.map((act, at) =>
    act.body.target === LAST ? { ...act, body: { ...act.body, target: `training-${at}` } } : act,
  );
}

class Training {
  #place;
  #step = 0;
  #from = 0;
  /** @type {Screen | null} */ #screen = null;
  /** @type {TrainingOutbox | null} */ #outbox = null;
  #said = h("p", { class: "say", role: "status" });
  #count = h("span", { class: "badge number" });
  #skip = h("button", { type: "button", dataset: { act: "training_skip" } });

  /** @param {Element} place */
  constructor(place) {
    this.#place = place;
    this.#skip.addEventListener("click", () => this.#skipped());
    const key = (/** @type {string} */ name, /** @type {() => void} */ act) =>
      h("button", { type: "button", dataset: { act: `training_${name}` }, on: { click: act } }, t(`training.${name}`));
    this.#bar = h(
      "section",
      { class: "training-bar", "aria-label": t("training.mark") },
      h("p", { class: "mark" }, t("training.mark"), this.#count),
      this.#said,
      h("div", { class: "ways" }, this.#skip, key("restart", () => this.begin(0)), key("leave", leave)),
    );
  }

  #bar;

  /** Begin at a step, with a new record. @param {number} step */
  begin(step) {
    this.#screen?.close();
    const outbox = new TrainingOutbox(acts(step));
    // Kept taps of an earlier training do not belong to these rolls.
    localStorage.removeItem("tabularium.taps.training");
    const recorder = new Recorder(outbox, "no-assist");
    this.#outbox = outbox;
    this.#screen = new Screen(recorder, () => this.begin(0));
    recorder.addEventListener("change", () => this.#look(recorder));
    fill(this.#place, h("div", { class: "trained" }, this.#bar, this.#screen.element));
    this.#at(step);
  }

  /** @param {number} step */
  #at(step) {
    this.#step = step;
    this.#from = this.#outbox?.entries.length ?? 0;
    const isOver = step >= STEPS.length;
    const said = t(`training.step_${isOver ? "end" : STEPS[step].name}`);
    this.#said.textContent = said;
    this.#count.textContent = isOver ? "" : `${step + 1}/${STEPS.length}`;
    this.#skip.hidden = isOver;
    this.#skip.textContent = t("training.skip");
    announce(said);
  }

  /** @param {Recorder} recorder */
  #look(recorder) {
    if (recorder.outbox !== this.#outbox || this.#step >= STEPS.length) return;
    const { told, table, outbox } = recorder;
    const isSince = (/** @type {{ version: number }} */ { version }) => version > this.#from;
    const made = outbox.entries.filter(isSince);
    // Use the table as shown: a play that looks open must be completed before the next step.
    if (STEPS[this.#step].isDone(table, told.standing.filter(isSince), made)) this.#at(this.#step + 1);
  }

  #skipped() {
    if (this.#step < STEPS.length) this.begin(this.#step + 1);
  }
}
