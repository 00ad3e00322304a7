// The queue of gestures: each is durable before the next one is looked at.

/** What a scribe does, one thing after the other. */
export class Gestures {
  /** @type {Promise<void>} */ #last = Promise.resolve();
  #waiting = 0;
  #taken;
  #failed;

  /**
   * @param {object} options
   * @param {() => void} options.taken called after each gesture, whatever came of it
   * @param {(error: unknown) => void} options.failed called before that, where it was refused
   */
  constructor({ taken, failed }) {
    this.#taken = taken;
    this.#failed = failed;
  }

  /** Whether a gesture was taken that is not durable yet. */
  get isBusy() {
    return this.#waiting > 0;
  }

  /** Settles once every gesture so far is through, whatever came of it. */
  get through() {
    return this.#last;
  }

  /**
   * @param {() => Promise<unknown>} gesture
   * @returns {Promise<void>}
   */
  take(gesture) {
    this.#waiting += 1;
    this.#last = this.#last.then(gesture).then(
      () => this.#done(),
      (error) => {
        this.#failed(error);
        this.#done();
      },
    );
    return this.#last;
  }

  #done() {
    this.#waiting -= 1;
    this.#taken();
  }
}
