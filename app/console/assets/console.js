// What all pages share: keys, dialogs, questions before a form is sent, times in the reader's own zone, messages.

export const $ = (selector, root = document) => root.querySelector(selector);
export const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];

// The service writes times and days in the reader's own time zone.
const zoneBefore = document.cookie.match(/(?:^|; )cw_zone=([^;]*)/)?.[1];
const zoneName = Intl.DateTimeFormat().resolvedOptions().timeZone;
document.cookie = `cw_zone=${zoneName}; path=/console; max-age=31536000; samesite=strict`;

// A page that a form was answered with stands in the history as the page to be read again: Back asks for nothing.
const reload = $('meta[name="reload"]')?.content;
if (reload) history.replaceState(history.state, "", reload);
// The times in fields and the days of a calendar are those of the zone that the reader has left; a message is shown once.
else if (zoneBefore && zoneBefore !== zoneName && !$(".notice") && document.cookie.includes(`cw_zone=${zoneName}`)) location.reload();

const csrf = $('meta[name="csrf-token"]')?.content ?? "";

/** Shows a message for a while, with a button for `undo`; one that something failed stays until it is closed, or until the next. */
export function say(message, ok = true, undo = null) {
  const box = document.createElement("div");
  box.className = "notice";
  box.dataset.ok = ok;
  const text = document.createElement("p");
  text.textContent = message.replaceAll("`", "");
  box.append(text);
  if (undo) box.append(button("Undo", box, undo, { undo: "" }));
  $("#toasts").replaceChildren(box);
  fade(box, ok);
}

/** Takes a message away after a while, but not under somebody's hands; one that something failed when it is closed. */
function fade(box, ok) {
  if (!ok) return box.append(button("Close", box));
  const gone = () => (box.matches(":hover, :focus-within") ? setTimeout(gone, 2000) : box.remove());
  setTimeout(gone, $("[data-undo]", box) ? 15_000 : 6000);
}

// A message of the page before is read aloud once it enters the page.
for (const box of $$("#toasts .notice")) {
  setTimeout(() => $("#toasts").replaceChildren(box));
  fade(box, box.dataset.ok !== "false");
}

function button(text, box, then = () => {}, data = {}) {
  const made = Object.assign(document.createElement("button"), { type: "button", className: "quiet", textContent: text });
  Object.assign(made.dataset, data);
  made.addEventListener("click", () => {
    box.remove();
    then();
  });
  return made;
}

/** Says that something is being done once that takes long; returns what to call when it is over. */
export function working() {
  const timer = setTimeout(() => say("Still working on it…"), 1000);
  return () => clearTimeout(timer);
}

/** Shows at the bell how much waits, as it is now. */
async function ring() {
  const bell = $("[data-count]");
  const response = bell && (await fetch(bell.dataset.count, { headers: { "HX-Request": "true" } }).catch(() => null));
  if (response?.ok) bell.textContent = await response.text();
}

/** Sends a form's fields and shows what came of it, with a button for `undo`; returns whether it was done. */
export async function send(url, fields, undo = null) {
  const over = working();
  const response = await fetch(url, {
    method: "POST",
    headers: { "X-CSRF-Token": csrf, "HX-Request": "true" },
    body: new URLSearchParams(fields),
  }).catch(() => null);
  over();
  if (response?.headers.get("HX-Redirect")) return location.assign(response.headers.get("HX-Redirect"));
  const result = await response?.json().catch(() => null);
  if (!result) say("The service can't be reached: try again in a moment.", false);
  else say(result.message, result.ok, result.ok ? undo : null);
  if (result?.ok) ring();
  return Boolean(result?.ok);
}

/** Opens a dialog; returns the value of the button that closed it, empty for none. */
export function opened(dialog) {
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((resolve) => dialog.addEventListener("close", () => resolve(dialog.returnValue), { once: true }));
}

let later = 0;

/** Tells a page's live parts to fetch themselves again, but not under somebody's hands. */
export function refresh() {
  clearTimeout(later);
  if (isAtWork() || $(".htmx-request")) {
    later = setTimeout(refresh, 1000);
  } else {
    for (const part of $$("[hx-trigger=refresh]")) htmx.trigger(part, "refresh");
  }
}

/** Whether somebody is typing into a live part, sends a form of it, is dragging, or asked something. */
function isAtWork() {
  const fields = $$("[hx-trigger=refresh] :is(textarea, input:not([type=hidden]))");
  const typed = fields.some((field) => field === document.activeElement || field.value !== field.defaultValue);
  return typed || $("dialog[open], [data-dragged], .sends[data-sent]") !== null;
}

// Somebody may have begun after a live part was asked for.
document.addEventListener("htmx:beforeSwap", (event) => {
  if (event.detail.requestConfig.triggeringEvent?.type !== "refresh" || !isAtWork()) return;
  event.detail.shouldSwap = false;
  refresh();
});

/** The instant of a datetime-local field with the reader's offset, as the service takes it. */
export const instant = (local) => (local ? new Date(local).toISOString() : "");

/** What a datetime-local field means where its clocks skip its time, as in the hour that summer time takes away; else empty. */
function instead(local) {
  const found = new Date(local);
  const shown = new Date(found - found.getTimezoneOffset() * 60_000).toISOString().slice(0, local.length);
  return shown === local ? "" : found.toLocaleString("en-GB", { day: "numeric", month: "long", hour: "2-digit", minute: "2-digit" });
}

/** Asks about a time that the clocks skip; returns whether it is meant. */
export async function isMeant(local) {
  const found = local && instead(local);
  return !found || confirms(`Clocks skip ${local.slice(11)} on that day. Is ${found} meant?`, null);
}

/** Shows times in the reader's own zone. */
export function localTimes(root) {
  for (const time of $$("time[data-time]", root)) {
    const at = new Date(time.dateTime);
    const thisYear = at.getFullYear() === new Date().getFullYear() && !time.closest(".record"); // which is permanent
    const options = { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit", hour12: false };
    time.textContent = at.toLocaleString("en-GB", thisYear ? options : { ...options, year: "numeric" });
    time.title ||= `${at.toISOString().slice(0, 16).replace("T", " ")} UTC`;
    time.removeAttribute("data-time");
  }
  for (const zone of $$("[data-zone]", root)) zone.textContent = `(${zoneName.replace("_", " ")})`;
}

/** Has fields for what is to come refuse a time that is past. */
function refusePast() {
  const now = new Date();
  for (const field of $$("[data-future]")) {
    field.min = new Date(now - now.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
  }
}

function isTyping(target) {
  return target.closest?.("input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]") !== null;
}

/** Whether words of a text are selected: what is typed then is meant for them, and leaves no page. */
export const hasSelection = () => !getSelection().isCollapsed && Boolean(getSelection().anchorNode.parentElement?.closest(".paper"));

/** The documents of a list, in its order. */
const entries = () => $$(".card h3 a, .piece a, #table tbody :is(th[scope=row] a, [data-read])");

/** Goes to the next or the previous document of a list. */
function step(by) {
  const all = entries();
  const here = document.activeElement?.closest(".card, .piece, tr");
  const next = all[here ? all.findIndex((link) => here.contains(link)) + by : 0];
  next?.focus();
  next?.scrollIntoView({ block: "nearest", inline: "nearest" });
}

let waitsForPage = false;
document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.composedPath()[0])) return;
  if ($("dialog[open]") || (($("[data-editor]") || hasSelection()) && event.key !== "Escape")) return; // on *Write*, letters are meant for the text
  const entry = waitsForPage && $(`nav [data-key="${CSS.escape(event.key)}"]`);
  waitsForPage = event.key === "g";
  if (entry) entry.click();
  else if (event.key === "Escape" && $("#toasts *")) $("#toasts").replaceChildren();
  else if (event.key === "?") $("#keys")?.showModal();
  else if (event.key === "z" && $("[data-undo]")) $("[data-undo]").click();
  else if ($(`[data-step="${CSS.escape(event.key)}"]`)) $(`[data-step="${CSS.escape(event.key)}"]`).click();
  else if ((event.key === "j" || event.key === "k") && entries().length) step(event.key === "j" ? 1 : -1);
  else if (event.key === "/" && $("[data-search]")) $("[data-search]").focus();
  else if (event.key === "/" && $('nav [data-key="t"]')) location.assign(`${$('nav [data-key="t"]').href}#q`);
  else if (event.key === "e" && $('.tabs a[href$="/edit"]')) $('.tabs a[href$="/edit"]').click();
  else return;
  event.preventDefault();
});

// A form is sent from each of its fields; of a table, each bulk action is sent from its own.
document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || !(event.ctrlKey || event.metaKey) || event.target.closest?.("a, button, summary")) return;
  const part = event.target.closest?.(".bulk-action, main form[method=post]:not(.writing, .many)");
  const main = part && ($('.button[data-kind="main"]', part) ?? $("button.button:not([type=button])", part));
  const sends = event.key === "Enter" || (event.key === "s" && part?.matches(".fields") && !main?.name);
  if (!main || !sends) return;
  event.preventDefault();
  main.form.requestSubmit(main);
});

document.addEventListener("click", (event) => {
  for (const menu of $$("details.menu[open]")) menu.open = menu.contains(event.target);
  const opener = event.target.closest("[data-opens]");
  if (opener) document.getElementById(opener.dataset.opens).showModal();
});

// What was opened to be filled in has the cursor.
document.addEventListener("toggle", ({ target }) => {
  if (target.open && target.matches?.("[data-fills]")) $("input:not([type=hidden]), textarea", target)?.focus();
}, true);

// A menu closes when something else is clicked.
document.addEventListener("click", ({ target }) => {
  for (const menu of $$(".menu[open]")) menu.open = menu.contains(target);
});

// Browsers let pages copy where they are served over https, or locally.
for (const button of $$("[data-copies]")) {
  button.hidden = !navigator.clipboard;
  button.addEventListener("click", () => {
    navigator.clipboard.writeText($(".secret").textContent).then(
      () => say("Copied."),
      () => say("The browser does not allow it: select the text and copy it.", false),
    );
  });
}

// Offline, the browser would leave the page for one of its own; forms that scripts send stay by themselves.
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (navigator.onLine || form.method === "dialog" || form.matches(".sends")) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  const stored = "draft" in form.dataset ? "what you wrote is stored in this browser" : "nothing was sent";
  say(`You are offline: ${stored}. Try again when you are connected.`, false);
}, true);

document.addEventListener("submit", async (event) => {
  const form = event.target;
  if (event.defaultPrevented && form.matches(".sends")) return;
  if ("sent" in form.dataset) return event.preventDefault();
  const skipped = $$("[data-instant]:not([data-meant])", form).find((field) => field.value && instead(field.value));
  if (skipped) {
    event.preventDefault();
    if (!(await isMeant(skipped.value))) return skipped.focus();
    skipped.dataset.meant = "";
    return form.requestSubmit(event.submitter);
  }
  for (const field of $$("[data-instant]", form)) {
    const hidden = document.createElement("input");
    Object.assign(hidden, { type: "hidden", name: field.name, value: instant(field.value) });
    field.removeAttribute("name");
    field.after(hidden);
  }
  const asks = event.submitter?.dataset.question ? event.submitter : form;
  if (!asks.dataset.question) {
    if (form.method !== "post" || event.defaultPrevented) return;
    form.dataset.sent = "";
    working();
    setTimeout(() => delete form.dataset.sent, 10_000);
    return;
  }
  event.preventDefault();
  if (!(await confirms(asks.dataset.question, event.submitter))) return;
  delete asks.dataset.question;
  form.requestSubmit(event.submitter);
});

// Not a button that submits: Enter presses the first of those, and is to do what the dialog is for.
document.addEventListener("click", (event) => event.target.closest?.("[data-cancels]")?.closest("dialog").close(""));

/** Asks a question before a button does what it says; returns whether it was confirmed. */
async function confirms(question, button) {
  $("#question-text").textContent = question;
  const texts = [...(button?.childNodes ?? [])].filter((node) => node.nodeType === Node.TEXT_NODE);
  const yes = $("#question [value=yes]");
  yes.textContent = texts.map((node) => node.data).join("").trim() || "Yes";
  yes.dataset.kind = button?.dataset.kind === "danger" ? "danger" : "main";
  yes.autofocus = yes.dataset.kind === "main"; // else Enter cancels
  return (await opened($("#question"))) === "yes";
}

/** Runs what sends a form, and returns what that returns; false while the form is being sent: it is not sent again. */
export async function once(form, sends) {
  if ("sent" in form.dataset) return false;
  form.dataset.sent = "";
  return sends().finally(() => delete form.dataset.sent);
}

/** Sends a form without leaving the page, and then shows what is new. */
export async function sending(form, sends) {
  await once(form, sends);
  refresh();
}

async function sendForm(form, submitter) {
  const { question } = form.dataset;
  if (question && !(await confirms(question, submitter))) return;
  if (!(await send(submitter?.getAttribute("formaction") ?? form.getAttribute("action"), new FormData(form)))) return;
  form.dispatchEvent(new Event("done", { bubbles: true }));
  form.reset();
  form.closest(".thread")?.focus({ preventScroll: true });
}

// A form on a page where somebody writes is sent without leaving it.
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!form.matches(".sends") || event.defaultPrevented) return;
  event.preventDefault();
  sending(form, () => sendForm(form, event.submitter));
}, true);

// On a small screen the navigation and the tabs scroll sideways: show where one is.
for (const here of $$(":is(.side nav, .tabs) [aria-current]")) {
  const entries = here.parentElement;
  entries.scrollLeft = here.offsetLeft - entries.offsetLeft - entries.clientWidth / 2 + here.clientWidth / 2;
}

// What is scrolled or open stays so when it is replaced.
function keepView({ detail: { target, shouldSwap } }) {
  if (!shouldSwap) return;
  const { id, scrollLeft, scrollTop } = target;
  const open = $$("details[open] > summary", target).map((summary) => summary.textContent);
  const focused = target.contains(document.activeElement) && document.activeElement.id;
  const restore = () => {
    const replaced = document.getElementById(id);
    if (!replaced) return;
    for (const summary of $$("details > summary", replaced)) {
      if (open.includes(summary.textContent)) summary.parentElement.open = true;
    }
    if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
    replaced.scrollTo(scrollLeft, scrollTop);
  };
  document.addEventListener("htmx:afterSwap", restore, { once: true });
}
document.addEventListener("htmx:beforeSwap", keepView);
document.addEventListener("htmx:oobBeforeSwap", keepView);
document.addEventListener("htmx:afterSwap", () => {
  localTimes(document);
  refusePast();
});

// Filters: an address has what is chosen alone, and a screen reader hears what was found.
document.addEventListener("htmx:configRequest", ({ detail: { elt, parameters } }) => {
  if (!elt.matches(".filters")) return;
  for (const { name, value, selectedIndex } of $$("select, [type=search]", elt)) {
    if (!value || selectedIndex === 0) delete parameters[name]; // the first choice holds without it
  }
  const columns = $$("[name=column]", elt);
  const shown = new URLSearchParams(location.search).has("column");
  if (!shown && columns.every((box) => box.checked === box.defaultChecked)) delete parameters.column;
});
document.addEventListener("htmx:afterSettle", ({ detail: { elt, requestConfig } }) => {
  if (requestConfig?.elt.matches(".filters") && elt.dataset.found) $("#found").textContent = elt.dataset.found;
});

// A document leads back to the list from which it was opened, with its filters.
const lists = $$('nav [data-key="n"], nav [data-key="b"], nav [data-key="c"], nav [data-key="t"]');
const listOf = (path) => lists.find((entry) => new URL(entry.href).pathname === path);
function rememberList() {
  if (listOf(location.pathname)) sessionStorage.setItem("list", location.pathname + location.search);
}
rememberList();
document.addEventListener("htmx:pushedIntoHistory", rememberList);
if (listOf(location.pathname)) {
  addEventListener("pagehide", () => {
    const paths = new Set(entries().map((link) => link.pathname));
    sessionStorage.setItem("documents", JSON.stringify([...paths]));
  });
}
const back = $("[data-back]");
const list = sessionStorage.getItem("list");
if (back && list) Object.assign(back, { href: list, textContent: listOf(list.split("?")[0])?.textContent.trim().split(/\s/)[0] ?? back.textContent });
if (back) for (const field of $$("[name=list]")) field.value = back.getAttribute("href");
const documents = JSON.parse(sessionStorage.getItem("documents") ?? "[]");
const place = documents.findIndex((path) => `${location.pathname}/`.startsWith(`${path}/`));
if (back && place >= 0 && documents.length > 1) {
  $(".steps").hidden = false;
  $(".steps [data-place]").textContent = `${place + 1} of ${documents.length}`;
  for (const [key, path] of [["k", documents[place - 1]], ["j", documents[place + 1]]]) {
    if (path) $(`.steps [data-step=${key}]`).href = path;
  }
}
ring();
document.addEventListener("htmx:responseError", () => say("The service can't do this right now: try again.", false));
localTimes(document);
refusePast();
if (location.hash === "#q") $("[data-search]")?.focus();
if (location.hash.startsWith("#act-")) $(location.hash)?.focus();
// A screen reader reads what has the focus: the wrong field of a form that was refused, or what came of an action.
const outcome = $("[aria-invalid]") ?? $("#main > .notice[role]");
if (outcome?.matches(".notice")) outcome.tabIndex = -1;
outcome?.focus({ preventScroll: outcome.matches(".notice") });

// Live pages: wait for events after the page's cursor, then fetch what they changed. A browser has six connections to a
// server, which all tabs share: one that is hidden does not wait.
async function follow() {
  let { cursor, changes, document: only } = document.body.dataset;
  let waiting;
  document.addEventListener("visibilitychange", () => document.hidden && waiting?.abort());
  while (cursor) {
    if (document.hidden) {
      await new Promise((resolve) => document.addEventListener("visibilitychange", resolve, { once: true }));
    }
    const began = Date.now();
    waiting = new AbortController();
    const options = { headers: { "HX-Request": "true" }, signal: waiting.signal };
    const response = await fetch(`${changes}?wait&after=${encodeURIComponent(cursor)}`, options).catch(() => null);
    if (response?.status === 401) return location.assign(response.headers.get("HX-Redirect"));
    const found = response?.ok ? await response.json().catch(() => null) : null;
    if (found) {
      cursor = found.cursor;
      if (found.documents.some((id) => !only || id === only || id === "*")) refresh();
      if (found.documents.length) ring();
    }
    const seconds = waiting.signal.aborted ? 0 : !found ? 5 : Date.now() - began < 1000 ? 2 : 0;
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  }
}
if (document.body.dataset.cursor) follow();

/** Has pieces of the page dragged to places that a selector names; `dropped` gets the piece and the place. */
export function dragging(pieceOf, places, dropped) {
  let dragged = null;
  const leave = (place) => {
    for (const other of $$(`${places}[data-over]`)) if (other !== place) delete other.dataset.over;
  };
  document.addEventListener("dragstart", (event) => {
    dragged = pieceOf(event.target);
    if (!dragged) return;
    dragged.dataset.dragged = "";
    event.dataTransfer.effectAllowed = "move";
    event.dataTransfer.setData("text/plain", dragged.dataset.id);
  });
  document.addEventListener("dragend", () => {
    delete dragged?.dataset.dragged;
    leave(null);
    dragged = null;
  });
  document.addEventListener("dragover", (event) => {
    const place = event.target.closest?.(places);
    leave(place);
    if (!dragged || !place) return;
    event.preventDefault();
    place.dataset.over = "";
  });
  document.addEventListener("drop", (event) => {
    const place = event.target.closest?.(places);
    if (!dragged || !place) return;
    event.preventDefault();
    delete dragged.dataset.dragged;
    dropped(dragged, place);
  });
}
