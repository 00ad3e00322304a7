// Two sheets of the recorder: the settings of this screen, and the help with its keys.

import { dialog, h } from "../../shared/dom.js";
import { choices, choose } from "../../shared/settings.js";
import { language, t } from "../../shared/texts.js";
import { trainingLink } from "../start/enrol.js";
import { KEYS } from "../acts/keyboard.js";

/** @typedef {import("../acts/recorder.js").Recorder} Recorder */

const THEMES = /** @type {const} */ (["auto", "light", "dark"]);
/** The colour sets in board.css. */
const COLOURS = /** @type {const} */ (["walnut", "slate", "sage"]);
const DIRECTIONS = /** @type {const} */ (["right", "left"]);
const NUMBERS = /** @type {const} */ (["turn", "bottom"]);
const LANGUAGES = /** @type {const} */ (["en", "de"]);

/** Questions of scribes during a match, the most frequent first. */
const HELP = /** @type {const} */ (["nothing", "wrong", "untold", "older", "free", "twice", "else", "ticks"]);

/**
 * Open the settings: colours, direction, seat at the bottom, theme, sound, language, profile.
 * @param {Recorder} recorder
 */
export async function openChoices(recorder) {
  const names = recorder.names;
  await dialog(
    t("tablet.view"),
    (close) => [
      group("theme", THEMES.map((one) => [one, t(`tablet.theme_${one}`)]), choices().theme, (theme) =>
        choose({ theme }),
      ),
      group("colours", COLOURS.map((one) => [one, t(`board.colours.${one}`)]), choices().colours, (colours) =>
        choose({ colours }),
      ),
      group("bottom", [["one", names.one], ["two", names.two]], choices().bottom, (bottom) =>
        choose({ bottom }),
      ),
      group("direction", DIRECTIONS.map((one) => [one, t(`tablet.direction_${one}`)]), choices().direction, (direction) =>
        choose({ direction }),
      ),
      group("numbers", NUMBERS.map((one) => [one, t(`tablet.numbers_${one}`)]), choices().numbers, (numbers) =>
        choose({ numbers }),
      ),
      group("sound", [["off", t("tablet.off")], ["on", t("tablet.on")]], choices().sound ? "on" : "off", (sound) =>
        choose({ sound: sound === "on" }),
      ),
      group("language", LANGUAGES.map((one) => [one, t(`common.language_${one}`)]), language, speak),
      profileGroup(recorder, close),
      h("p", null, trainingLink(recorder.table.in_game)),
    ],
    { className: "choices", closeText: t("common.close") },
  );
}

/**
 * A group of buttons of which one is chosen by a tap.
 * @template {string} T
 * @param {string} name
 * @param {readonly (readonly [T, string])[]} all
 * @param {T | string} chosen
 * @param {(value: T) => void} choose_
 */
function group(name, all, chosen, choose_) {
  const keys = all.map(([value, label]) =>
    h(
      "button",
      {
        type: "button",
        "aria-pressed": String(value === chosen),
        dataset: { value },
        on: {
          click: () => {
            for (const key of keys) key.setAttribute("aria-pressed", String(key.dataset.value === value));
            choose_(value);
          },
        },
      },
      label,
    ),
  );
  return h(
    "div",
    { class: "choice", role: "group", "aria-label": t(`tablet.${name}`) },
    h("h3", null, t(`tablet.${name}`)),
    h("div", { class: "chips" }, keys),
  );
}

/** @param {string} code */
function speak(code) {
  if (code === language) return;
  const url = new URL(location.href);
  url.searchParams.set("lang", code);
  url.searchParams.delete("code");
  location.assign(url);
}

/** @param {Recorder} recorder @param {(value?: string) => void} close */
function profileGroup(recorder, close) {
  const isMonitor = recorder.profile === "monitor";
  const change = () => {
    recorder.choose(isMonitor ? "no-assist" : "monitor");
    close();
  };
  const ask = h(
    "button",
    { type: "button", on: { click: () => isMonitor && change() } },
    t(isMonitor ? "tablet.to_no_assist" : "tablet.to_monitor"),
  );
  const confirmKey = h(
    "button",
    { type: "button", class: "danger", hidden: true, on: { click: change } },
    t("tablet.monitor_sure"),
  );
  ask.addEventListener("click", () => {
    if (isMonitor) return;
    confirmKey.hidden = false;
    confirmKey.focus();
  });
  const keys = h("div", { class: "chips" }, ask, confirmKey);
  return h(
    "div",
    { class: "choice", role: "group", "aria-label": t("tablet.profile") },
    h("h3", null, t("tablet.profile")),
    h("p", { class: "muted" }, t(recorder.mayHelp ? "tablet.profile_about" : "tablet.profile_fixed")),
    recorder.mayHelp && keys,
  );
}

/** Open the help: what the keys do. */
export async function openHelp() {
  await dialog(
    t("tablet.help_title"),
    () => [
      h("p", null, t("tablet.help_taps")),
      h("dl", null, HELP.flatMap((one) => [
        h("dt", null, t(`tablet.help_${one}`)),
        h("dd", null, t(`tablet.help_${one}_how`)),
      ])),
      h("p", null, t("tablet.help_open")),
      h(
        "table",
        null,
        h("caption", null, t("tablet.help_keys")),
        h(
          "tbody",
          null,
          KEYS.map(([key, name]) =>
            h("tr", null, h("th", { scope: "row" }, h("kbd", null, key)), h("td", null, t(`tablet.key_${name}`))),
          ),
        ),
      ),
    ],
    { className: "help", closeText: t("common.close") },
  );
}
