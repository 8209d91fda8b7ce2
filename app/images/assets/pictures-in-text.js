// Pictures where text is written: dropped, pasted or chosen; each gets its place in the text when it is there.

import { $, say, send } from "./console.js";
import { pick, picturesOf, upload } from "./pictures.js";
import { addressed, host, view } from "./write.js";

host.before($(".uploads")); // above the text, where it is seen on a phone too

const wordsOf = (alt) => alt.replace(/(?<!\\)[[\]]/g, "\\$&").replace(/\s+/g, " ");
const markdownOf = ({ alt, url }) => `![${wordsOf(alt)}](${url})`;

/** Puts a picture at its place in the text. */
function put(picture, place) {
  place.fill(view, markdownOf(picture));
  if (!picture.alt) describe(picture);
}

/** Asks what a picture shows. The text has it at its place, and the picture for the next text. */
function describe(picture) {
  const row = document.createElement("li");
  const image = Object.assign(document.createElement("img"), { src: picture.thumbnail, alt: "" });
  const input = Object.assign(document.createElement("input"), { maxLength: 500, placeholder: "What it shows, for those who don't see it" });
  input.setAttribute("aria-label", `What ${picture.name} shows, for those who don't see it`);
  const [keep, later] = ["Save", "Later"].map((textContent) =>
    Object.assign(document.createElement("button"), { type: "button", className: "quiet", textContent }));
  const end = () => {
    const next = row.nextElementSibling ?? row.previousElementSibling;
    const hadFocus = row.contains(document.activeElement);
    row.remove();
    list.hidden = !list.children.length;
    if (hadFocus) ($("input", next ?? list) ?? view).focus();
  };
  const list = $(".uploads");
  const answer = async () => {
    const alt = input.value.trim();
    if (!alt) return end();
    const text = view.state.doc.toString();
    const at = text.indexOf(`![](${picture.url})`);
    if (at >= 0) view.dispatch({ changes: { from: at + 2, insert: wordsOf(alt) }, userEvent: "input" });
    if (await send(`${$("[data-uploads]").dataset.uploads}/${picture.id}`, { alt })) end();
  };
  keep.addEventListener("click", answer);
  later.addEventListener("click", end);
  input.addEventListener("keydown", (event) => {
    if (!["Enter", "Escape"].includes(event.key)) return;
    event.preventDefault();
    (event.key === "Enter" ? answer : end)();
  });
  row.append(image, input, keep, later);
  list.hidden = false;
  list.append(row);
}

/** Uploads files for a place of the text, which is kept while somebody types on. */
function add(files, at) {
  for (const file of files) {
    const name = file.name || "picture";
    const place = view.keepPlace(at, name);
    upload({ file, name }, (picture) => put(picture, place), () => place.drop(view));
  }
}

/** The file of a `data:` address in base64; the page's policy lets nothing fetch it. */
function fileOf(address) {
  const [, type, data] = /^data:([^;,]+);base64,(.*)$/is.exec(address);
  return new Blob([Uint8Array.from(atob(data.replace(/\s/g, "")), (one) => one.charCodeAt(0))], { type });
}

/** The end of the line that a place is seen in, so that no word is divided; the cursor goes there, too. */
function after(place) {
  const at = view.lineBlockAt(place).to;
  view.dispatch({ selection: { anchor: at } });
  return at;
}
const here = () => after(view.state.selection.main.to);

// Before the editor's own handlers, which are in its shadow root.
host.addEventListener("paste", (event) => {
  const files = picturesOf(event.clipboardData.files);
  const html = event.clipboardData.getData("text/html");
  const hasWords = html.replace(/<style\b.*?<\/style\s*>|<[^>]*>|&nbsp;/gis, "").trim(); // to parse its styles breaches the page's policy
  if (!files.length || hasWords || event.clipboardData.getData("text/plain")) return;
  event.preventDefault();
  event.stopPropagation();
  add(files, here());
}, true);

host.addEventListener("dragover", (event) => {
  if (![...event.dataTransfer.items].some(({ kind, type }) => kind === "file" && type.startsWith("image/"))) return;
  event.preventDefault();
  host.dataset.over = "";
});
host.addEventListener("dragleave", () => { delete host.dataset.over; });
host.addEventListener("drop", (event) => {
  delete host.dataset.over;
  const files = picturesOf(event.dataTransfer.files);
  if (!files.length) return;
  event.preventDefault();
  event.stopPropagation();
  const at = view.posAtCoords({ x: event.clientX, y: event.clientY });
  add(files, at === null ? here() : after(at));
}, true);

// Pictures inside formatted text, each with the place that the editor keeps for it.
host.addEventListener("pictures", ({ detail: { pictures, lost } }) => {
  for (const { place, source, alt } of pictures) {
    const from = source.startsWith("data:") ? { file: fileOf(source) } : { url: source };
    upload({ ...from, name: alt || "Pasted picture", alt }, (picture) => put({ ...picture, alt: alt || picture.alt }, place), () => place.drop(view));
  }
  if (lost) say(`${lost === 1 ? "A picture" : `${lost} pictures`} of the pasted text could not be taken: insert ${lost === 1 ? "it" : "them"} from files.`, false);
});

$('[data-picks="text"]').addEventListener("click", async () => {
  const at = here();
  const chosen = await pick({ several: (files) => add(files, at) });
  const markdown = $("#picker").returnValue === "address" ? await addressed("image") : "";
  if (markdown) view.keepPlace(at, "A picture").fill(view, markdown);
  if (chosen) put(chosen, view.keepPlace(at, chosen.name));
  view.focus();
});
