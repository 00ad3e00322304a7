// Accessible names of the places of a board, for screen readers.

import { t } from "../shared/texts.js";
import { BAR, OFF, otherSeat, pointOf } from "./position.js";

/** @import { Board, BySeat, Mark, Place, Seat } from "../shared/types.js" */

/** How many checkers a player has on a place. @typedef {{ seat: Seat, count: number }} Count */

/**
 * The checkers on a place. On a point only players who have some are listed, the player at the
 * bottom first; for a bar or tray its owner is listed, even without checkers.
 * @param {Place} place
 * @param {Board} board
 * @param {Seat} bottom
 * @returns {Count[]}
 */
export function countsAt(place, board, bottom) {
  const owner = ownerOf(place);
  if (owner !== null) return [{ seat: owner, count: board[owner][place.startsWith("bar") ? BAR : OFF] }];
  return [bottom, otherSeat(bottom)]
    .map((seat) => ({ seat, count: board[seat][pointOf(seat, place) ?? OFF] }))
    .filter(({ count }) => count > 0);
}

/**
 * The name of a place, with its checkers and its mark.
 * @param {Place} place
 * @param {object} look
 * @param {Count[]} look.counts
 * @param {Mark | null} look.mark
 * @param {boolean} look.isKnown whether it is known where the checkers are
 * @param {BySeat<string>} look.labels
 * @param {Seat} look.numbered from whose side points are numbered
 */
export function placeName(place, { counts, mark, isKnown, labels, numbered }) {
  const name = plainName(place, { counts, isKnown, labels, numbered });
  return mark === null ? name : t("board.marked", { name, mark: t(`board.mark.${mark}`) });
}

/**
 * @param {Place} place
 * @param {{ counts: Count[], isKnown: boolean, labels: BySeat<string>, numbered: Seat }} look
 */
function plainName(place, { counts, isKnown, labels, numbered }) {
  const owner = ownerOf(place);
  if (owner !== null) {
    const key = place.startsWith("bar") ? "board.bar" : "board.off";
    return t(key, { name: labels[owner], count: counts[0].count });
  }
  const point = pointOf(numbered, place) ?? 0;
  if (!isKnown) return t("board.unknown", { point });
  if (counts.length === 0) return t("board.empty", { point });
  const checkers = counts
    .map(({ seat, count }) =>
      t(count === 1 ? "board.checker" : "board.checkers", { count, name: labels[seat] }))
    .join(", ");
  return t("board.point", { point, checkers });
}

/** @param {Place} place @returns {Seat | null} whose bar or tray it is */
function ownerOf(place) {
  return place.endsWith("-one") ? "one" : place.endsWith("-two") ? "two" : null;
}
