(() => {
  const root = document.documentElement;
  const store = (key, value) => { try { localStorage.setItem(key, value); } catch { /* private windows keep nothing */ } };
  const stored = (key) => { try { return localStorage.getItem(key); } catch { return null; } };
  const saved = stored("hardgen-theme");
  if (saved) root.dataset.theme = saved;
  const wanted = new URLSearchParams(location.search).get("theme");
  if (wanted === "dark" || wanted === "light") root.dataset.theme = wanted;
  document.getElementById("theme").addEventListener("click", () => {
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
    store("hardgen-theme", root.dataset.theme);
  });
  for (const input of document.querySelectorAll("input[name=x]")) {
    input.addEventListener("change", () => { document.body.dataset.x = input.value; });
    if (input.checked) document.body.dataset.x = input.value;
  }
  const apply = (input) => {
    for (const element of document.querySelectorAll(`.s${input.dataset.series}`)) {
      if (element instanceof SVGElement) element.style.display = input.checked ? "" : "none";
      else element.hidden = !input.checked;
    }
  };
  for (const input of document.querySelectorAll("input[data-series]")) {
    input.addEventListener("change", () => apply(input));
    if (!input.checked) apply(input);
  }
})();
