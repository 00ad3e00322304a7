// The desk of a case: a member's note and ballot; a director's convening, issuing and announcing.

import { byId, h } from "../shared/dom.js";
import { api } from "../shared/http.js";
import { loadTexts, t } from "../shared/texts.js";
import { uuid } from "../device/chain/ids.js";

/** @param {string} text */
function tell(text) {
  byId("told").textContent = text;
}

/**
 * @param {string} id
 * @param {(form: FormData) => Promise<void>} act
 */
function onSubmit(id, act) {
  const form = document.getElementById(id);
  if (!(form instanceof HTMLFormElement)) return;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const button = form.querySelector("button");
    if (button) button.disabled = true;
    try {
      await act(new FormData(form));
    } catch (error) {
      tell(error instanceof Error ? error.message : String(error));
    } finally {
      if (button) button.disabled = false;
    }
  });
}

/** A note lies in this browser alone: nothing of it is sent. @param {string} key */
function keepNote(key) {
  const note = document.getElementById("note");
  if (!(note instanceof HTMLTextAreaElement)) return;
  note.value = localStorage.getItem(key) ?? "";
  note.addEventListener("input", () => localStorage.setItem(key, note.value));
}

/** @param {string} path */
function member(path) {
  keepNote(`tabularium-note-${path}`);
  onSubmit("vote", async (form) => {
    const vote = String(form.get("vote"));
    const proposal = String(form.get("proposal") ?? "").trim();
    const body = { vote, ...(vote === "modify" && proposal ? { proposal } : {}) };
    const { json } = await api("POST", `${path}/ballots`, { body });
    byId("standing").textContent = t("case.voted");
    tell(json.is_complete ? t("case.all_in") : t(json.replaces ? "case.replaced" : "case.taken"));
  });
  onSubmit("recuse", async () => {
    await api("POST", `${path}/recusal`, { body: {} });
    tell(t("case.recused"));
  });
}

/** @param {string} path @param {string} log @param {string} id */
function director(path, log, id) {
  onSubmit("convene", async (form) => {
    const independent = form.get("independent") === "yes" ? { independent: true } : {};
    const names = String(form.get("names")).split("\n").map((name) => name.trim()).filter(Boolean);
    const members = names.map((name) => ({ name, ...independent }));
    const { json } = await api("POST", `${path}/committee`, { body: { members } });
    byId("codes").replaceChildren(
      ...json.codes.map((/** @type {any} */ one) =>
        h("li", { "data-code": one.code }, `${one.member} ${one.holder}: `, h("code", null, one.code), ` ${one.url}`),
      ),
    );
    tell([t("case.convened"), ...json.notes].join(" · "));
  });
  onSubmit("issue", async () => {
    await api("POST", `${path}/issue`, { body: {} });
    tell(t("case.issued"));
  });
  onSubmit("announce", async (form) => {
    const decision = String(form.get("decision") ?? "").trim();
    const match = byId("announce").dataset["match"];
    const body = { appeal: id, outcome: String(form.get("outcome")), ...(decision ? { decision } : {}) };
    await api("POST", `/logs/${log}/matches/${match}/appeals`, {
      body: { entry_id: uuid(), tag: "appeal.decided", body },
      headers: { "If-Match": "*" },
    });
    location.reload();
  });
}

async function start() {
  await loadTexts("case");
  for (const time of document.querySelectorAll("time")) {
    const at = Number(time.textContent);
    if (at > 0) time.textContent = new Date(at).toLocaleString();
  }
  const vote = document.getElementById("vote");
  if (vote) return member(`/cases/${vote.dataset["case"]}`);
  const { log = "", case: id = "" } = byId("convene").dataset;
  director(`/logs/${log}/cases/${id}`, log, id);
}

void start();
