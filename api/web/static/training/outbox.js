// The outbox of training: keeps entries in memory only, and never sends them.

/** @import { Act, Entry, Outbox, OutboxStatus, RecordOptions } from "../shared/types.js" */

/** The match id of training, which no server knows. */
export const TRAINING = "training";

/**
 * Entries in memory, without a store or a network.
 * @implements {Outbox}
 */
export class TrainingOutbox extends EventTarget {
  match_id = TRAINING;
  log_id = TRAINING;
  device = TRAINING;
  assignment = null;
  server_clock = null;
  terms = {};
  /** @type {readonly Entry[]} */ entries = [];
  /** @type {readonly Entry[]} */ parked = [];
  /** @type {OutboxStatus} */
  status = {
    unsent: 0,
    files: 0,
    ack_age_ms: null,
    link: "online",
    parked: 0,
    secure: true,
    signing: "absent",
    role: "scribe",
    lease: null,
    profile: "no_assist",
    alarm: null,
  };

  /** @param {readonly Act[]} opening the acts recorded at the start */
  constructor(opening) {
    super();
    this.#add(opening);
  }

  /** @param {readonly Act[]} acts @returns {Entry[]} */
  #add(acts) {
    const added = acts.map(({ tag, body, basis = "observed", schema = 1 }, index) => {
      const version = this.entries.length + index + 1;
      const entry_id = `training-${version}`;
      return { entry_id, version, tag, schema, basis, body, state: /** @type {const} */ ("sent") };
    });
    this.entries = [...this.entries, ...added];
    return added;
  }

  /**
   * @param {string} tag
   * @param {Record<string, any>} body
   * @param {RecordOptions} [options]
   */
  async record(tag, body, options = {}) {
    const [entry] = await this.recordAll([{ tag, body, ...options }]);
    return entry;
  }

  /** @param {readonly Act[]} acts */
  async recordAll(acts) {
    const added = this.#add(acts);
    this.dispatchEvent(new Event("change"));
    return added;
  }

  /** Accept a file, and discard it. */
  async attach() {
    return "0".repeat(64);
  }

  /** There is nothing to send. */
  async flush() {}

  /** There is nothing to hand over. */
  async exportUnsent() {
    return new Blob([]);
  }

  /** There is nothing to let go of. */
  close() {}
}
