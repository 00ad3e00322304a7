// Issues a pack at the desk of its case, and unseals packs after the decision.

import { csrf, renew, request } from "../shared/http.js";
import { loadTexts, t } from "../shared/texts.js";

/**
 * @param {string} id
 * @param {(hash: string) => string} told
 */
function fetchesOn(id, told) {
  const form = document.getElementById(id);
  if (!(form instanceof HTMLFormElement)) return;
  const line = /** @type {HTMLElement} */ (form.querySelector("[role=status]"));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const button = /** @type {HTMLButtonElement} */ (form.querySelector("button"));
    button.disabled = true;
    try {
      const answer = await request(form.action, {
        method: "POST",
        headers: { "Content-Type": "application/json", "X-Tabularium-CSRF": csrf ?? "" },
        body: "{}",
        credentials: "same-origin",
      });
      if (!answer.ok) {
        const problem = await answer.json();
        if (problem.type === "/problems/csrf") await renew();
        throw new Error(problem.told ?? problem.detail ?? problem.title);
      }
      const raw = await answer.blob();
      const name = /filename="([^"]+)"/.exec(answer.headers.get("Content-Disposition") ?? "")?.[1] ?? "pack.zip";
      const link = document.createElement("a");
      link.href = URL.createObjectURL(raw);
      link.download = name;
      link.click();
      URL.revokeObjectURL(link.href);
      line.textContent = told(await sha256(raw));
    } catch (error) {
      // A fetch without an answer rejects with the browser's own message, in its language.
      if (error instanceof TypeError) line.textContent = t("common.no_answer");
      else line.textContent = error instanceof Error ? error.message : String(error);
    } finally {
      button.disabled = false;
    }
  });
}

/** @param {Blob} blob */
async function sha256(blob) {
  // Browsers hash only over https; the entry `pack.issued` has the hash anyway.
  if (globalThis.crypto?.subtle === undefined) return "–";
  const digest = await crypto.subtle.digest("SHA-256", await blob.arrayBuffer());
  return [...new Uint8Array(digest)].map((one) => one.toString(16).padStart(2, "0")).join("");
}

await loadTexts("pack");
fetchesOn("hand-out", (hash) => t("pack.given", { hash }));
fetchesOn("unseal", () => t("pack.unseal_done"));
