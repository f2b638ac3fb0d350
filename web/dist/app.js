document.getElementById("app").textContent = "heldup: the page is not built (cargo xtask web)";
