// Keeps the table of a match up to date: new entries are folded onto it, not all entries again.

import { extend, fold } from "../../fold/fold.js";

/** @import { Entry, FoldTerms, Outbox, Table } from "../../shared/types.js" */

/** The folded table of an outbox's entries. */
export class Folding {
  /** @type {Table} */ table;
  /** @type {readonly Entry[]} */ #entries;
  /** @type {FoldTerms} */ #terms;
  /** The entries that `table` is folded from, as `nameOf` gives them. @type {string[]} */ #names;

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
 * The identity of an entry for the fold: it changes if the director takes a parked entry over.
 * @param {Entry} entry
 */
function nameOf(entry) {
  return entry.state === "parked" ? `${entry.entry_id} parked` : entry.entry_id;
}
