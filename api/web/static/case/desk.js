// The desk of a case: a member's note and ballot; the director's forms to convene and announce.

import { swap } from "../public/swap.js";
import { byId, fill, h } from "../shared/dom.js";
import { ApiProblem, api } from "../shared/http.js";
import { language, loadTexts, t } from "../shared/texts.js";
import { append, convene, formed, through } from "../room/write.js";

/** The locale for times: that of the page, not of the browser. */
const PLACE = language === "en" ? "en-GB" : language;

/** Show and announce the outcome of an act on the long page. @param {string} text */
function tell(text) {
  const told = byId("told");
  told.textContent = text;
  if (text !== "") told.scrollIntoView({ block: "nearest" });
}

/** @param {unknown} error */
function why(error) {
  if (error instanceof ApiProblem && error.status === 0) return t("common.no_answer");
  return error instanceof Error ? error.message : String(error);
}

/**
 * @param {HTMLButtonElement | null} button
 * @param {() => Promise<void>} act
 */
async function trying(button, act) {
  if (button) button.disabled = true;
  try {
    await act();
  } catch (error) {
    tell(why(error));
  } finally {
    if (button) button.disabled = false;
  }
}

/**
 * @param {string} id
 * @param {(form: FormData) => Promise<void>} act
 */
function onSubmit(id, act) {
  const form = document.getElementById(id);
  if (!(form instanceof HTMLFormElement)) return;
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void trying(form.querySelector("button[type=submit]"), () => act(new FormData(form)));
  });
}

/** @param {FormData} form @param {string} name */
const text = (form, name) => String(form.get(name) ?? "").trim();

/** Keep a member's note in this browser only, separately for each seat. */
function keepNote() {
  const note = document.getElementById("note");
  if (!(note instanceof HTMLTextAreaElement)) return;
  const key = `tabularium-note-${note.dataset.seat}`;
  note.value = localStorage.getItem(key) ?? "";
  note.addEventListener("input", () => localStorage.setItem(key, note.value));
}

/** @param {FormData} form */
function ballotOf(form) {
  const vote = text(form, "vote");
  const proposal = text(form, "proposal");
  return { vote, ...(vote === "modify" && proposal ? { proposal } : {}) };
}

/** @param {string} path */
function member(path) {
  keepNote();
  onSubmit("vote", async (form) => {
    const { json } = await api("POST", `${path}/ballots`, { body: ballotOf(form) });
    byId("standing").textContent = t("case.voted");
    tell(json.is_complete ? t("case.all_in") : t(json.replaces ? "case.replaced" : "case.taken"));
  });
  onSubmit("recuse", async (form) => {
    const reason = text(form, "reason");
    await api("POST", `${path}/recusal`, { body: reason ? { reason } : {} });
    tell(t("case.recused"));
  });
}

/**
 * A member's code, which is shown once: QR picture, code, link and copy key.
 *
 * @param {any} one
 */
function codeLine(one) {
  const until = new Date(one.expires_at).toLocaleTimeString(PLACE, { hour: "2-digit", minute: "2-digit" });
  const copy = h("button", { type: "button", class: "quiet" }, t("case.code_copy"));
  copy.setAttribute("aria-label", t("case.code_copy_for", { name: one.holder }));
  copy.addEventListener("click", () => void trying(copy, async () => {
    await navigator.clipboard.writeText(one.url);
    tell(t("case.code_copied"));
  }));
  const svg = one.qr_svg && `data:image/svg+xml,${encodeURIComponent(one.qr_svg)}`;
  return h(
    "li",
    { "data-code": one.code, "data-member": one.member },
    h("strong", null, one.holder),
    h("p", null, h("code", null, one.code), ` – ${t("case.code_holds", { until })}`),
    svg
      ? h("img", { src: svg, alt: t("case.code_qr", { name: one.holder }), width: 192, height: 192 })
      : h("p", { class: "muted" }, t("case.code_here")),
    h("p", null, h("a", { href: one.url }, one.url), " ", copy),
  );
}

/** The fields for the committee's seats, and the rule set's word on their number. */
function sitting() {
  const list = document.getElementById("sitting");
  const form = document.getElementById("convene");
  if (list === null || form === null) return;
  const sizes = (form.dataset["sizes"] ?? "").split(" ").filter(Boolean);
  const count = () => [...list.querySelectorAll("input")].filter((input) => input.value.trim() !== "").length;
  form.addEventListener("input", () => {
    const n = count();
    const isAsked = sizes.length > 0 && n > 0 && !sizes.includes(String(n));
    byId("size-told").textContent = isAsked
      ? t("case.size_asked", { n, sizes: sizes.join(", "), section: form.dataset["section"] ?? "" })
      : "";
  });
  byId("another").addEventListener("click", () => {
    const line = /** @type {HTMLElement} */ (list.children[0]?.cloneNode(true));
    const label = line.querySelector("label");
    if (label?.firstChild) label.firstChild.textContent = `${t("case.name_n", { n: list.children.length + 1 })} `;
    for (const field of line.querySelectorAll("input, select")) /** @type {HTMLInputElement} */ (field).value = "";
    list.append(line);
    line.querySelector("input")?.focus();
  });
}

/** The members named, with their declared interests. */
function named() {
  const independent = { yes: { independent: true }, no: { independent: false }, "": {} };
  return [...document.querySelectorAll("#sitting li")]
    .map((line) => ({
      name: line.querySelector("input")?.value.trim() ?? "",
      ...independent[/** @type {"yes" | "no" | ""} */ (line.querySelector("select")?.value ?? "")],
    }))
    .filter((one) => one.name !== "");
}

/**
 * The forms to convene, to make codes and to issue the case.
 * @param {string} path of the case in the API
 */
function seating(path) {
  sitting();
  onSubmit("convene", async () => {
    const members = named();
    if (members.length === 0) throw new Error(t("case.nobody_named"));
    const { json } = await convene(path, members);
    fill(byId("codes"), ...json.codes.map(codeLine));
    tell([t("case.convened"), ...json.notes].join(" · "));
    await drawAnew(path);
  });
  for (const button of document.querySelectorAll("button[data-new-code]")) {
    const key = /** @type {HTMLButtonElement} */ (button);
    key.addEventListener("click", () => void trying(key, async () => {
      const { json } = await api("POST", `${path}/codes`, { body: { member: key.dataset["newCode"] } });
      fill(byId("codes"), codeLine(json));
      tell(t("case.code_made", { name: json.holder }));
    }));
  }
  onSubmit("issue", async (form) => {
    const body = form.has("hides_score") ? { hides_score: true } : {};
    await api("POST", `${path}/issue`, { body });
    tell(t("case.issued"));
    await drawAnew(path);
  });
}

/** Redraw the outdated page, but keep the codes, which are shown only once. @param {string} path */
async function drawAnew(path) {
  if (!(await swap(location.href, ["seats", "openings", "giving"]))) return;
  seating(path);
  tellTimes();
}

/** Show times in the reader's time zone. */
function tellTimes() {
  for (const time of document.querySelectorAll("time")) {
    const at = Number(time.dataset["at"]);
    if (at > 0) time.textContent = new Date(at).toLocaleString(PLACE);
  }
}

/** @param {DOMStringMap} place */
function director({ log = "", case: id = "", match = "", rules = "" }) {
  const path = `/logs/${log}/cases/${id}`;
  const record = (/** @type {string} */ door, /** @type {string} */ tag, /** @type {any} */ body) =>
    through(log, match, door, { tag, body });
  // The whole page is one form: repeating an unanswered act sends the same entry.
  formed(true);
  seating(path);
  onSubmit("director-vote", async (form) => {
    const ballot = ballotOf(form);
    if (ballot.vote === "declined") await record("votes", "vote.director_declined", { appeal: id });
    else await record("votes", "vote.director_cast", { appeal: id, ...ballot });
    location.reload();
  });
  onSubmit("announce", async (form) => {
    const decision = text(form, "decision");
    await record("appeals", "appeal.decided", { appeal: id, outcome: text(form, "outcome"), ...(decision ? { decision } : {}) });
    location.reload();
  });
  onSubmit("refuse", async (form) => {
    const rule = { rule_set: rules, section: text(form, "section") };
    await record("appeals", "appeal.refused", { appeal: id, rule, reason: text(form, "reason") });
    location.reload();
  });
  onSubmit("reported", async (form) => {
    const told = ["description", "reasons", "on"].map((name) => [name, text(form, name)]).filter(([, value]) => value);
    const body = { appeal: id, by: "director", to: text(form, "to"), ...Object.fromEntries(told) };
    /** @type {import("../shared/types").Act} */
    const reported = { tag: "decision.reported", schema: 2, basis: "observed", body };
    await append(log, match, [reported]);
    location.reload();
  });
}

async function start() {
  await loadTexts("case");
  tellTimes();
  const vote = document.getElementById("vote");
  if (vote) member(`/cases/${vote.dataset["case"]}`);
  else director(byId("director").dataset);
  document.body.dataset["ready"] = "yes";
}

void start();
