// On every page for reading: the reader's theme, and the switch for it.

import { apply, choices, choose } from "./settings.js";

apply();
const order = /** @type {const} */ (["auto", "light", "dark"]);
const button = document.getElementById("theme");
if (button !== null) {
  const show = () => {
    const { theme } = choices();
    button.textContent = button.dataset[theme] ?? theme;
  };
  button.hidden = false;
  button.addEventListener("click", () => {
    const next = order[(order.indexOf(choices().theme) + 1) % order.length];
    choose({ theme: next });
    show();
  });
  show();
}

// Another language shows the same: the part of a list, the moment of a match.
for (const link of document.querySelectorAll("a[hreflang]")) {
  link.addEventListener("click", () => {
    const query = new URLSearchParams({ lang: link.getAttribute("hreflang") ?? "" });
    for (const [name, value] of new URLSearchParams(location.search)) {
      if (name !== "lang") query.append(name, value);
    }
    link.setAttribute("href", `?${query}${location.hash}`);
  });
}
