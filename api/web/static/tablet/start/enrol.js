// Screens before a match: the code, the wait for the director's approval, the wait for a board.

import { claim, awaitApproval } from "../../device/pairing.js";
import { announce, fill, h } from "../../shared/dom.js";
import { api, ApiProblem } from "../../shared/http.js";
import { remember } from "../../shared/settings.js";
import { hasText, t } from "../../shared/texts.js";

/** @typedef {import("../../device/store/store.js").Store} Store */
/** @import { Enrolment } from "../../device/store/kinds" */
/** @typedef {{ match_id: string, lease: number, shadow_of: string | null, is_over?: boolean }} Lease */

const POLL_MS = 3_000;
const SLOW_MS = 6_000;
const LABEL = "tabularium.label";

/** The name of this tablet, such as "Table 4"; null if it has none. */
function ownLabel() {
  return localStorage.getItem(LABEL) || null;
}

/**
 * Ask for the code until the server accepts one; a code in the address is tried first.
 * @param {Element} place
 * @param {Store} store
 * @param {string | null} told why the last attempt ended, if one did
 * @param {() => Promise<unknown>} [first] runs before a code is claimed
 * @returns {Promise<Enrolment>}
 */
export function pair(place, store, told = null, first = async () => {}) {
  return new Promise((resolve) => {
    const problem = h("p", { class: "problem", role: "alert" }, told ?? "");
    const code = h("input", {
      id: "code",
      name: "code",
      class: "code number",
      autocomplete: "one-time-code",
      autocapitalize: "characters",
      spellcheck: "false",
      maxlength: 12,
      required: true,
      "aria-describedby": "code-about",
    });
    const label = h("input", { id: "label", maxlength: 40, autocomplete: "off", value: ownLabel() ?? "" });
    const send = h("button", { type: "submit", class: "primary big" }, t("tablet.pair"));
    const submit = async () => {
      problem.textContent = "";
      send.disabled = true;
      remember(LABEL, label.value.trim());
      try {
        await first();
        resolve(await claim(store, code.value, label.value.trim() || undefined));
      } catch (error) {
        problem.textContent = why(error);
        code.focus();
      } finally {
        send.disabled = false;
      }
    };
    const form = h(
      "form",
      {
        class: "card enrol",
        on: {
          submit: (/** @type {Event} */ event) => {
            event.preventDefault();
            void submit();
          },
        },
      },
      h("h1", null, t("tablet.pair_title")),
      h("p", { id: "code-about" }, t("tablet.pair_about")),
      h("label", { for: "code" }, t("tablet.code")),
      code,
      h("label", { for: "label" }, t("tablet.label")),
      label,
      problem,
      send,
      trainingLink(),
    );
    fill(place, form);
    const given = takeCode();
    if (given === null) return code.focus();
    code.value = given;
    void submit();
  });
}

/**
 * The link to training, which needs no code and no server; null in training itself.
 * @param {boolean} [isApart] whether it opens in another tab, because a game is in progress
 */
export function trainingLink(isApart = false) {
  if (document.body.classList.contains("training")) return null;
  const apart = isApart ? { target: "_blank", rel: "noopener" } : {};
  const props = { class: "button quiet", href: "/tablet?training", dataset: { act: "training" }, ...apart };
  return h("a", props, t(isApart ? "echo.training_apart" : "echo.training_open"));
}

/** Take the code out of the address, so that a reload does not claim it again. */
function takeCode() {
  const url = new URL(location.href);
  const code = url.searchParams.get("code");
  if (code === null) return null;
  url.searchParams.delete("code");
  history.replaceState(null, "", url);
  return code === "" ? null : code;
}

/** Leave this page, and ask for another code. */
export function askForCode() {
  location.assign("/tablet?code=");
}

/** Whether the address has a code, which then takes precedence over an earlier pairing. */
export function bringsCode() {
  return new URL(location.href).searchParams.has("code");
}

/** @param {unknown} error */
function why(error) {
  if (!(error instanceof ApiProblem)) return String(error);
  if (error.status === 0) return t("tablet.no_server");
  if (error.status === 429) return t("tablet.too_often");
  const key = `tablet.pair_${error.slug.replaceAll("-", "_")}`;
  return hasText(key) ? t(key) : error.message;
}

/**
 * Show the four words until the director has decided.
 * @param {Element} place
 * @param {Store} store
 * @param {Enrolment} enrolment
 * @param {AbortSignal} signal
 * @returns {Promise<Enrolment>}
 */
export async function waitForDirector(place, store, enrolment, signal) {
  const again = h("button", { type: "button", dataset: { act: "other_code" } }, t("tablet.other_code"));
  const stop = new AbortController();
  again.addEventListener("click", () => stop.abort());
  fill(
    place,
    h(
      "section",
      { class: "card enrol" },
      h("h1", null, t("tablet.wait_director")),
      h("p", null, t("tablet.wait_director_about")),
      h(
        "ul",
        { class: "fingerprint", "aria-label": t("tablet.fingerprint") },
        enrolment.fingerprint.map((word) => h("li", null, word)),
      ),
      again,
    ),
  );
  announce(`${t("tablet.wait_director")} ${enrolment.fingerprint.join(" ")}`);
  // `AbortSignal.any` is missing in some browsers that are otherwise good enough.
  const either = new AbortController();
  if (signal.aborted) either.abort();
  for (const one of [signal, stop.signal]) one.addEventListener("abort", () => either.abort());
  const asked = await Promise.race([
    awaitApproval(store, enrolment, either.signal),
    new Promise((resolve) => stop.signal.addEventListener("abort", () => resolve(null))),
  ]);
  return /** @type {Enrolment} */ (asked ?? { ...enrolment, state: "expired" });
}

/**
 * Wait until the director gives this tablet a board.
 * @param {Element} place
 * @param {object} options
 * @param {string} options.log_id
 * @param {string} options.token
 * @param {string | null} options.last the match recorded before, to which the scribe may go back
 * @param {string | null} options.given the match that the code was for, which takes precedence
 * @returns {Promise<string | null>} the match; null if the scribe wants to type another code
 */
export async function waitForBoard(place, { log_id, token, last, given }) {
  /** @type {string | null | undefined} */
  let chosen;
  /** @type {(value: null) => void} */
  let leave = () => {};
  const left = new Promise((resolve) => {
    leave = resolve;
  });
  const key = (/** @type {string} */ name, /** @type {string | null} */ match_id) => {
    const go = () => {
      chosen = match_id;
      leave(null);
    };
    return h("button", { type: "button", dataset: { act: name }, on: { click: go } }, t(`tablet.${name}`));
  };
  const label = ownLabel();
  const said = h("p", { class: "muted", role: "status" });
  const title = label ? t("tablet.nothing_yet_at", { table: label }) : t("tablet.nothing_yet");
  fill(
    place,
    h(
      "section",
      { class: "card enrol" },
      h("h1", null, title),
      h("p", null, t("tablet.nothing_yet_about")),
      said,
      last && key("last_match", last),
      key("other_code", null),
    ),
  );
  announce(title);
  while (chosen === undefined) {
    try {
      const signal = AbortSignal.timeout(8_000);
      const { json } = await api("GET", `/logs/${log_id}/assignment`, { token, signal });
      /** @type {string[]} */
      const found = json.leases.flatMap((/** @type {Lease} */ { match_id, is_over }) => (match_id === last || is_over ? [] : match_id));
      if (found.length > 0) return given !== null && found.includes(given) ? given : found[0];
      said.textContent = "";
    } catch (error) {
      said.textContent = why(error);
    }
    await Promise.race([left, new Promise((resolve) => setTimeout(resolve, POLL_MS))]);
  }
  return chosen;
}

/**
 * Show that the match is being fetched; after a while also buttons to try something else.
 * @param {Element} place
 * @param {AbortSignal} shown aborts when the match is here
 */
export function opening(place, shown) {
  fill(place, h("p", { class: "card enrol", role: "status" }, t("tablet.opening_match")));
  const key = (/** @type {string} */ name, /** @type {() => void} */ go) =>
    h("button", { type: "button", dataset: { act: name }, on: { click: go } }, t(`tablet.${name}`));
  const slow = setTimeout(() => {
    const section = h(
      "section",
      { class: "card enrol", role: "alert" },
      h("h1", null, t("tablet.opening_match")),
      h("p", null, t("tablet.opening_slow")),
      key("again", () => location.reload()),
      key("other_code", askForCode),
    );
    fill(place, section);
  }, SLOW_MS);
  shown.addEventListener("abort", () => clearTimeout(slow));
}

/**
 * A screen with a message and one button.
 * @param {Element} place
 * @param {string} name of its texts: `tablet.<name>` and `tablet.<name>_about`
 * @param {() => void} again
 */
export function notice(place, name, again) {
  const key = h("button", { type: "button", class: "primary big", on: { click: again } }, t("tablet.again"));
  const section = h(
    "section",
    { class: "card enrol", role: "alert" },
    h("h1", null, t(`tablet.${name}`)),
    h("p", null, t(`tablet.${name}_about`)),
    key,
  );
  fill(place, section);
}
