// Appends signed drafts to the device's chain in a log, and makes them durable.

import { drafted } from "./chain/drafting.js";
import { ChainMoved } from "./store/idb.js";

/** @import { Made } from "./chain/drafting.js" */
/** @import { Chain, DraftRow, Identity } from "./store/kinds" */

/** How often a draft is rebuilt because another tab extended the chain first. */
const TRIES = 20;

/** @typedef {Pick<import("./chain/drafting.js").Place, "match_id" | "lease" | "base">} Place */

/** The end of the device's chain in one log. */
export class ChainEnd {
  #store;
  #identity;
  #log;
  /** The chain as the last call here left it; null = read the store. @type {Chain | null} */
  #known = null;

  /**
   * @param {import("./store/store.js").Store} store
   * @param {Identity} identity
   * @param {string} log_id
   */
  constructor(store, identity, log_id) {
    this.#store = store;
    this.#identity = identity;
    this.#log = log_id;
  }

  /**
   * Append drafts to the chain; they are signed and durable when this resolves.
   * @param {Made[]} made
   * @param {{occurred_at: number, elapsed_ms: number}} moment
   * @param {Place} place
   * @returns {Promise<DraftRow[]>}
   * @throws {import("./store/idb.js").StorageFailed | ChainMoved}
   */
  async extended(made, moment, place) {
    for (let tries = 0; ; tries += 1) {
      try {
        return await this.#extended(made, moment, place);
      } catch (error) {
        if (!(error instanceof ChainMoved) || tries === TRIES) throw error;
      }
    }
  }

  /**
   * @param {Made[]} made
   * @param {{occurred_at: number, elapsed_ms: number}} moment
   * @param {Place} place
   */
  async #extended(made, moment, place) {
    const [log_id, identity] = [this.#log, this.#identity];
    // What is remembered may be outdated: `addDrafts` throws ChainMoved if the chain moved on.
    const before = this.#known ?? (await this.#store.chain(log_id, identity.epoch));
    this.#known = null;
    const { rows, chain } = await drafted(made, moment, { ...place, log_id, identity, chain: before });
    await this.#store.addDrafts(rows, chain, before.last_seq);
    this.#known = chain;
    return rows;
  }
}
