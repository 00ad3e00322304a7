// On every reading page: the theme and its switch, and links that keep language and place.

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

// The links to other languages keep the query: the part of a list, the moment of a match.
for (const link of document.querySelectorAll("a[hreflang]")) {
  link.addEventListener("click", () => {
    const query = new URLSearchParams({ lang: link.getAttribute("hreflang") ?? "" });
    for (const [name, value] of new URLSearchParams(location.search)) {
      if (name !== "lang") query.append(name, value);
    }
    link.setAttribute("href", `?${query}${location.hash}`);
  });
}

// A language chosen by the address is passed on in links, since no cookie stores it.
const asked = new URLSearchParams(location.search).get("lang");

/** @param {Event} event a click on a link to another of our pages */
function keepLanguage({ target }) {
  const link = target instanceof Element ? target.closest("a") : null;
  const href = link?.getAttribute("href") ?? "#";
  if (link === null || href.startsWith("#") || link.matches("[hreflang], [download]")) return;
  const url = new URL(link.href);
  const isPage = url.origin === location.origin && !url.pathname.startsWith("/logs/");
  if (!isPage || url.searchParams.has("lang")) return;
  url.searchParams.set("lang", asked ?? "");
  link.setAttribute("href", (href.startsWith("?") ? "" : url.pathname) + url.search + url.hash);
}

if (asked !== null) {
  document.addEventListener("click", keepLanguage, true);
  document.addEventListener("auxclick", keepLanguage, true);
  for (const form of document.querySelectorAll("form[method=get]")) {
    const field = document.createElement("input");
    Object.assign(field, { type: "hidden", name: "lang", value: asked });
    form.append(field);
  }
}
