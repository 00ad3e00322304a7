// Keeps taps that are not recorded yet over a reload, in localStorage.

import { remember } from "../../shared/settings.js";

/** @typedef {import("./turn.js").Turn} Turn */

/** The taps of one play of a match. They are less durable than entries: a browser killed within a
 * minute of a tap may lose it, and remember earlier ones. */
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
   * Forget taps that have been recorded or no longer matter.
   * @param {string} [roll] only the taps of this roll; default: all
   */
  forget(roll) {
    if (roll === undefined || this.of(roll) !== null) localStorage.removeItem(this.#place);
  }

  /**
   * The taps after a roll; null if there are none.
   * @param {string} roll
   * @returns {string[] | null}
   */
  of(roll) {
    const kept = JSON.parse(localStorage.getItem(this.#place) ?? "null");
    return kept?.roll === roll ? kept.words : null;
  }
}
