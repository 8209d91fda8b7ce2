// "Link to" is a search over titles: what is chosen is listed by its title, and stands in the field as its address.

import { $$ } from "./console.js";
import { combobox, documents } from "./palette.js";

for (const field of $$("[data-finds]")) {
  const list = document.createElement("ul");
  const search = Object.assign(document.createElement("input"), { type: "search", placeholder: "Search titles", autocomplete: "off" });
  const found = document.createElement("ul");
  list.className = "chosen";
  found.className = "found";
  search.id = `${field.id}-search`;
  found.id = `${field.id}-found`;
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

  const find = combobox(search, found, async (sought) => (sought ? await documents(sought) : []).map(({ title, status, id }) => [title, status, () => {
    titles[id] = title;
    search.value = "";
    find();
    set([...new Set([...lines(), id])]);
    search.focus();
  }]));
  show();
}
