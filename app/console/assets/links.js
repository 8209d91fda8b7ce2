// "Link to" is a search over titles: what is chosen is listed by its title, and stands in the field as its address.

import { $, $$ } from "./console.js";

const find = $("#palette").dataset.find;

for (const field of $$("[data-finds]")) {
  const list = document.createElement("ul");
  const search = Object.assign(document.createElement("input"), { type: "search", placeholder: "Search titles", autocomplete: "off" });
  const found = document.createElement("ul");
  list.className = "chosen";
  found.className = "options found";
  found.hidden = true;
  search.id = `${field.id}-search`;
  field.labels[0].htmlFor = search.id;
  const hint = field.parentElement.querySelector(".hint");
  hint.textContent = "Documents of this project that it should link to.";
  search.setAttribute("aria-describedby", hint.id);
  field.hidden = true;
  field.after(list, search, found);

  const lines = () => field.value.split("\n").map((line) => line.trim()).filter(Boolean);
  const titles = JSON.parse(field.dataset.titles ?? "{}");

  function set(all) {
    field.value = all.join("\n");
    field.dispatchEvent(new Event("input", { bubbles: true }));
    show();
  }

  function show() {
    list.replaceChildren(...lines().map((line) => {
      const id = line.match(/[0-9a-f]{24}/i)?.[0];
      const remove = Object.assign(document.createElement("button"), { type: "button", className: "quiet", textContent: "Remove" });
      remove.setAttribute("aria-label", `Remove ${titles[id] ?? line}`);
      remove.addEventListener("click", () => set(lines().filter((other) => other !== line)));
      const item = document.createElement("li");
      item.append(titles[id] ?? line, remove);
      return item;
    }));
  }

  let timer = 0;
  search.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(async () => {
      const response = await fetch(`${find}?q=${encodeURIComponent(search.value)}`).catch(() => null);
      const rows = search.value.trim() && response?.ok ? await response.json() : [];
      found.hidden = !rows.length;
      found.replaceChildren(...rows.map(({ title, status, url }) => {
        const choice = Object.assign(document.createElement("button"), { type: "button", textContent: title });
        choice.append(Object.assign(document.createElement("span"), { className: "muted", textContent: status }));
        choice.addEventListener("click", () => {
          const id = url.split("/").pop();
          titles[id] = title;
          search.value = "";
          found.hidden = true;
          set([...new Set([...lines(), id])]);
          search.focus();
        });
        const item = document.createElement("li");
        item.append(choice);
        return item;
      }));
    }, 150);
  });
  search.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    $("button", found)?.click();
  });
  show();
}
