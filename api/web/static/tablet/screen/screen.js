// The recorder's screen: header, notices, board between the players, panel, question.

import "../../board/element.js";
import { announce, h, settleKeys } from "../../shared/dom.js";
import { choices, onChoice } from "../../shared/settings.js";
import { t } from "../../shared/texts.js";
import { openChoices, openHelp } from "./choices.js";
import { Header } from "./header.js";
import { listenToKeys } from "../acts/keyboard.js";
import { Notices } from "./notices.js";
import { heading, Panel } from "./panel.js";
import { part } from "../../shared/parts.js";
import { PlayerStrip } from "./players.js";
import { QuestionBar } from "./question.js";
import { click, keepAwake } from "./senses.js";
import { marksOf } from "../acts/turn.js";
import { deed, lastLines, namesOf } from "../acts/words.js";

/** @import { Act, BySeat, Entry, Mark, Place, Seat, SheetContext } from "../../shared/types.js" */
/** @typedef {import("../acts/recorder.js").Recorder} Recorder */

const TICK_MS = 200;

/** Most lines read aloud at once; a late frame may have two or three. */
const MOST_HEARD = 3;

/** After these acts of a sheet, a half-tapped play is not continued. */
const ENDS = /^(resignation\.offered|game\.won|match\.ended|position\.stated)$/;

/** Acts that end the turn, so the play comes before them. */
const ENDS_TURN = /^(turn\.ended|clock\.pressed)$/;

/** Whether a half-tapped play is not continued after this act. @param {Act} act */
function isEnd({ tag, basis, body }) {
  return ENDS.test(tag) || (tag === "claim.made" && basis === "agreed") || (tag === "claim.ruled" && body.holds);
}

/** The screen of one match being recorded. */
export class Screen {
  #recorder;
  #done;
  #board = /** @type {any} */ (document.createElement("tb-board"));
  /** @type {PlayerStrip[]} */ #strips = [];
  #table = h("div", { class: "playing" });
  #panel;
  #question;
  #header;
  #notices;
  /** @type {(() => void)[]} */ #offs = [];
  #said = "";
  /** The line that was read aloud last; null before the first. @type {string | null} */
  #line = null;
  /** The roll that was read aloud last. @type {string | null} */
  #rolled = null;
  #flipped = false;
  #isClosed = false;
  #isAsked = false;
  /** Whether a sheet is being loaded. */
  #isOpening = false;
  /** What the screen was last drawn from. @type {unknown[]} */
  #drawn = [];

  /**
   * @param {Recorder} recorder
   * @param {() => void} done called when the next match is wanted
   */
  constructor(recorder, done) {
    this.#recorder = recorder;
    this.#done = done;
    this.#panel = new Panel(recorder, done, () => void this.openAgain());
    this.#question = new QuestionBar(recorder);
    const below = [this.#table, this.#panel.element];
    const open = {
      menu: () => void this.openMenu(),
      view: () => void openChoices(recorder),
      help: () => this.openHelp(),
      next: done,
      device: () => void this.openDevice(),
      call: () => void this.openCall(),
    };
    this.#header = new Header(recorder, open, below);
    this.#notices = new Notices(recorder, below);
    const top = h("div", { class: "top" }, this.#header.element, this.#notices.element);
    this.element = h("div", { class: "recorder" }, top, this.#table, this.#panel.element);
    this.#panel.element.querySelector(".tail")?.append(this.#question.element);
    this.#board.addEventListener("tb-tap", (/** @type {CustomEvent} */ event) =>
      recorder.tap(event.detail.place),
    );
    this.#seat();
    const draw = () => this.#ask();
    const refused = (/** @type {Event} */ event) => this.#refused(event);
    recorder.addEventListener("change", draw);
    recorder.addEventListener("echo", this.#echo);
    recorder.addEventListener("taken", () => this.#header.tick());
    recorder.addEventListener("refused", refused);
    onChoice(() => {
      if (this.#isClosed) return;
      this.#seat();
      this.draw();
    });
    const timer = setInterval(() => this.#tick(), TICK_MS);
    this.#offs = [
      () => recorder.removeEventListener("change", draw),
      () => recorder.removeEventListener("refused", refused),
      () => clearInterval(timer),
      listenToKeys(recorder, this),
      keepAwake(),
    ];
    this.draw();
  }

  /** Remove the screen from the page. */
  close() {
    this.#isClosed = true;
    for (const off of this.#offs) off();
    this.#recorder.close();
    this.element.remove();
  }

  /** Turn the board round on this screen. */
  flip() {
    this.#flipped = !this.#flipped;
    this.#seat();
    this.draw();
  }

  /** Who sits at the bottom of this screen. @returns {Seat} */
  get bottom() {
    const { bottom } = choices();
    if (!this.#flipped) return bottom;
    return bottom === "one" ? "two" : "one";
  }

  /** From whose side the points are numbered: the player on roll's, unless chosen otherwise. @returns {Seat} */
  get numbered() {
    const { fixing, told, turn, asking } = this.#recorder;
    // A play that is asked for uses the numbers of its own player.
    const asked = turn === null ? asking.question?.turn?.seat : undefined;
    const mover = choices().numbers === "turn" ? (fixing?.turn.seat ?? asked ?? told.on_roll) : null;
    return mover ?? this.bottom;
  }

  /** Open the help. */
  openHelp() {
    void openHelp();
  }

  /** Start the next game, or go on to the next match: the big key between games. */
  next() {
    const { table } = this.#recorder;
    if (table.awaits === "nothing" || table.awaits === "cancelled") this.#done();
    else if (!table.in_game) void this.#recorder.score.startGame();
  }

  /** Confirm the score for the player at the bottom first, then for the other. */
  confirmNext() {
    void this.#recorder.score.confirmNext(this.bottom === "one" ? ["one", "two"] : ["two", "one"]);
  }

  /** Open the menu of all sheets. */
  openMenu() {
    // An incomplete play stays open: opening a sheet is not an act that follows it.
    return this.#open(() => import("../sheets/menu.js"), (menu) => menu.openMenu);
  }

  /** Open the sheet about a roll that does not count, entered or not. */
  openAgain() {
    return this.#open(() => import("../sheets/dice.js"), (dice) => dice.openVoid);
  }

  /** Open the sheet about a call for the director. */
  openCall() {
    return this.#open(() => import("../sheets/director.js"), (director) => director.openCall);
  }

  /** Open the sheet about this tablet: unsent entries and alarms. */
  async openDevice() {
    const device = await part(() => import("../sheets/device.js"));
    await device?.openDevice(this.#context());
  }

  /**
   * Open a sheet once earlier taps are recorded, because it may ask about them; a double touch opens one.
   * @template T
   * @param {() => Promise<T>} load
   * @param {(part: T) => (context: SheetContext) => Promise<unknown>} sheetOf
   */
  async #open(load, sheetOf) {
    if (this.#isOpening) return;
    this.#isOpening = true;
    await this.#recorder.through;
    const found = await part(load);
    this.#isOpening = false;
    if (found === null || this.#isClosed) return;
    await sheetOf(found)(this.#context());
    this.#recorder.refresh();
  }

  /** @returns {SheetContext} */
  #context() {
    const recorder = this.#recorder;
    return {
      outbox: recorder.outbox,
      table: () => recorder.table,
      names: namesOf(recorder.table.standing),
      atMs: () => recorder.time.taken(),
      readings: (presser) => this.#readings(presser),
      profile: recorder.profile,
      before: (acts) => {
        const seat = recorder.turn?.seat ?? recorder.table.on_roll;
        const isOver = acts.some(({ tag, body }) => ENDS_TURN.test(tag) && body.seat === seat);
        if (isOver) return this.#first(() => recorder.settle());
        return acts.some(isEnd) ? this.#first(() => recorder.atHand.leave()) : undefined;
      },
      changed: () => recorder.kept(),
    };
  }

  /**
   * Do what comes before the acts of a sheet: if that fails, the acts are not recorded either.
   * @param {() => Promise<unknown>} work
   */
  async #first(work) {
    /** @type {unknown} */
    let failed = null;
    await this.#recorder.gesture(() => work().catch((error) => {
      failed = error;
      throw error;
    }));
    if (failed !== null) throw failed;
  }

  /** @param {Seat} [presser] */
  #readings(presser) {
    const { clock } = this.#recorder;
    if (!clock.isUsed) return null;
    if (presser) return clock.afterPress(presser);
    const { one, two } = clock.shown;
    return { one: one.reserve_ms, two: two.reserve_ms };
  }

  #seat() {
    const bottom = this.bottom;
    const top = bottom === "one" ? "two" : "one";
    this.#strips = [
      new PlayerStrip(this.#recorder, top, "top"),
      new PlayerStrip(this.#recorder, bottom, "bottom"),
    ];
    this.#table.replaceChildren(this.#strips[0].element, this.#board, this.#strips[1].element);
  }

  /** One tap causes several changes (stored, folded, acknowledged), which are drawn once per frame. */
  #ask() {
    if (this.#isAsked) return;
    this.#isAsked = true;
    requestAnimationFrame(() => {
      this.#isAsked = false;
      if (!this.#isClosed) this.#redraw();
    });
  }

  /** Draw everything. */
  draw() {
    this.#drawn = [];
    this.#redraw();
  }

  /** Draw only what has changed: dice being recorded change the board, a receipt changes nothing here. */
  #redraw() {
    const { table, told, thrown, turn, entering, asking, fixing, trouble, profile, outbox } =
      this.#recorder;
    const names = namesOf(table.standing);
    const { words = null, recorded = null } = entering ?? {};
    const asked = [asking.question, asking.isRolling, asking.isAnew];
    const look = [table, turn, words, recorded, ...asked, fixing, trouble, profile, outbox.status.role];
    const isSame = look.every((part, at) => part === this.#drawn[at + 1]);
    if (!isSame || thrown !== this.#drawn[0]) this.#drawBoard(names);
    this.#drawn = [thrown, ...look];
    const over = this.#recorder.drawn();
    // Once an earlier play is complete, a tap meant for it must not go to another play.
    if (over !== null) this.#panel.settle(over);
    if (over !== null) settleKeys(this.#board, this.#board.contains(document.activeElement));
    if (isSame) return this.#tick();
    this.#header.update(table);
    for (const strip of this.#strips) strip.update(told, names);
    this.#panel.update(told, names);
    this.#notices.update(table, names);
    this.element.classList.toggle("is-frozen", this.#notices.isFrozen);
    this.#question.update(names);
    this.#tell(names);
  }

  /** @param {BySeat<string>} names */
  #drawBoard(names) {
    const { table, entering, profile, thrown } = this.#recorder;
    const board = this.#board;
    const shown = entering?.board ?? table.board;
    const dice = thrown?.dice ?? (entering ? entering.dice : table.dice);
    board.labels = names;
    board.bottom = this.bottom;
    board.numbered = this.numbered;
    board.direction = choices().direction;
    board.board = shown;
    board.cube = table.cube;
    board.dice = dice;
    board.diceSeat = thrown?.seat ?? entering?.seat ?? table.on_roll;
    board.turn = entering?.seat ?? table.to_act;
    board.interactive = true;
    board.marks = this.#marks(profile === "monitor");
    board.classList.toggle("unknown", table.in_game && shown === null);
  }

  /** @param {boolean} mayHelp @returns {Map<Place, Mark>} */
  #marks(mayHelp) {
    const { table, entering } = this.#recorder;
    if (entering) {
      const marks = entering.marks;
      if (mayHelp) for (const place of entering.sources) if (!marks.has(place)) marks.set(place, "target");
      return marks;
    }
    const { last_play, awaits } = table;
    if (last_play === null || (awaits !== "roll" && awaits !== "answer")) return new Map();
    return marksOf(last_play.seat, last_play.entry.body.moves ?? []);
  }

  /**
   * What a screen reader reads after each gesture: what was entered, the dice, who acts next, and the taps
   * of a play so far; never whether it is legal. Gestures of one frame are read together.
   * @param {BySeat<string>} names
   */
  #tell(names) {
    const { entering, told } = this.#recorder;
    const lines = lastLines(told, MOST_HEARD, names);
    const keys = lines.map(({ entry, text }) => `${entry.entry_id} ${text}`);
    const known = this.#line === null ? 0 : keys.indexOf(this.#line);
    // The line read last may have been retracted, or be far back; then the newest line is enough.
    const done = lines
      .slice(0, known < 0 ? 1 : known)
      .map(({ seat, text }) => (seat ? `${names[seat]} ${text}` : text))
      .reverse();
    this.#line = keys[0] ?? "";
    const dice = this.#newDice(names);
    if (dice) done.push(dice);
    const next = heading(this.#recorder, told, names);
    const play = entering?.told ?? "";
    const said = `${next} ${play}`;
    if (said === this.#said && done.length === 0) return;
    const isSame = this.#said.startsWith(`${next} `);
    this.#said = said;
    announce([...done, isSame && play ? "" : next, play].filter(Boolean).join(". "));
  }

  /**
   * Dice that are new on the board: no line mentions them before their play.
   * @param {BySeat<string>} names
   */
  #newDice(names) {
    const { table, turn } = this.#recorder;
    const { roll, seat, dice } = turn ?? { roll: table.roll_entry, seat: table.dice_seat, dice: table.dice };
    const rolled = dice && seat ? `${roll} ${dice}` : null;
    const isNew = rolled !== null && rolled !== this.#rolled;
    this.#rolled = rolled;
    if (!isNew || !dice || !seat) return "";
    return t("board.dice", { name: names[seat], one: dice[0], two: dice[1] });
  }

  /** @param {Event} event */
  #refused(event) {
    const { why, about } = /** @type {CustomEvent<{ why: string, about?: Entry }>} */ (event).detail;
    const what = about ? deed(about, this.#recorder.names) : "";
    const text = t(`tablet.refused_${why}`, { what });
    // The panel's note is read aloud.
    this.#panel.say(text);
    if (why === "clock_unknown") void this.#readClock();
  }

  /** Ask what the clocks show when somebody starts one whose times are unknown. */
  async #readClock() {
    const clock = await part(() => import("../sheets/clock.js"));
    await clock?.openClockRead(this.#context());
  }

  #echo = () => {
    this.#panel.say("");
    this.#header.tick();
    click();
  };

  #tick() {
    this.#header.tick();
    for (const strip of this.#strips) strip.tick();
  }
}
