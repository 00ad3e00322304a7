// The first page of the room: opening a tournament, for whoever runs the archive.

import { byId, h } from "../shared/dom.js";
import { api } from "../shared/http.js";
import { loadTexts, t } from "../shared/texts.js";
import { defaultsPart, factsPart, field, partsForm, rulesPart } from "./parts.js";

const ID_AT_MOST = 48;

/**
 * A readable id of a title, as the server would make one.
 *
 * @param {string} title
 */
export function slugOf(title) {
  /** @type {Record<string, string>} */
  const letters = { ä: "ae", ö: "oe", ü: "ue", ß: "ss", æ: "ae", ø: "o", ł: "l", đ: "d", þ: "th", ð: "d", œ: "oe" };
  return title
    .toLowerCase()
    .replace(/[äöüßæøłđþðœ]/g, (letter) => letters[letter] ?? "")
    .normalize("NFKD")
    .replace(/[^\x00-\x7f]/g, "")
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+/, "")
    .slice(0, ID_AT_MOST)
    .replace(/-+$/, "");
}

async function start() {
  await loadTexts("room", "tournament");
  const facts = factsPart();
  const id = field(
    "log_id",
    t("tournament.id"),
    { maxlength: 64, pattern: "[a-z0-9]([a-z0-9\\-]*[a-z0-9])?", autocapitalize: "off", spellcheck: "false" },
    t("tournament.id_about"),
  );
  let isOwn = false;
  id.control.addEventListener("input", () => (isOwn = id.control.value !== ""));
  facts.title.addEventListener("input", () => {
    if (!isOwn) id.control.value = slugOf(facts.title.value);
  });
  const rules = rulesPart();
  const usual = defaultsPart();
  const form = partsForm(
    [
      facts,
      { element: id.element, read: () => ({ log_id: id.control.value.trim() || null }) },
      h("h3", null, t("tournament.rules")),
      { element: rules.element, read: () => ({ rules: rules.read() }) },
      h("h3", null, t("tournament.defaults")),
      h("p", { class: "muted" }, t("tournament.defaults_about")),
      { element: usual.element, read: () => ({ defaults: usual.read() }) },
    ],
    async ({ defaults, ...said }) => {
      const body = Object.fromEntries(Object.entries(said).filter(([, value]) => value !== null));
      const made = await api("POST", "/logs", {
        body: { ...body, ...(Object.keys(defaults).length ? { defaults } : {}) },
      });
      location.assign(`/room/${made.json.log_id}`);
    },
    t("tournament.open"),
  );
  byId("open-tournament").append(form);
}

void start();
