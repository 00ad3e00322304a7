// Keyboard control of the replay, with the usual keys of chess replays.

import { disputed } from "./transport.js";

/** @import { Player } from "./transport.js" */
/** @import { Viewer } from "./viewer.js" */

/**
 * Listen to the keys of the page.
 *
 * @param {Viewer} viewer
 * @param {Player} player
 */
export function listenToKeys(viewer, player) {
  const acts = actsOf(viewer, player);
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTaken(event)) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    // On many keyboards these two signs need Shift.
    const isSign = key === "?" || key === "$";
    const act = acts[event.shiftKey && !isSign ? `Shift+${key}` : key];
    if (act === undefined) return;
    event.preventDefault();
    act();
  });
}

/** @param {Viewer} viewer @param {Player} player @returns {Record<string, () => void>} */
function actsOf(viewer, player) {
  const go = viewer.go.bind(viewer);
  const on = () => go(viewer.reader.beside(1));
  const back = () => go(viewer.reader.beside(-1));
  const turnOn = () => go(viewer.reader.turnBeside(1));
  const turnBack = () => go(viewer.reader.turnBeside(-1));
  const first = () => go(viewer.reader.momentOf(0));
  const last = () => go(viewer.reader.momentOf(Infinity));
  const gameOn = () => go(viewer.reader.gameBeside(1));
  const gameBack = () => go(viewer.reader.gameBeside(-1));
  return {
    ArrowRight: on,
    j: on,
    ArrowLeft: back,
    k: back,
    "Shift+ArrowRight": turnOn,
    "Shift+ArrowLeft": turnBack,
    PageDown: gameOn,
    n: gameOn,
    PageUp: gameBack,
    p: gameBack,
    Home: first,
    0: first,
    End: last,
    $: last,
    d: () => disputed(viewer, 1),
    "Shift+d": () => disputed(viewer, -1),
    b: () => viewer.look("before"),
    a: () => viewer.look("after"),
    f: () => viewer.flip(),
    " ": () => player.toggle(),
    "?": () => void showKeys(),
  };
}

/**
 * Whether the focused element needs the key itself: a text field, a select, a button its space bar.
 * A checkbox needs no arrow keys.
 *
 * @param {KeyboardEvent} event
 */
export function isTaken(event) {
  if (document.querySelector("dialog[open]") !== null) return true;
  const target = /** @type {Element} */ (event.target);
  if (target.closest("input[type=text], input:not([type]), textarea, select") !== null) return true;
  // A focused video uses the same keys.
  if (target.closest("video") !== null && (event.key === " " || event.key.startsWith("Arrow"))) return true;
  if (event.key === " ") return target.closest("input, button, summary, a") !== null;
  return event.key.startsWith("Arrow") && target.closest("input:not([type=checkbox])") !== null;
}

/** Load and show the list of keys. */
export async function showKeys() {
  const { help } = await import("./help.js");
  await help();
}
