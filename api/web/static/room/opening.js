// The page on which a tournament is opened, for people who run the archive.

import { byId, h } from "../shared/dom.js";
import { api } from "../shared/http.js";
import { loadTexts, t } from "../shared/texts.js";
import { defaultsPart, factsPart, field, partsForm, rulesPart } from "./parts.js";

async function start() {
  await loadTexts("room", "tournament");
  const facts = factsPart();
  const id = field(
    "log_id",
    t("tournament.id"),
    { maxlength: 64, pattern: "[a-z0-9]([a-z0-9\\-]*[a-z0-9])?", autocapitalize: "off", spellcheck: "false" },
    t("tournament.id_about"),
  );
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
