// Who is meant in a sheet where that had to be chosen: an answer goes with its line, wherever that is moved.

/**
 * What was chosen for a cell, with the line as it read then.
 *
 * @typedef {{ line: number, cell: string, text: string, heading: string, player: string }} Answer
 */

/**
 * An answer to what a preview asks about one cell.
 *
 * @param {string} sheet as it was looked at
 * @param {string} key of the cell: line, side and place
 * @param {string} player whose id it is, or `new`
 * @returns {Answer}
 */
export function answerOf(sheet, key, player) {
  const lines = linesOf(sheet);
  const [line, ...cell] = key.split(".");
  const at = Number(line);
  return { line: at, cell: cell.join("."), text: lines[at - 1] ?? "", heading: lines[0] ?? "", player };
}

/**
 * The answers that still hold, by the cells as the sheet has them now: of a line that reads otherwise, or that
 * cannot be told from another one, nobody has said who is meant.
 *
 * @param {string} sheet
 * @param {readonly Answer[]} answers the later go before the earlier
 * @returns {Record<string, string>}
 */
export function holding(sheet, answers) {
  const lines = linesOf(sheet);
  /** @type {Record<string, string>} */
  const held = {};
  for (const { line, cell, text, heading, player } of answers) {
    // Under another heading a cell may be another side's.
    const isHeaded = line === 1 || lines[0] === heading;
    const places = lines.flatMap((one, index) => (one === text ? [index + 1] : []));
    const at = places.includes(line) ? line : places.length === 1 ? places[0] : undefined;
    if (isHeaded && at !== undefined) held[`${at}.${cell}`] = player;
  }
  return held;
}

/** @param {string} sheet */
const linesOf = (sheet) => sheet.split(/\r\n|\r|\n/);
