// The page of results: its key prints the page.

document.getElementById("print")?.addEventListener("click", () => print());
