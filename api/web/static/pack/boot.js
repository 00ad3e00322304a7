// The first script of a pack's page: checks all parts of the page by hash, then starts it.

(() => {
  // Both are filled in when the page is made.
  const HASHES = /** @type {Record<string, string>} */ (/** @type {unknown} */ ("HASHES"));
  const POLICY = "POLICY";

  /** @param {string} text */
  const sha256 = async (text) => {
    const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
    return [...new Uint8Array(digest)].map((one) => one.toString(16).padStart(2, "0")).join("");
  };

  /** @param {string} state @param {string} text */
  const say = (state, text) => {
    const seal = document.getElementById("seal");
    if (seal === null) return;
    seal.dataset["state"] = state;
    seal.textContent = text;
  };

  /** The part of the page that was changed; null = none. */
  const changed = async () => {
    const root = /** @type {HTMLElement} */ (document.documentElement.cloneNode(true));
    for (const one of root.querySelectorAll("script, style")) one.textContent = "";
    const policy = root.querySelector("meta[http-equiv]");
    const [before, after] = POLICY.split("{scripts}");
    const named = policy?.getAttribute("content") ?? "";
    const own = named.slice(before.length, named.length - after.length);
    if (named !== before + own + after || !/^'sha256-[\w+/=]+' 'sha256-[\w+/=]+'$/.test(own)) return "policy";
    policy?.setAttribute("content", "");
    if (document.compatMode !== "CSS1Compat") return "doctype";
    if (document.doctype?.name !== "html") return "doctype";
    if ((await sha256(root.outerHTML)) !== HASHES["shell"]) return "shell";
    for (const name of ["style", "modules", "texts", "pack"]) {
      const text = document.getElementById(name)?.textContent ?? "";
      if ((await sha256(text)) !== HASHES[name]) return name;
    }
    return null;
  };

  document.addEventListener("DOMContentLoaded", async () => {
    try {
      if (globalThis.crypto?.subtle === undefined) {
        say("bad", "This browser checks no seals here. Dieser Browser prüft hier keine Siegel. verify.sh, verify.py");
        return;
      }
      const part = await changed();
      if (part !== null) {
        say("bad", `CHANGED: this file is not what it was when it was made (${part}). GEÄNDERT: Diese Datei ist nicht, was sie war.`);
        return;
      }
      const asked = new URL(location.href).searchParams.get("lang") ?? navigator.language;
      document.documentElement.lang = asked.startsWith("de") ? "de" : "en";
      // The name is defined in the import map.
      const app = "tabularium/pack/app.js";
      await (await import(app)).start();
    } catch (error) {
      say("bad", `NOT VERIFIED. NICHT GEPRÜFT. ${error}`);
    }
  });
})();
