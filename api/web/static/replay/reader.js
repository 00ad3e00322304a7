// The reader's place in the record, and the places that steps and jumps lead to.

/** @import { Match, Moment, Scene, Step } from "./types.js" */

/** A match being read. Jumping to a moment and stepping to it give the same state. */
export class Reader {
  /** @param {Match} match */
  constructor(match) {
    this.match = match;
    /** The entries to step through: all but those about the record itself. */
    this.scenes = match.scenes.filter((scene) => !scene.is_custody);
    /** @type {Step} */
    this.step = "entries";
    /** @type {Moment} */
    this.at = { scene: 0, frame: null };
    this.times = timesOf(this.scenes);
  }

  /** The entry that is shown. */
  get scene() {
    return this.scenes[this.at.scene];
  }

  /** The reader's place as a number that grows with every step. */
  get place() {
    const { scene, frame } = this.at;
    const count = this.scenes[scene].frames.length;
    return scene + (frame === null ? 0 : (frame + 1) / (count + 1) - 1);
  }

  /**
   * One step on (1) or back (-1), by entries, turns or checkers; null at the end.
   *
   * @param {1 | -1} direction
   * @returns {Moment | null}
   */
  beside(direction) {
    if (this.step === "turns") return this.turnBeside(direction);
    if (this.step === "entries") return this.#entryBeside(direction);
    return direction === 1 ? this.#checkerAfter() : this.#checkerBefore();
  }

  /** @param {1 | -1} direction @returns {Moment | null} */
  #entryBeside(direction) {
    const { scene, frame } = this.at;
    if (frame !== null && direction === 1) return { scene, frame: null };
    return this.#whole(scene + direction);
  }

  /** @returns {Moment | null} */
  #checkerAfter() {
    const { scene, frame } = this.at;
    const count = this.scenes[scene].frames.length;
    if (frame !== null) return { scene, frame: frame + 1 < count ? frame + 1 : null };
    const following = this.scenes[scene + 1];
    if (following === undefined) return null;
    return { scene: scene + 1, frame: following.frames.length > 0 ? 0 : null };
  }

  /** @returns {Moment | null} */
  #checkerBefore() {
    const { scene, frame } = this.at;
    const count = this.scenes[scene].frames.length;
    if (frame === null && count > 0) return { scene, frame: count - 1 };
    if (frame !== null && frame > 0) return { scene, frame: frame - 1 };
    return this.#whole(scene - 1);
  }

  /** @param {number} scene @returns {Moment | null} */
  #whole(scene) {
    return scene >= 0 && scene < this.scenes.length ? { scene, frame: null } : null;
  }

  /**
   * The end of the next or previous turn.
   *
   * @param {1 | -1} direction
   * @returns {Moment | null}
   */
  turnBeside(direction) {
    const { scenes } = this;
    let index = this.at.scene;
    if (direction === 1) {
      if (this.at.frame === null && isLastOfTurn(scenes, index)) index += 1;
      while (index < scenes.length && !isLastOfTurn(scenes, index)) index += 1;
    } else {
      index -= 1;
      while (index >= 0 && !isLastOfTurn(scenes, index)) index -= 1;
    }
    return this.#whole(index);
  }

  /**
   * The beginning of the next game; or back to the beginning of this game, then the one before.
   *
   * @param {1 | -1} direction
   * @returns {Moment | null}
   */
  gameBeside(direction) {
    const here = this.scene.version;
    const starts = this.match.games.map((game) => game.version);
    const wanted =
      direction === 1
        ? starts.find((version) => version > here)
        : starts.findLast((version) => version < here);
    return wanted === undefined ? null : this.momentOf(wanted);
  }

  /**
   * The next or previous entry that is disputed, or on which a person has to decide.
   *
   * @param {1 | -1} direction
   * @returns {Moment | null}
   */
  disputedBeside(direction) {
    for (let index = this.at.scene + direction; ; index += direction) {
      const scene = this.scenes[index];
      if (scene === undefined) return null;
      if (scene.is_disputed) return { scene: index, frame: null };
    }
  }

  /**
   * The moment after the entry with a version, or after the last entry before it.
   *
   * @param {number} version
   * @returns {Moment}
   */
  momentOf(version) {
    let low = 0;
    let high = this.scenes.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.scenes[middle].version <= version) low = middle + 1;
      else high = middle;
    }
    return { scene: Math.max(0, low - 1), frame: null };
  }

  /** The dispute of the entry shown: the last one raised by then, else the next one. */
  get dispute() {
    const { disputes } = this.match;
    const { version } = this.scene;
    return disputes.findLast((one) => one.frozen <= version) ?? disputes[0] ?? null;
  }
}

/**
 * Whether an entry is the last one of its turn in the record.
 *
 * @param {readonly Scene[]} scenes
 * @param {number} index
 */
export function isLastOfTurn(scenes, index) {
  const here = scenes[index];
  const following = scenes[index + 1];
  return following === undefined || here.game !== following.game || here.turn !== following.turn;
}

/**
 * The time of each entry in milliseconds, interpolated where unknown. Null if fewer than two times
 * are known, so that only the order counts.
 *
 * @param {readonly Scene[]} scenes
 * @returns {number[] | null}
 */
function timesOf(scenes) {
  /** @type {[number, number][]} */
  const known = [];
  scenes.forEach((scene, index) => {
    // If a clock was set back, the timeline stands still instead of running backwards.
    const last = known.at(-1)?.[1] ?? -Infinity;
    if (scene.at_ms !== null) known.push([index, Math.max(scene.at_ms, last)]);
  });
  if (known.length < 2) return null;
  const times = new Array(scenes.length).fill(0);
  const [first, last] = [known[0], known[known.length - 1]];
  for (let index = 0; index < first[0]; index += 1) times[index] = first[1] - (first[0] - index) * 1000;
  for (let index = last[0]; index < times.length; index += 1) {
    times[index] = last[1] + (index - last[0]) * 1000;
  }
  for (let part = 1; part < known.length; part += 1) {
    const [start, from] = known[part - 1];
    const [end, to] = known[part];
    for (let index = start; index < end; index += 1) {
      times[index] = from + ((to - from) * (index - start)) / (end - start);
    }
  }
  return times;
}
