// The page of results: its key prints it.

document.getElementById("print")?.addEventListener("click", () => print());
