// Taps that are no entry yet: the browser keeps their words over a reload.

import { remember } from "../../shared/settings.js";

/** @typedef {import("./turn.js").Turn} Turn */

/** The words of one play of a match. They are not durable as entries are: a browser that is killed
 * within a minute of a tap may lose it, and remember those before it. */
export class KeptTaps {
  #place;

  /** @param {string} match_id */
  constructor(match_id) {
    this.#place = `tabularium.taps.${match_id}`;
  }

  /** @param {string} roll entry of the roll that the play belongs to @param {readonly string[]} words */
  keep(roll, words) {
    remember(this.#place, JSON.stringify({ roll, words }));
  }

  /**
   * They are an entry now, or mean nothing any more.
   * @param {string} [roll] those of this roll; left out, whatever is kept
   */
  forget(roll) {
    if (roll === undefined || this.of(roll) !== null) localStorage.removeItem(this.#place);
  }

  /**
   * What was tapped since a roll; null if nothing was.
   * @param {string} roll
   * @returns {string[] | null}
   */
  of(roll) {
    const kept = JSON.parse(localStorage.getItem(this.#place) ?? "null");
    return kept?.roll === roll ? kept.words : null;
  }
}
