// The table of a match, folded on as entries come: a tap adds one entry or two.

import { extend, fold } from "../../fold/fold.js";

/** @import { Entry, FoldTerms, Outbox, Table } from "../../shared/types.js" */

/** What is folded already is not folded again. */
export class Folding {
  /** @type {Table} */ table;
  /** @type {readonly Entry[]} */ #entries;
  /** @type {FoldTerms} */ #terms;
  /** What `table` is folded from. @type {string[]} */ #names;

  /** @param {Outbox} outbox */
  constructor({ entries, terms }) {
    this.#entries = entries;
    this.#terms = terms;
    this.#names = entries.map(nameOf);
    this.table = fold(entries, terms);
  }

  /** @param {Outbox} outbox */
  follow({ entries, terms }) {
    if (entries === this.#entries && terms === this.#terms) return;
    const known = this.#names;
    const names = entries.map(nameOf);
    const goesOn =
      known.every((name, at) => name === names[at]) &&
      JSON.stringify(terms) === JSON.stringify(this.#terms);
    this.table = goesOn
      ? entries.slice(known.length).reduce(extend, this.table)
      : fold(entries, terms);
    this.#entries = entries;
    this.#terms = terms;
    this.#names = names;
  }
}

/**
 * What an entry is for the fold: one that the director takes over is the same entry, and counts now.
 *
 * @param {Entry} entry
 */
function nameOf(entry) {
  return entry.state === "parked" ? `${entry.entry_id} parked` : entry.entry_id;
}
