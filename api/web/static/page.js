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
