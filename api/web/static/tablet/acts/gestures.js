// The queue of gestures: each is durable before the next one starts.

/** Runs the gestures of a scribe one after the other. */
export class Gestures {
  /** @type {Promise<void>} */ #last = Promise.resolve();
  #waiting = 0;
  #taken;
  #failed;

  /**
   * @param {object} options
   * @param {() => void} options.taken called after each gesture, also a failed one
   * @param {(error: unknown) => void} options.failed called before that if it failed
   */
  constructor({ taken, failed }) {
    this.#taken = taken;
    this.#failed = failed;
  }

  /** Whether a gesture is waiting or running. */
  get isBusy() {
    return this.#waiting > 0;
  }

  /** Resolves once every gesture so far has ended, also failed ones. */
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
