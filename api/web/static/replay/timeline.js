// The timeline: entries at their times, both clocks, marks, idle and offline spans.

import { fill, h, s } from "../shared/dom.js";
import { t } from "../shared/texts.js";
import { IDLE_MS } from "./transport.js";
import { time } from "./words.js";

/** @import { Seat } from "../shared/types.js" */
/** @import { Viewer } from "./viewer.js" */

/** The sign of each kind of mark; the legend names them. */
export const SIGNS = Object.freeze({
  dispute: "!",
  question: "?",
  call: "☎",
  ruling: "§",
  appeal: "A",
  penalty: "P",
  reroll: "↻",
  correction: "✎",
  gap: "…",
  moment: "★",
  finding: "•",
  freeze: "❄",
  contrast: "≠",
});

/**
 * Delay work that measures the page to the next frame, and do it once however often it was asked
 * for: done at once, it would force a new layout of the whole page at each step.
 *
 * @param {() => void} work
 */
export function onceAFrame(work) {
  let isWanted = false;
  return () => {
    if (isWanted) return;
    isWanted = true;
    requestAnimationFrame(() => {
      isWanted = false;
      work();
    });
  };
}

const ABOVE = new Set(["dispute", "question", "call", "ruling", "appeal", "penalty"]);
const ZOOMS = [1, 2, 4, 8, 16, 32];

/** Height of the drawing of both clocks, in SVG units. */
const CLOCKS = 100;

/**
 * @param {Viewer} viewer
 * @returns {HTMLElement}
 */
export function timeline(viewer) {
  const caption = h("p", { class: "muted caption", id: "timeline-caption" });
  const cursor = h("div", { class: "cursor" });
  const track = h("div", { class: "track", "aria-hidden": "true" });
  const slider = h(
    "div",
    {
      class: "slider",
      role: "slider",
      tabindex: 0,
      "aria-label": t("replay.timeline"),
      "aria-describedby": "timeline-caption",
      "aria-valuemin": 1,
    },
    track,
  );
  const port = h("div", { class: "port" }, slider);
  /** @type {number[]} the place of each entry, from 0 to 1 */
  let places = [];
  let zoom = 0;
  const keep = onceAFrame(() => keepInSight(port, places[viewer.reader.at.scene] ?? 0));
  const draw = () => {
    places = placesOf(viewer);
    const drawn = [...spans(viewer, places), drawing(viewer, places), ...marks(viewer, places)];
    fill(track, ...drawn, cursor);
    slider.setAttribute("aria-valuemax", String(viewer.match.version));
    const isReal = viewer.reader.times !== null;
    caption.textContent = t(isReal ? "replay.timeline_real" : "replay.timeline_order");
  };
  const show = () => {
    cursor.style.left = `${(places[viewer.reader.at.scene] ?? 0) * 100}%`;
    slider.setAttribute("aria-valuenow", String(viewer.scene.version));
    slider.setAttribute("aria-valuetext", valueText(viewer));
    keep();
  };
  const zoomBy = (/** @type {number} */ change) => {
    zoom = Math.min(Math.max(zoom + change, 0), ZOOMS.length - 1);
    slider.style.width = `${ZOOMS[zoom] * 100}%`;
    keep();
  };
  followPointer(slider, track, (place) => {
    viewer.go({ scene: nearest(places, place), frame: null });
  });
  viewer.listen((what) => {
    if (what === "match" || what === "view") draw();
    show();
  });
  draw();
  show();
  return h(
    "section",
    { class: "timeline", "aria-label": t("replay.timeline") },
    port,
    h("div", { class: "row" }, caption, zoomButtons(zoomBy), legend()),
  );
}

/** @param {Viewer} viewer */
function valueText(viewer) {
  const { scene } = viewer;
  const at = scene.at_ms === null ? "" : `${t("replay.at", { time: time(scene.at_ms) })}: `;
  return `${t("replay.entry", { version: scene.version })}, ${at}${viewer.sentence()}`;
}

/** @param {Viewer} viewer */
function placesOf(viewer) {
  const { times, scenes } = viewer.reader;
  if (times === null) return scenes.map((_, index) => index / Math.max(1, scenes.length - 1));
  const first = times[0];
  const whole = Math.max(1, times[times.length - 1] - first);
  return times.map((at) => (at - first) / whole);
}

/**
 * @param {readonly number[]} places
 * @param {number} wanted
 */
function nearest(places, wanted) {
  let found = 0;
  places.forEach((place, index) => {
    if (Math.abs(place - wanted) < Math.abs(places[found] - wanted)) found = index;
  });
  return found;
}

/**
 * Stripes for idle spans, and for spans recorded offline.
 *
 * @param {Viewer} viewer
 * @param {readonly number[]} places
 */
function spans(viewer, places) {
  const { times, scenes } = viewer.reader;
  /** @type {HTMLElement[]} */
  const found = [];
  const span = (/** @type {string} */ name, /** @type {number} */ from, /** @type {number} */ to) => {
    const width = Math.max(to - from, 0.002);
    found.push(h("div", { class: name, style: `left:${from * 100}%;width:${width * 100}%` }));
  };
  for (let index = 1; times !== null && index < times.length; index += 1) {
    const isIdle = times[index] - times[index - 1] >= IDLE_MS;
    if (isIdle) span("idle", places[index - 1], places[index]);
  }
  let start = -1;
  for (let index = 0; index <= scenes.length; index += 1) {
    const isOffline = index < scenes.length && viewer.offline.has(scenes[index].version);
    if (isOffline && start < 0) start = index;
    if (!isOffline && start >= 0) {
      span("offline", places[start], places[index - 1]);
      start = -1;
    }
  }
  return found;
}

/**
 * The drawing of a tick for each entry, and of both players' remaining time.
 *
 * @param {Viewer} viewer
 * @param {readonly number[]} places
 */
function drawing(viewer, places) {
  const ticks = places.map((place) => `M${(place * 1000).toFixed(2)} ${CLOCKS}v-12`).join("");
  return s(
    "svg",
    { class: "drawing", viewBox: `0 0 1000 ${CLOCKS}`, preserveAspectRatio: "none" },
    clockLine(viewer, places, "one"),
    clockLine(viewer, places, "two"),
    s("path", { class: "ticks", d: ticks }),
  );
}

/**
 * @param {Viewer} viewer
 * @param {readonly number[]} places
 * @param {Seat} seat
 */
function clockLine(viewer, places, seat) {
  const { scenes } = viewer.reader;
  const most = scenes.reduce((found, { clock }) => {
    const { one, two } = clock?.reserve_ms ?? { one: null, two: null };
    return Math.max(found, one ?? 0, two ?? 0);
  }, 1);
  let d = "";
  scenes.forEach((scene, index) => {
    const left = scene.clock?.reserve_ms[seat] ?? null;
    if (left === null) return;
    const y = CLOCKS - 16 - (Math.max(left, 0) / most) * (CLOCKS - 24);
    d += `${d === "" ? "M" : "L"}${(places[index] * 1000).toFixed(2)} ${y.toFixed(1)}`;
  });
  return s("path", { class: `reserve of-${seat}`, d: d === "" ? "M0 0" : d });
}

/**
 * @param {Viewer} viewer
 * @param {readonly number[]} places
 */
function marks(viewer, places) {
  const { contrasts } = viewer;
  return viewer.reader.scenes.flatMap((scene, index) => {
    const kinds = contrasts.has(scene.version) ? [...scene.marks, "contrast"] : scene.marks;
    return kinds.map((kind) => {
      const side = ABOVE.has(kind) ? "above" : "below";
      const sign = SIGNS[/** @type {keyof typeof SIGNS} */ (kind)] ?? "•";
      const left = `left:${places[index] * 100}%`;
      return h("span", { class: `mark ${side} of-${kind}`, style: left }, sign);
    });
  });
}

/**
 * Seek by pressing and dragging; `seek` gets the place on the track, from 0 to 1.
 *
 * @param {HTMLElement} slider
 * @param {HTMLElement} track
 * @param {(place: number) => void} seek
 */
function followPointer(slider, track, seek) {
  const at = (/** @type {PointerEvent} */ event) => {
    const box = track.getBoundingClientRect();
    seek(Math.min(1, Math.max(0, (event.clientX - box.left) / box.width)));
  };
  slider.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    slider.setPointerCapture(event.pointerId);
    at(event);
  });
  slider.addEventListener("pointermove", (event) => {
    if (slider.hasPointerCapture(event.pointerId)) at(event);
  });
}

/**
 * @param {HTMLElement} port
 * @param {number} place
 */
function keepInSight(port, place) {
  const x = place * port.scrollWidth;
  const { scrollLeft, clientWidth } = port;
  if (x < scrollLeft + 20 || x > scrollLeft + clientWidth - 20) port.scrollLeft = x - clientWidth / 2;
}

/** @param {(change: number) => void} zoomBy */
function zoomButtons(zoomBy) {
  const one = (/** @type {string} */ key, /** @type {string} */ sign, /** @type {number} */ change) =>
    h(
      "button",
      { type: "button", class: "step", title: t(`replay.${key}`), on: { click: () => zoomBy(change) } },
      h("span", { "aria-hidden": "true" }, sign),
      h("span", { class: "unseen" }, t(`replay.${key}`)),
    );
  return h("div", { class: "chips unprinted" }, one("zoom_out", "−", -1), one("zoom_in", "+", 1));
}

function legend() {
  const entries = Object.entries(SIGNS).map(([kind, sign]) =>
    h(
      "li",
      null,
      h("span", { class: `mark of-${kind}`, "aria-hidden": "true" }, sign),
      ` ${t(`replay.mark.${kind}`)}`,
    ),
  );
  const stripes = ["idle", "offline"].map((kind) =>
    h("li", null, h("span", { class: `swatch ${kind}` }), ` ${t(`replay.mark.${kind}`)}`),
  );
  return h(
    "details",
    { class: "legend unprinted" },
    h("summary", null, t("replay.legend")),
    h("ul", null, entries, stripes),
  );
}
