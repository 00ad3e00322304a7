// The origin of an entry: device, signature, times, hash, and what these prove.

import { h } from "../shared/dom.js";
import { api } from "../shared/http.js";
import { language, t } from "../shared/texts.js";
import { foundText } from "./found.js";
import { recordedBy } from "./spoken.js";

/** @import { Provenance } from "./types.js" */
/** @import { Viewer } from "./viewer.js" */

/**
 * Fetch and show the origin of the entry.
 *
 * @param {Viewer} viewer
 * @param {AbortSignal} signal
 * @returns {Promise<(Node | string)[]>}
 */
export async function provenance({ setting, scene }, signal) {
  const path = `/logs/${setting.log}/matches/${setting.match}/provenance?at=${scene.version}`;
  const { json } = await api("GET", path, { signal });
  /** @type {Provenance} */
  const one = json.entries[0];
  return [
    h("dl", { class: "origin" }, rows(one, scene).flatMap(([key, value]) => row(key, value))),
    !one.is_known && h("p", { class: "muted" }, t("replay.p.hidden")),
    h("h4", null, t("replay.p.meaning")),
    ...meaning(one).map((text) => h("p", null, text)),
  ].filter((node) => node !== false);
}

/**
 * @param {Provenance} one
 * @param {import("./types.js").Scene} scene
 * @returns {[string, string | Node][]}
 */
function rows(one, scene) {
  /** @type {[string, string | Node][]} */
  const found = [
    ["entry", h("code", null, one.entry_id)],
    ["version", String(one.version)],
    ["position", String(one.global_position)],
    ["leaf", h("code", null, one.leaf_hash)],
  ];
  if (!one.is_known) return found;
  const how = foundText(scene);
  if (how !== "") found.push(["found", how]);
  found.push(["signature", t(`replay.p.signature.${one.signature ?? "none"}`)]);
  if (one.device !== null) found.push(["device", deviceOf(one)]);
  if (one.recorder !== null) found.push(["recorded_by", recordedBy(one.recorder)]);
  found.push(["times", timesOf(one)]);
  return found;
}

/** @param {Provenance} one */
function deviceOf({ device, device_seq: seq, epoch }) {
  if (seq === null || epoch === null) return String(device);
  return t("replay.p.device_text", { device: String(device), seq, epoch });
}

/** @param {Provenance} one */
function timesOf(one) {
  const received = one.received_at === null ? t("replay.unknown_time") : moment(one.received_at);
  if (one.occurred_at === null) return t("replay.p.received", { received });
  const key = one.offline_ms === null ? "replay.p.online" : "replay.p.offline";
  return t(key, { occurred: moment(one.occurred_at), received });
}

/** @param {number} at */
function moment(at) {
  return new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "medium" }).format(at);
}

/**
 * @param {string} key
 * @param {string | Node} value
 */
function row(key, value) {
  return [h("dt", null, t(`replay.p.${key}`)), h("dd", null, value)];
}

/** @param {Provenance} one */
function meaning(one) {
  const said = [t("replay.p.shows_leaf")];
  if (one.signature === "good") said.push(t("replay.p.shows_good"));
  if (one.is_known && one.signature !== "good") said.push(t("replay.p.shows_absent"));
  if (one.offline_ms !== null) said.push(t("replay.p.shows_offline"));
  said.push(t("replay.p.shows_not"));
  return said;
}
