// Choices of who is meant in a cell of a sheet; each choice follows its line when that is moved.

/**
 * A choice for a cell, with the text of its line at that time.
 *
 * @typedef {{ line: number, cell: string, text: string, heading: string, player: string }} Answer
 */

/**
 * Make an answer to a preview's question about a cell.
 *
 * @param {string} sheet the text that the preview was made of
 * @param {string} key of the cell: line, side and place
 * @param {string} player the player's id, or `new`
 * @returns {Answer}
 */
export function answerOf(sheet, key, player) {
  const lines = linesOf(sheet);
  const [line, ...cell] = key.split(".");
  const at = Number(line);
  return { line: at, cell: cell.join("."), text: lines[at - 1] ?? "", heading: lines[0] ?? "", player };
}

/**
 * The answers that still apply, by cell of the sheet as it is now. An answer is dropped if its line
 * was changed, or was moved and has the same text as another one.
 *
 * @param {string} sheet
 * @param {readonly Answer[]} answers later ones override earlier ones
 * @returns {Record<string, string>}
 */
export function holding(sheet, answers) {
  const lines = linesOf(sheet);
  /** @type {Record<string, string>} */
  const held = {};
  for (const { line, cell, text, heading, player } of answers) {
    // Under another heading, the cell may belong to the other side.
    const isHeaded = line === 1 || lines[0] === heading;
    const places = lines.flatMap((one, index) => (one === text ? [index + 1] : []));
    const at = places.includes(line) ? line : places.length === 1 ? places[0] : undefined;
    if (isHeaded && at !== undefined) held[`${at}.${cell}`] = player;
  }
  return held;
}

/** @param {string} sheet */
const linesOf = (sheet) => sheet.split(/\r\n|\r|\n/);
