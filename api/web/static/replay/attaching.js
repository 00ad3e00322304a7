// The director's forms for films: add a film, and say at which of its times an entry happened.

import { announce, h } from "../shared/dom.js";
import { api } from "../shared/http.js";
import { tellRefusal } from "../shared/refused.js";
import { t } from "../shared/texts.js";
import { uuid } from "../device/chain/ids.js";
import { hashOf } from "./film_file.js";
import { timeOf } from "./film_links.js";
import { reasonOf } from "./words.js";

/** @import { FilmCard } from "./film.js" */

/**
 * The parts below the film: the key to align it, its known points, and a form for another film.
 *
 * @param {FilmCard} card
 * @returns {HTMLElement[]}
 */
export function attaching(card) {
  const { film } = card;
  return film === undefined ? [adding(card)] : [aligning(card), points(card), adding(card)];
}

/**
 * Record one entry, and fetch the films again.
 *
 * @param {FilmCard} card
 * @param {string} tag
 * @param {Record<string, string | number>} body
 */
async function record(card, tag, body) {
  const { log, match } = card.setting;
  const entries = [{ entry_id: uuid(), tag, basis: "observed", body }];
  try {
    await api("POST", `/logs/${log}/matches/${match}/events`, {
      body: { entries },
      headers: { "If-Match": "*" },
    });
    await card.again();
    announce(t("replay.film_recorded"));
  } catch (error) {
    tellRefusal(reasonOf(error));
  }
}

/** The key: the entry shown happens at the film's current or typed time. @param {FilmCard} card */
function aligning(card) {
  const press = () => {
    const { film, video, viewer } = card;
    const ms = video === null || card.time.value !== "" ? card.typed() : Math.round(video.currentTime * 1_000);
    if (film === undefined || viewer === undefined || ms === null) return;
    void record(card, "film.aligned", { film: film.film_id, target: viewer.scene.entry_id, film_ms: ms });
  };
  return h("button", { type: "button", id: "film-align", on: { click: press } }, t("replay.film_align"));
}

/** @param {FilmCard} card */
function points(card) {
  const { film } = card;
  const all = [...(film?.points ?? []), ...(film?.set_aside ?? [])];
  const aside = new Set((film?.set_aside ?? []).map((one) => one.version));
  const lines = all.map((one) => {
    const told = t("replay.film_point", { version: one.target, time: timeOf(one.film_ms) });
    return h(
      "li",
      null,
      aside.has(one.version) ? `${told} (${t("replay.film_set_aside")})` : told,
      " ",
      h(
        "button",
        {
          type: "button",
          "aria-label": t("replay.film_take_back_of", { version: one.target }),
          on: { click: () => void record(card, "entry.retracted", { target: one.entry_id }) },
        },
        t("replay.film_take_back"),
      ),
    );
  });
  return h(
    "details",
    null,
    h("summary", null, t("replay.film_points", { count: all.length })),
    h("p", { class: "muted" }, t("replay.film_align_about")),
    h("ul", null, lines),
  );
}

/** @param {FilmCard} card */
function adding(card) {
  const link = h("input", { id: "film-new-link", type: "text", inputmode: "url", autocomplete: "off", placeholder: "https://" });
  const file = h("input", { id: "film-new-file", type: "file", accept: "video/*" });
  const form = h(
    "form",
    null,
    h("label", null, `${t("replay.film_new_link")} `, link),
    h("label", null, `${t("replay.film_new_file")} `, file),
    h("p", { class: "muted" }, t("replay.film_new_about")),
    h("button", { type: "submit", id: "film-add" }, t("replay.film_add")),
  );
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    /** @type {Record<string, string>} */
    const body = {};
    const address = link.value.trim();
    const chosen = file.files?.[0];
    if (address !== "" && !/^https?:\/\/[^\s@/]+(?:\/|$)/.test(address)) {
      link.setAttribute("aria-invalid", "true");
      tellRefusal(t("replay.film_no_link"));
      return;
    }
    if (address !== "") body.link = address;
    if (chosen !== undefined) body.file = await hashOf(chosen);
    if (Object.keys(body).length > 0) await record(card, "film.attached", body);
  });
  return h("details", null, h("summary", null, t("replay.film_adding")), form);
}
