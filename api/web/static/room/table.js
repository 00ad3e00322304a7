// Draws the table at one entry: board, cube, dice, and the players.

import { fill, h } from "../shared/dom.js";
import { choices } from "../shared/settings.js";
import { t } from "../shared/texts.js";
import { clockText } from "./words.js";

/** @import { Board, BoardElement, BySeat, Seat } from "../shared/types.js" */
/** @import { Scene } from "../replay/types.js" */

/** Tags of entries after which the dice still lie there. */
const ASIDE = new Set([
  "clock.paused",
  "clock.resumed",
  "clock.read",
  "director.called",
  "evidence.attached",
  "moment.marked",
  "play.illegality_noticed",
  "question.left",
  "ruling.made",
  "table.disturbed",
  "testimony.given",
]);

/**
 * Draw the board after an entry, with the dice that lay there.
 *
 * @param {BoardElement} board
 * @param {Scene | undefined} scene
 * @param {readonly Scene[]} scenes
 * @param {BySeat<string>} names
 */
export function drawBoard(board, scene, scenes, names) {
  const chosen = choices();
  board.bottom = chosen.bottom;
  board.direction = chosen.direction;
  board.interactive = false;
  board.labels = names;
  board.board = scene?.checkers.one ? /** @type {Board} */ (scene.checkers) : null;
  board.cube = scene?.is_crawford ? null : scene?.cube ?? { value: 1, owner: null, offered_by: null };
  board.turn = scene?.to_act ?? null;
  const lying = scene ? lyingAt(scene, scenes) : null;
  const dice = lying?.dice.every((face) => face !== null) ? lying.dice : null;
  board.dice = /** @type {[number, number] | null} */ (dice);
  board.diceSeat = lying?.seat ?? null;
}

/**
 * The dice on the table at an entry. After entries that leave dice alone, such as calls and
 * disputes, they lie as an earlier entry of the same turn left them.
 *
 * @param {Scene} scene
 * @param {readonly Scene[]} scenes
 */
function lyingAt(scene, scenes) {
  for (let index = scenes.indexOf(scene); index >= 0; index -= 1) {
    const one = scenes[index];
    if (one === undefined || one.game !== scene.game || one.turn !== scene.turn) return null;
    if (one.lying) return one.lying;
    if (!one.tag.startsWith("dispute.") && !ASIDE.has(one.tag)) return null;
  }
  return null;
}

/**
 * Draw a player: colour, name, time left, score, and whether the player has to act.
 *
 * @param {HTMLElement} place
 * @param {Seat} seat
 * @param {Scene | undefined} scene
 * @param {BySeat<string>} names
 * @param {(Node | null)[]} [clock] the running time; default: the time at the entry
 */
export function drawPlate(place, seat, scene, names, clock = timeAt(scene, seat)) {
  fill(
    place,
    h("span", { class: ["disc", seat], "aria-hidden": "true" }),
    h("strong", { class: "who" }, names[seat]),
    scene?.to_act === seat && h("span", { class: "badge" }, t("room.to_act")),
    ...clock,
    h("span", { class: "number points" }, String(scene?.score[seat] ?? 0)),
  );
}

/**
 * A seat's time at an entry.
 *
 * @param {Scene | undefined} scene
 * @param {Seat} seat
 */
function timeAt(scene, seat) {
  const reserve = scene?.clock?.reserve_ms[seat] ?? null;
  if (reserve === null) return [];
  return [h("span", { class: ["number", "time", scene?.clock?.running === seat && "running"] }, clockText(reserve))];
}
