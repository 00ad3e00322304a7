// The film beside the board: the replay follows the film, and the film can jump to its entry.

import { announce, fill, h } from "../shared/dom.js";
import { api, csrf } from "../shared/http.js";
import { tellRefusal } from "../shared/refused.js";
import { t } from "../shared/texts.js";
import { hashOf } from "./film_file.js";
import { linkAt, msOf, timeOf } from "./film_links.js";
import { isTaken } from "./keys.js";

/** @import { Film, Films, Setting } from "./types.js" */
/** @import { Viewer } from "./viewer.js" */

/** The card of a match's films. Nothing is loaded from other sites; they are only linked. */
export class FilmCard {
  /** @type {HTMLVideoElement | null} the film from the reader's own file */
  video = null;
  follows = true;
  #place = 0;
  #body = h("div", { class: "film-body" });
  #here = h("p", { class: "film-here" });
  /** @type {HTMLInputElement} */
  time = h("input", { id: "film-time", inputmode: "decimal", autocomplete: "off", size: 9, placeholder: "0:00:00" });

  /**
   * @param {Setting} setting
   * @param {Films} told
   */
  constructor(setting, told) {
    this.setting = setting;
    this.told = told;
    this.#place = Math.max(0, told.films.length - 1);
  }

  /**
   * Fetch the films; null if the server shows this reader none.
   *
   * @param {Setting} setting
   */
  static async read(setting) {
    const { log, match } = setting;
    const { json } = await api("GET", `/logs/${log}/matches/${match}/films`);
    /** @type {Films} */
    const told = json;
    const mayRecord = told.may_record && csrf !== null;
    return told.films.length === 0 && !mayRecord ? null : new FilmCard(setting, { ...told, may_record: mayRecord });
  }

  /** The film shown. @returns {Film | undefined} */
  get film() {
    return this.told.films[this.#place];
  }

  /** @param {Viewer} viewer */
  card(viewer) {
    this.viewer = viewer;
    document.addEventListener("keydown", (event) => this.#press(event));
    viewer.listen(() => this.#show());
    this.draw();
    return h("section", { class: "film-card card", id: "film" }, h("h2", null, t("replay.film")), this.#body);
  }

  /** Fetch the films again after something was recorded. */
  async again() {
    const { log, match } = this.setting;
    const { json } = await api("GET", `/logs/${log}/matches/${match}/films`);
    const wasNone = this.film === undefined;
    const count = this.told.films.length;
    this.told = { ...json, may_record: true };
    if (wasNone || json.films.length !== count) {
      this.#place = Math.max(0, json.films.length - 1);
      this.video = null;
    }
    this.draw();
  }

  draw() {
    const { film } = this;
    const button = (/** @type {string} */ key, /** @type {() => void} */ press) =>
      h("button", { type: "button", id: `film-${key}`, on: { click: press } }, t(`replay.film_${key}`));
    const parts = h("div", { class: "film-parts", hidden: film === undefined });
    if (film !== undefined) {
      parts.append(
        ...(this.told.films.length > 1 ? [this.#choice()] : []),
        ...(film.sha256 === null ? [] : [this.#frame(film)]),
        this.#here,
        h(
          "div",
          { class: "row unprinted" },
          film.sha256 !== null && button("jump", () => this.jump()),
          film.sha256 !== null && this.#following(),
        ),
        h(
          "div",
          { class: "row unprinted" },
          h("label", null, `${t("replay.film_time")} `, this.time),
          button("go", () => this.goToTyped()),
        ),
      );
    }
    const desk = h("div", { class: "film-desk unprinted" });
    fill(this.#body, film === undefined && h("p", { class: "muted" }, t("replay.film_none")), parts, desk);
    if (this.told.may_record) void import("./attaching.js").then(({ attaching }) => fill(desk, ...attaching(this)));
    this.#show();
  }

  #choice() {
    const options = this.told.films.map((one, place) =>
      h("option", { value: place }, one.link === null ? t("replay.film_file_named", { hash: (one.sha256 ?? "").slice(0, 8) }) : new URL(one.link).hostname),
    );
    const select = h("select", { id: "film-choice" }, ...options);
    select.value = String(this.#place);
    select.addEventListener("change", () => {
      this.#place = Number(select.value);
      this.video = null;
      this.draw();
    });
    return h("label", { class: "choice" }, `${t("replay.film_choice")} `, select);
  }

  #following() {
    const box = h("input", { type: "checkbox", checked: this.follows });
    box.addEventListener("change", () => {
      this.follows = box.checked;
    });
    return h("label", { class: "choice" }, box, ` ${t("replay.film_follow")}`);
  }

  /** The film's frame, or the input to choose its file. @param {Film} film */
  #frame(film) {
    const frame = h("div", { class: "film-frame" });
    if (this.video !== null) {
      frame.append(this.video);
      return frame;
    }
    const status = h("p", { role: "status", id: "film-status" }, t("replay.film_choose_about"));
    const input = h("input", { type: "file", accept: "video/*", id: "film-file" });
    input.addEventListener("change", async () => {
      const file = input.files?.[0];
      if (file === undefined) return;
      const percent = (/** @type {number} */ share) => {
        status.textContent = t("replay.film_checking", { percent: Math.round(share * 100) });
      };
      percent(0);
      const isIt = (await hashOf(file, percent)) === film.sha256;
      if (!isIt) {
        status.textContent = t("replay.film_other");
        return;
      }
      this.play(file);
      frame.replaceChildren(/** @type {HTMLVideoElement} */ (this.video));
      announce(t("replay.film_right"));
    });
    frame.append(h("label", { class: "film-chooser" }, `${t("replay.film_choose")} `, input), status);
    return frame;
  }

  /** Show a file whose hash was checked. @param {Blob} file */
  play(file) {
    const video = h("video", { controls: true, preload: "auto", id: "film-video", "aria-label": t("replay.film") });
    video.src = URL.createObjectURL(file);
    for (const event of ["timeupdate", "seeked"]) {
      video.addEventListener(event, () => {
        if (this.follows) this.goTo(Math.round(video.currentTime * 1_000), { isQuiet: true });
      });
    }
    this.video = video;
  }

  /** The place in the film of the entry shown, or of the last entry before it with a place. */
  get moment() {
    const version = this.viewer?.scene.version ?? 0;
    return this.film?.moments.findLast((one) => one.version <= version) ?? null;
  }

  /** Go in the film to the replay's entry. */
  jump() {
    const { moment, video } = this;
    if (moment === null || video === null) {
      announce(t(video === null ? "replay.film_choose" : "replay.film_not_here"));
      return;
    }
    video.currentTime = moment.film_ms / 1_000;
    announce(t("replay.film_at", { time: timeOf(moment.film_ms) }));
  }

  /**
   * Go in the replay to the entry at a time of the film.
   *
   * @param {number} ms
   * @param {{ isQuiet?: boolean }} [options]
   */
  goTo(ms, options) {
    /** @type {Film["moments"][number] | null} */
    let found = null;
    for (const one of this.film?.moments ?? []) {
      if (one.film_ms <= ms && (found === null || one.film_ms >= found.film_ms)) found = one;
    }
    // Several entries may have the same time: stay if one of them is shown.
    if (found === null || found.film_ms === this.moment?.film_ms) return;
    this.viewer?.go(this.viewer.reader.momentOf(found.version), options);
  }

  goToTyped() {
    const ms = this.typed();
    if (ms !== null) this.goTo(ms);
  }

  /** The typed time of the film; null, with a message, if it is not a time. */
  typed() {
    const ms = msOf(this.time.value);
    this.time.setAttribute("aria-invalid", String(ms === null));
    if (ms === null) tellRefusal(t("replay.film_no_time"));
    return ms;
  }

  #show() {
    const { film, moment } = this;
    if (film === undefined) return;
    const ms = moment?.film_ms ?? null;
    const time = ms === null ? null : timeOf(ms);
    const link = film.link;
    fill(
      this.#here,
      time === null ? t("replay.film_not_here") : t("replay.film_at", { time }),
      link !== null && " · ",
      link !== null &&
        h(
          "a",
          {
            id: "film-link",
            href: linkAt(link, ms),
            target: "_blank",
            rel: "noopener noreferrer",
            referrerpolicy: "no-referrer",
          },
          t("replay.film_open", { host: new URL(link).hostname }),
        ),
      film.withheld === "erased" && ` · ${t("replay.film_erased")}`,
    );
  }

  /** @param {KeyboardEvent} event */
  #press(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || isTaken(event)) return;
    const key = event.key.toLowerCase();
    if (key === "v" && !event.shiftKey) this.jump();
    else if (key === "v" && this.video !== null) this.goTo(Math.round(this.video.currentTime * 1_000));
    else if (key === "m") document.getElementById("film-align")?.click();
  }
}
