// Pictures: uploads with progress, the picker, and the cover of a document.

import { $, $$, opened, say } from "./console.js";

const csrf = $('meta[name="csrf-token"]').content;
const MOST = 20 * 1024 * 1024;
const AT_ONCE = 2;
const queue = [];
let running = 0;

/** Uploads a file, or what is at an address, and shows how far it is; `done` gets the picture, `given_up` is called where it ends without. */
export function upload({ file, url, name, alt = "" }, done, given_up = () => {}) {
  const address = $("[data-uploads]").dataset.uploads;
  const row = document.createElement("li");
  const label = Object.assign(document.createElement("span"), { textContent: name });
  const bar = Object.assign(document.createElement("progress"), { max: 1, value: 0 });
  bar.setAttribute("aria-label", `Upload of ${name}`);
  const [cancel, again] = ["Cancel", "Try again"].map((textContent) =>
    Object.assign(document.createElement("button"), { type: "button", className: "quiet", textContent }));
  again.hidden = true;
  row.append(label, bar, again, cancel);
  const list = $(".uploads");
  list.hidden = false;
  list.append(row);
  let request = null;
  const end = () => {
    row.remove();
    list.hidden = !list.children.length;
  };
  const fail = (why) => {
    label.textContent = `${name}: ${why}`;
    again.hidden = false;
    bar.hidden = true;
  };
  const run = () => new Promise((over) => {
    const form = new FormData();
    form.set("name", name.slice(0, 200));
    if (alt) form.set("alt", alt.slice(0, 500));
    if (url) form.set("url", url);
    else form.set("file", file, "file");
    request = new XMLHttpRequest();
    request.open("POST", address);
    request.setRequestHeader("X-CSRF-Token", csrf);
    request.setRequestHeader("HX-Request", "true");
    request.responseType = "json";
    request.upload.addEventListener("progress", ({ loaded, total }) => { bar.value = (0.9 * loaded) / total; });
    request.addEventListener("loadend", () => {
      over();
      if (request.aborted) return;
      if (request.status >= 200 && request.status < 300 && request.response?.url) {
        end();
        done(request.response);
      } else if (request.status === 401) fail("sign in again in another tab, then try again.");
      else if (!request.status) fail("the connection was lost. It is still here.");
      else fail(request.response?.message ?? "it could not be uploaded.");
    });
    request.send(form);
  });
  const start = () => {
    label.textContent = name;
    [again.hidden, bar.hidden, bar.value] = [true, false, 0];
    queue.push(run);
    next();
  };
  cancel.addEventListener("click", () => {
    const at = queue.indexOf(run);
    if (at >= 0) queue.splice(at, 1);
    if (request) request.aborted = true;
    request?.abort();
    end();
    given_up();
  });
  again.addEventListener("click", start);
  if (file && file.size > MOST) {
    fail("it is over 20 MB.");
    again.hidden = true;
  } else start();
}

function next() {
  while (running < AT_ONCE && queue.length) {
    running += 1;
    queue.shift()().finally(() => {
      running -= 1;
      next();
    });
  }
}

/** The pictures among files. */
export const picturesOf = (files) => [...(files ?? [])].filter(({ type }) => type.startsWith("image/"));

/** Shows the picker; returns the picture that is chosen or uploaded, null for none. */
export function pick({ several = null } = {}) {
  const dialog = $("#picker");
  const [search, list, files] = [$("input[type=search]", dialog), $(".pictures", dialog), $("[data-uploads]", dialog)];
  let chosen = null;
  let timer = 0;
  const find = async () => {
    const response = await fetch(`${dialog.dataset.found}?${new URLSearchParams({ q: search.value })}`).catch(() => null);
    const found = response?.ok ? (await response.json()).pictures : null;
    if (!found) return say("The pictures can't be shown right now: try again in a moment.", false);
    list.replaceChildren(...found.map(shown));
    if (!found.length) list.append(Object.assign(document.createElement("li"), { className: "muted", textContent: search.value ? "No such picture." : "No pictures yet." }));
  };
  const shown = (picture) => {
    const item = document.createElement("li");
    const button = Object.assign(document.createElement("button"), { type: "button" });
    const image = Object.assign(document.createElement("img"), { src: picture.thumbnail, alt: "", loading: "lazy" });
    button.append(image, Object.assign(document.createElement("strong"), { textContent: picture.name }),
      Object.assign(document.createElement("span"), { className: "muted", textContent: picture.alt || "No description" }));
    button.addEventListener("click", () => {
      chosen = picture;
      dialog.close("chosen");
    });
    item.append(button);
    return item;
  };
  const type = () => {
    clearTimeout(timer);
    timer = setTimeout(find, 200);
  };
  const take = () => {
    const taken = picturesOf(files.files);
    files.value = "";
    dialog.close();
    if (several) several(taken);
  };
  search.addEventListener("input", type);
  files.addEventListener("change", take);
  find();
  return opened(dialog).then(() => {
    search.removeEventListener("input", type);
    files.removeEventListener("change", take);
    return chosen;
  });
}

// The page of all pictures.
for (const input of $$("[data-reloads]")) {
  input.addEventListener("change", () => {
    let waiting = 0;
    for (const file of picturesOf(input.files)) {
      waiting += 1;
      upload({ file, name: file.name }, () => { if (!(waiting -= 1)) location.reload(); }, () => { waiting -= 1; });
    }
    input.value = "";
  });
}

// The cover of a document, or the picture of a member.
const cover = $("[data-cover]");
if (cover) {
  const input = $("[name=coverImageUrl], [name=imageUrl]");
  const show = () => {
    cover.hidden = !/^https?:/.test(input.value);
    if (!cover.hidden) cover.src = input.value;
  };
  const set = ({ url }) => {
    input.value = url;
    input.dispatchEvent(new Event("input", { bubbles: true }));
    show();
  };
  cover.addEventListener("error", () => { cover.hidden = true; });
  input.addEventListener("change", show);
  $('[data-picks="cover"]')?.addEventListener("click", async () => {
    const several = ([file]) => file && upload({ file, name: file.name }, set);
    const chosen = await pick({ several });
    if (chosen) set(chosen);
  });
  show();
}
