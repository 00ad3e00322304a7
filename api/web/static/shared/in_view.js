// Scrolls to the target of a link.

/**
 * Scroll, as little as needed, to an element whose middle is off the screen.
 *
 * @param {Element} element
 */
export function bringOnScreen(element) {
  const { top, bottom } = element.getBoundingClientRect();
  const middle = (top + bottom) / 2;
  if (middle < 0 || middle > innerHeight) element.scrollIntoView({ block: "nearest" });
}
