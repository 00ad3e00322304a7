// Helpers to build pages without a library: elements, dialogs, focus, announcements.

const TURNING = /[\u202a-\u202e\u2066-\u2069]/g;

/**
 * Replace invisible characters that change the direction of all following text: after a name with
 * one, 3-0 would read 0-3. Names in right-to-left scripts do not need them.
 *
 * @param {string} text
 */
export function unturned(text) {
  return text.replace(TURNING, "\ufffd");
}

/**
 * Make an element with properties, attributes and children. Text is never parsed as HTML.
 *
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Record<string, any> | null} [props] `class`, `dataset`, `on` (listeners by event name),
 *   and attributes: false, null and undefined leave an attribute out, true makes it empty
 * @param {...(Node | string | number | null | undefined | false | ReadonlyArray<Node | string | null | false>)} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function h(tag, props, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props ?? {})) setProp(element, name, value);
  append(element, children);
  return element;
}

/**
 * Make an SVG element.
 *
 * @param {string} tag
 * @param {Record<string, string | number | null | undefined | false>} [attributes]
 * @param {...(Node | string)} children
 * @returns {SVGElement}
 */
export function s(tag, attributes, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value !== null && value !== undefined && value !== false) {
      element.setAttribute(name, String(value));
    }
  }
  append(element, children);
  return element;
}

/**
 * @param {Element} element
 * @param {string} name
 * @param {any} value
 */
function setProp(element, name, value) {
  if (value === null || value === undefined || value === false) return;
  if (name === "on") {
    for (const [event, listener] of Object.entries(value)) {
      element.addEventListener(event, /** @type {EventListener} */ (listener));
    }
  } else if (name === "dataset") {
    Object.assign(/** @type {HTMLElement} */ (element).dataset, value);
  } else if (name === "class") {
    element.setAttribute("class", Array.isArray(value) ? value.filter(Boolean).join(" ") : value);
  } else if (name === "value" || name === "checked" || name === "disabled") {
    /** @type {any} */ (element)[name] = value;
  } else {
    element.setAttribute(name, value === true ? "" : unturned(String(value)));
  }
}

/**
 * @param {Element} element
 * @param {ReadonlyArray<any>} children
 */
function append(element, children) {
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    if (Array.isArray(child)) append(element, child);
    else element.append(child instanceof Node ? child : unturned(String(child)));
  }
}

/**
 * The element with this id; an error if the page has none.
 *
 * @param {string} id
 * @returns {HTMLElement}
 */
export function byId(id) {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`the page has no element #${id}`);
  return found;
}

/**
 * Replace all children of an element.
 *
 * @param {Element} element
 * @param {...(Node | string | null | undefined | false)} children
 */
export function fill(element, ...children) {
  element.replaceChildren();
  append(element, children);
}

/**
 * Announce a text to screen readers; assertive ones interrupt.
 *
 * @param {string} text
 * @param {{ assertive?: boolean }} [options]
 */
export function announce(text, { assertive = false } = {}) {
  const id = assertive ? "alert-region" : "live-region";
  let region = document.getElementById(id);
  if (region === null) {
    region = h("div", { id, class: "unseen", "aria-live": assertive ? "assertive" : "polite" });
    document.body.append(region);
  }
  // Emptied first, since the same text again would not be announced.
  region.textContent = "";
  const said = region;
  requestAnimationFrame(() => {
    said.textContent = unturned(text);
  });
}

/**
 * Open a modal dialog; resolves with the value that closed it, or null if it was dismissed.
 *
 * @param {string} title
 * @param {(close: (value?: string) => void) => (Node | string)[]} build makes its content
 * @param {{ className?: string, closeText: string, onEscape?: () => boolean }} options `onEscape`
 *   returns whether Escape closes it
 * @returns {Promise<string | null>}
 */
export function dialog(title, build, { className = "", closeText, onEscape }) {
  return new Promise((resolve) => {
    // A dialog may be opened over another, so each needs its own id.
    const id = `dialog-title-${document.querySelectorAll("dialog").length}`;
    const heading = h("h2", { id }, title);
    const element = h("dialog", { class: ["sheet", className], "aria-labelledby": id });
    /** @param {string} [value] */
    const close = (value) => element.close(value ?? "");
    const dismiss = h(
      "button",
      { type: "button", class: "quiet close", on: { click: () => close() } },
      closeText,
    );
    element.append(h("header", null, heading, dismiss), ...build(close));
    element.addEventListener("cancel", (event) => {
      if (event.target === element && onEscape?.() === false) event.preventDefault();
    });
    const opener = document.activeElement;
    const around = ancestorsOf(opener);
    const name = opener === null ? "" : controlName(opener);
    element.addEventListener("close", () => {
      element.remove();
      if (opener !== null && !opener.isConnected) focusWithin(around, name);
      resolve(element.returnValue === "" ? null : element.returnValue);
    });
    document.body.append(element);
    element.showModal();
  });
}

/** @param {Element | null} element @returns {Element[]} its ancestors, the nearest first */
function ancestorsOf(element) {
  const parent = element?.parentElement ?? null;
  return parent === null ? [] : [parent, ...ancestorsOf(parent)];
}

/**
 * Focus the key that stands for a removed one, else a control near it: the page was redrawn under
 * the dialog that the key opened.
 *
 * @param {Element[]} around
 * @param {string} name of the removed key
 */
function focusWithin(around, name) {
  const keys = (/** @type {Element} */ one) =>
    /** @type {HTMLElement[]} */ ([...one.querySelectorAll("button:enabled, a[href]")]);
  const found = around.filter((one) => one.isConnected).map(keys).find(({ length }) => length > 0) ?? [];
  (found.find((one) => controlName(one) === name) ?? found[0])?.focus();
}

/**
 * What tells a control from the others of its place: its kind, its words, and those of its line.
 *
 * @param {Element} one
 */
export function controlName(one) {
  const said = one.getAttribute("aria-label") ?? (one.closest("label") ?? one).textContent;
  const around = one.closest("li, tr");
  // Two questions may have one sentence: only their entries differ.
  const line =
    one.closest(".question") ??
    around?.querySelector("strong, th") ??
    around?.querySelector("p, a, span") ??
    one.closest(".row")?.querySelector(":scope > span:first-child");
  return [one.tagName, one.getAttribute("type"), one.getAttribute("href"), said, line?.textContent].join();
}

/** How long a finger may need to come down after aiming. */
const AIM_MS = 250;

/** @type {WeakMap<HTMLElement, { timer: number, isTyped: boolean }>} */
const settling = new WeakMap();

/**
 * Make replaced keys inert for a moment: a finger that aimed at the old key must not press the new
 * one. Afterwards the focus returns to the place, if it was there.
 * @param {HTMLElement} place
 * @param {boolean} [hadFocus] whether an old key had the focus
 */
export function settleKeys(place, hadFocus = false) {
  const before = settling.get(place);
  clearTimeout(before?.timer);
  const isTyped = hadFocus || before?.isTyped === true;
  place.inert = true;
  const timer = setTimeout(() => {
    settling.delete(place);
    place.inert = false;
    /** @type {HTMLElement | SVGElement | null} */
    const key = place.querySelector("button, .column[tabindex='0']");
    if (isTyped && document.activeElement?.contains(place)) key?.focus();
  }, AIM_MS);
  settling.set(place, { timer, isTyped });
}
