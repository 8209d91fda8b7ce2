// A review: remarks on words that are selected in the preview or in the markdown, threads at the place of their words,
// and remarks that the browser keeps until they are sent together.

import "./mentions.js";
import { $, $$, hasSelection, localTimes, once, say, send } from "./console.js";

const MOST_QUOTED = 2000;
const CONTEXT = 32;
const GAP = 16; // pixels between words and what is below them
const KEY = `unsaved ${document.body.dataset.token} ${location.pathname} remarks`;
const SEEN = `unsaved ${document.body.dataset.token} ${location.pathname} seen`;
const LEVELS = { m: "must", s: "should", n: "note", p: "should" };
const hasVoice = "highlights" in CSS;
let view = "preview";
let markdown = "";
let opened = null; // the quote of the remark that is written, null for the whole text
let stays = false; // whether the page is shown again at once, with or without what changed
let here = ""; // the id of the thread that had the focus last
let edited = null; // its number among those that are kept, null for a new one
const seen = JSON.parse(localStorage.getItem(SEEN) ?? "{}").seen ?? $(".threads")?.dataset.since ?? "";

// --- The words of a text, and where some of them stand in another

// What markdown has and its preview does not: addresses, images, html, references, numbers of lists, marks of code.
const UNSEEN = /\[\^[^\]\s]+\]|!\[[^\]]*\]\([^)]*\)|\]\([^)]*\)|<(?!https?:|mailto:)[^>]*>|&#?\w+;|^\s*\d+[.)](?=\s)|^\s*(?:```|~~~).*$|^\s*[-*+]\s+\[[ xX]\]/gm;
const WORD = /[\p{L}\p{N}\p{M}]+/gu;
const blanked = (text) => text.replace(UNSEEN, (found) => " ".repeat(found.length));

/** The words of texts, each with its place in them, in a form in which stretches of them are found. */
class Words {
  constructor(texts) {
    this.all = texts.flatMap((text, part) =>
      [...text.matchAll(WORD)].map(({ 0: word, index }) => ({ word, part, from: index, to: index + word.length })),
    );
    this.joined = " ";
    this.numbers = new Map();
    for (const [number, { word }] of this.all.entries()) {
      this.numbers.set(this.joined.length - 1, number);
      this.joined += `${word} `;
    }
  }

  /** The numbers of the words with which a stretch of words begins here, at most two. */
  places(stretch) {
    const sought = ` ${stretch.map(({ word }) => word).join(" ")} `;
    const first = this.joined.indexOf(sought);
    const second = first < 0 ? -1 : this.joined.indexOf(sought, first + 1);
    return [first, second].filter((place) => place >= 0).map((place) => this.numbers.get(place));
  }

  /** Where words of another text stand here, by themselves or together with words around them: -1 nowhere, -2 not certain. */
  find(other, from, to) {
    for (const more of [0, 2, 5, 12, 30]) {
      for (const [before, after] of more ? [[more, more], [more, 0], [0, more]] : [[0, 0]]) { // what is on one side may be elsewhere here: footnotes
        const start = Math.max(0, from - before);
        const places = this.places(other.all.slice(start, to + after));
        if (places.length === 1) return places[0] + from - start;
        if (!more && !places.length) return -1;
      }
    }
    return -2;
  }
}

let source = null; // the words of the markdown
let shown = null; // the words of the preview, and the text nodes that they are in

function readPage() {
  markdown = JSON.parse($("#markdown")?.dataset.markdown ?? '""');
  if ($("#markdown")) $("#markdown").textContent = markdown;
  source = new Words([blanked(markdown)]);
  const nodes = [];
  const walker = document.createTreeWalker($(".prose") ?? document.createElement("p"), NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) if (!walker.currentNode.parentElement.closest("del[datetime], [data-footnote-backref], .footnote-ref")) nodes.push(walker.currentNode);
  shown = new Words(nodes.map((node) => node.data));
  shown.nodes = nodes;
}

/** Where a quote stands in the markdown: with both sides, else with either, at one place alone; else null. */
function placeOf({ exact, prefix, suffix }) {
  const places = [];
  for (let at = markdown.indexOf(exact); at >= 0; at = markdown.indexOf(exact, at + 1)) {
    const end = at + exact.length;
    const before = prefix ? markdown.slice(0, at).endsWith(prefix) : at === 0;
    const after = suffix ? markdown.startsWith(suffix, end) : end === markdown.length;
    if (before || after) places.push({ at, whole: before && after });
  }
  const whole = places.filter((place) => place.whole);
  const found = whole.length ? whole : places;
  return found.length === 1 ? found[0].at : null;
}

/** The range of the page in which a stretch of the markdown is shown; null where that is not certain. */
function rangeOf(from, to) {
  const range = document.createRange();
  if (view === "markdown") {
    if (to > markdown.length) return null;
    range.setStart($("#markdown").firstChild, from);
    range.setEnd($("#markdown").firstChild, to);
    return range;
  }
  const first = source.all.findIndex((word) => word.to > from);
  const end = source.all.findIndex((word) => word.from >= to);
  const last = end < 0 ? source.all.length : end;
  const place = first < 0 || first >= last ? -1 : shown.find(source, first, last);
  if (place < 0) return null;
  const [begins, ends] = [shown.all[place], shown.all[place + last - first - 1]];
  range.setStart(shown.nodes[begins.part], begins.from);
  range.setEnd(shown.nodes[ends.part], ends.to);
  return range;
}

/** The range in which the words of the remark that is written are shown; null for none. */
function rangeOfOpened() {
  const at = opened && placeOf(opened);
  return at === null ? null : rangeOf(at, at + opened.exact.length);
}

// --- From what is selected to a quote

/** The stretch of the markdown that is selected, or why there is none. */
function selected() {
  const selection = getSelection();
  if (!selection.rangeCount || selection.isCollapsed) return null;
  const range = selection.getRangeAt(0);
  const within = (element) => element && !element.hidden && element.contains(range.commonAncestorContainer);
  if (within($("#markdown"))) return { from: range.startOffset, to: range.endOffset };
  if (!within($(".prose"))) return null;
  const touched = (node) => range.intersectsNode(node);
  const numbers = [];
  for (const [number, { part, from, to }] of shown.all.entries()) {
    const node = shown.nodes[part];
    if (!touched(node) || (node === range.startContainer && to <= range.startOffset)) continue;
    if (node === range.endContainer && from >= range.endOffset) continue;
    numbers.push(number);
  }
  if (!numbers.length) return { problem: "No words are selected." };
  const [first, last] = [numbers[0], numbers.at(-1)];
  const place = source.find(shown, first, last + 1);
  const look = "Press v, and select them in the markdown.";
  if (place === -1) return { problem: `These words don't stand in the markdown as they are shown. ${look}` };
  if (place === -2) return { problem: `It is not certain where in the markdown these words stand. ${look}` };
  return balanced(source.all[place].from, source.all[place + last - first].to, selection.toString().trim());
}

/** Extends a stretch by the marks that it would break, and by the punctuation that is selected with it. */
function balanced(from, to, words) {
  for (const mark of ["**", "__", "~~", "*", "_", "`"]) {
    const inner = mark.length > 1 ? markdown.slice(from, to) : markdown.slice(from, to).replaceAll(mark + mark, "");
    if (inner.split(mark).length % 2) continue;
    if (markdown.startsWith(mark, to)) to += mark.length;
    else if (markdown.slice(0, from).endsWith(mark)) from -= mark.length;
  }
  const link = markdown.slice(from, to);
  if (link.lastIndexOf("[") > link.lastIndexOf("](")) to += /^[^[\]]*\]\([^)]*\)/.exec(markdown.slice(to))?.[0].length ?? 0;
  if (link.includes("](") && !(link.indexOf("[") < link.indexOf("](") && link.includes("["))) from = markdown.lastIndexOf("[", from);
  const [, before, after] = /^([^\p{L}\p{N}]*).*?([^\p{L}\p{N}]*)$/su.exec(words);
  if (after && markdown.startsWith(after, to)) to += after.length;
  if (before && markdown.slice(0, from).endsWith(before)) from -= before.length;
  return { from, to };
}

/** The quote of a stretch of the markdown, with as much around it as it takes to stand there once; null for none. */
function quoteOf(from, to) {
  const whole = (at) => (/[\uDC00-\uDFFF]/.test(markdown[at] ?? "") ? at - 1 : at); // no half of a character
  const exact = markdown.slice(from, to);
  for (let more = CONTEXT; more <= 192; more += 40) {
    const start = whole(Math.max(0, from - more));
    const end = whole(Math.min(markdown.length, to + more));
    const first = markdown.indexOf(markdown.slice(start, end));
    if (markdown.indexOf(markdown.slice(start, end), first + 1) < 0) {
      return { exact, prefix: markdown.slice(start, from), suffix: markdown.slice(to, end) };
    }
  }
  return null;
}

/** Returns the stretch to remove with words: with a space that would be left double, before a mark or at an end. */
function removed(from, to) {
  const begins = /(^|[\n|])[ \t]*((>|#{1,6}|[-*+]|\d+[.)]|\[[ xX]\]|\[\^[^\]]+\]:)[ \t]+)*$/.test(markdown.slice(0, from)); // a line or a cell
  const after = markdown.slice(to);
  if (to - from >= MOST_QUOTED) return [from, to];
  if (!begins && markdown[from - 1] === " " && /^([\s.,;:!?…)\]”’»|]|\[\^|$)/.test(after)) return [from - 1, to];
  if ((begins || /[(\[“‘«]/.test(markdown[from - 1])) && /^ (?! *(\n|$))/.test(after)) return [from, to + 1];
  return [from, to];
}

// --- Remarks that are not sent yet

const kept = () => JSON.parse(localStorage.getItem(KEY) ?? '{"remarks":[]}').remarks;

function keep(remarks) {
  try {
    if (remarks.length) localStorage.setItem(KEY, JSON.stringify({ at: Date.now(), remarks }));
    else localStorage.removeItem(KEY);
  } catch {
    return say("The browser has no room for another remark: send those that it keeps first.", false);
  }
  draw();
  return true;
}

/** A remark as it is sent: one whose words are gone says what they were. */
function toSend({ text, level, quote, suggestion }) {
  if (!quote || placeOf(quote) !== null) {
    const at = quote && placeOf(quote);
    const present = quote && quoteOf(...(suggestion === "" ? removed : Array.of)(at, at + quote.exact.length));
    return { text, level, ...(present && { quote: present }), ...(suggestion === undefined ? {} : { suggestion }) };
  }
  const proposed = suggestion === undefined ? "" : `\n\nInstead of them: ${suggestion || "nothing"}`;
  return { text: `${text}\n\nAbout words that were here: “${quote.exact}”${proposed}`.slice(0, 5000), level };
}

// --- The page

/** Leads to the form that sends the review, which may be among the folded actions. */
function finish() {
  const folded = $("#a-note").closest("details");
  if (folded) folded.open = true;
  $("#a-note").focus();
}

/** Draws what a script adds to the page: remarks that are not sent, highlights, what is new, and each thread at its place. */
function draw() {
  if (!$(".threads")) return;
  const remarks = kept();
  for (const old of $$("[data-kept]")) old.remove();
  for (const [number, remark] of remarks.entries()) insert(draftOf(remark, number));
  for (const counts of $$("[data-counts]")) {
    const [noun, goes] = remarks.length === 1 ? ["remark", "goes with it."] : ["remarks", "go with it."];
    counts.textContent = !remarks.length ? "" : `${remarks.length} ${noun} ${counts.dataset.counts ? goes : "not sent yet"}`;
  }
  if ($("#pending")) $("#pending").hidden = !remarks.length;
  const finishes = $("#a-note");
  if (finishes) finishes.required = !remarks.length;
  if ($("[data-finishes]")) $("[data-finishes]").hidden = !finishes;
  const approves = $("#act-approve_document");
  if (approves && remarks.length) approves.dataset.question = "Your remarks are not sent yet, and stay in this browser. Approve all the same?";
  else if (approves) delete approves.dataset.question;
  for (const button of $$("[data-view]")) button.setAttribute("aria-pressed", button.dataset.view === view);
  if ($(".views")) $(".views").hidden = false;
  if ($("#markdown")) [$("#markdown").hidden, $(".prose").hidden] = [view !== "markdown", view === "markdown"];
  for (const hidden of $$(".composer :is([name=then], [data-propose], [data-closes])")) hidden.hidden = false;
  showNews();
  mark();
  highlight();
  arrange();
}

const quoteIn = (thread) => (thread.dataset.quote ? JSON.parse(thread.dataset.quote) : null);
const orderOf = (thread) => {
  const quote = thread === composing() ? opened : quoteIn(thread);
  return (quote && placeOf(quote)) ?? -1;
};
const composing = () => $(".composing");
const entries = () => $$(".threads > .thread, .composing");

function insert(element) {
  if (element === composing() && !opened) return $(".threads").prepend(element);
  const order = orderOf(element);
  const next = entries().find((thread) => thread !== element && orderOf(thread) > order);
  (next ?? $(".threads > .resolved, .threads > template")).before(element);
}

function draftOf(remark, number) {
  const draft = $("#draft").content.firstElementChild.cloneNode(true);
  const isGone = remark.quote && placeOf(remark.quote) === null;
  const level = $(".level", draft);
  level.textContent = remark.level[0].toUpperCase() + remark.level.slice(1);
  level.dataset.level = remark.level;
  draft.dataset.kept = number;
  draft.dataset.level = remark.level;
  draft.setAttribute("aria-label", `${level.textContent}, not sent yet`);
  $(".gone", draft).hidden = !isGone;
  if (remark.quote && !isGone) draft.dataset.quote = JSON.stringify(remark.quote);
  quoted($("blockquote", draft), remark.quote, remark.suggestion);
  $(".lines", draft).textContent = remark.text;
  return draft;
}

/** Shows quoted words, and with a suggestion what is in their place then. */
function quoted(place, quote, suggestion) {
  place.hidden = !quote;
  const at = quote && placeOf(quote);
  const exact = (view === "preview" && at !== null && rangeOf(at, at + quote.exact.length)?.toString()) || quote?.exact || ""; // as it is read
  place.title = quote?.exact ?? "";
  if (suggestion === undefined) return place.replaceChildren(exact);
  const [removed, added] = ["del", "ins"].map((name) => document.createElement(name));
  [removed.textContent, added.textContent] = [exact, suggestion];
  place.replaceChildren(removed, " ", added);
}

/** Marks the thread that had the focus last, which shows all that can be done with it. */
function mark() {
  for (const thread of $$(".threads .thread")) thread.toggleAttribute("data-here", thread.id !== "" && thread.id === here);
}

/** Marks what others wrote since the last visit. */
function showNews() {
  const news = !seen ? [] : $$(".comments li:not([data-mine])").filter(({ dataset }) => dataset.at > seen);
  for (const comment of news) {
    if ("new" in comment.dataset) continue;
    comment.dataset.new = "";
    const tag = Object.assign(document.createElement("span"), { className: "tag", textContent: "New" });
    $("p", comment).append(" ", tag);
    const resolved = comment.closest(".resolved");
    if (resolved) resolved.open = true;
  }
  const counts = $("[data-news]");
  if (counts) counts.textContent = news.length ? `${news.length} new since you last looked.` : "";
}

/** Notes up to when somebody has seen the remarks. */
function look() {
  const last = [seen, ...$$(".comments li").map(({ dataset }) => dataset.at)].sort().at(-1);
  if (last) localStorage.setItem(SEEN, JSON.stringify({ at: Date.now(), seen: last }));
}

const ranges = new Map(); // of each thread whose words are shown

function highlight() {
  ranges.clear();
  for (const thread of $$(".thread[data-quote]")) {
    const quote = quoteIn(thread);
    const at = placeOf(quote);
    const range = at === null ? null : rangeOf(at, at + quote.exact.length);
    if (range) ranges.set(thread, range);
  }
  if (!hasVoice) return;
  const here = $("[data-here]");
  const of = (wanted) => new Highlight(...[...ranges].filter(([thread]) => wanted(thread)).map(([, range]) => range));
  CSS.highlights.set("thread", of((thread) => thread !== here));
  CSS.highlights.set("must", of((thread) => thread.dataset.level === "must"));
  CSS.highlights.set("here", of((thread) => thread === here));
  const written = composing()?.open ? rangeOfOpened() : null;
  CSS.highlights.set("written", written ? new Highlight(written) : new Highlight());
}

/** Puts each thread beside its words, or directly below the thread before it. */
function arrange() {
  const threads = entries();
  if (!threads.length) return;
  for (const thread of threads) thread.style.marginTop = "";
  const column = $(".threads").getBoundingClientRect();
  if (column.left < $(".paper").getBoundingClientRect().right) return; // below the text
  for (const thread of threads) {
    const range = ranges.get(thread) ?? (thread === composing() ? rangeOfOpened() : null);
    if (!range) continue;
    const more = range.getBoundingClientRect().top - thread.getBoundingClientRect().top;
    if (more > 0) thread.style.marginTop = `${more}px`;
  }
}

// --- Writing a remark

function compose(key) {
  const found = selected();
  if (!composing()) return;
  if (found?.problem) return say(found.problem, false);
  if (found && found.to - found.from > MOST_QUOTED) return say(`Select at most ${MOST_QUOTED.toLocaleString("en")} characters.`, false);
  const quote = found && quoteOf(found.from, found.to);
  if (found && !quote) return say("These words stand several times, with the same around them: select more.", false);
  if (key === "p" && !quote) return say("Select the words to be replaced first.", false);
  $("#marking").hidden = true;
  fill({ text: $("#c-text").value, level: LEVELS[key], quote, suggestion: key === "p" ? quote.exact : undefined });
}

/** Opens the form with a remark, at the place of its words. */
function fill({ text, level, quote, suggestion }, number = edited) {
  opened = quote ?? null;
  edited = number;
  const form = $(".composer");
  composing().open = true;
  insert(composing());
  quoted($("[data-about]"), opened);
  $("summary", composing()).textContent = opened ? "Remark on these words" : "Remark on the whole text";
  form.elements.text.value = text ?? "";
  ($(`[name=level][value=${level}]`, form) ?? $("[name=level]", form)).checked = true;
  propose(suggestion);
  highlight();
  arrange();
  form.elements[suggestion === undefined ? "text" : "suggestion"].focus();
  form.scrollIntoView({ block: "nearest" });
  uncover(rangeOfOpened(), composing());
}

/** Scrolls words to above their form or their thread, which lies over the text on a small screen. */
function uncover(range, cover) {
  if (!range || getComputedStyle(cover).position !== "fixed") return;
  const covered = range.getBoundingClientRect().bottom + GAP - cover.getBoundingClientRect().top;
  if (covered > 0) scrollBy(0, covered);
}

/** Shows the thread of words that were touched: beside them, or on a small screen over the lower part of the text. */
function raise(thread, range) {
  thread.dataset.over = "";
  thread.focus();
  uncover(range, thread);
}

/** Shows a thread, with its words in the upper part of the screen. */
function visit(thread) {
  const range = ranges.get(thread);
  if (!range) {
    thread.focus();
    return thread.scrollIntoView({ block: "center" });
  }
  raise(thread, range);
  scrollBy(0, range.getBoundingClientRect().top - innerHeight / 3);
  uncover(range, thread);
}

function lower() {
  for (const thread of $$("[data-over]")) delete thread.dataset.over;
}

function propose(suggestion) {
  const field = $("[data-proposes]");
  field.hidden = suggestion === undefined;
  const words = $("textarea", field);
  words.value = suggestion ?? "";
  $("[data-propose]").hidden = !opened || !field.hidden;
  $("#c-text").required = field.hidden;
  return words;
}

function close() {
  $(".composer").reset();
  composing().open = false;
  opened = edited = null;
  quoted($("[data-about]"), null);
  propose(undefined);
  $("summary", composing()).textContent = "Remark on the whole text";
  insert(composing());
  draw();
}

function written() {
  const { text, level, suggestion } = $(".composer").elements;
  const remark = { text: text.value, level: level.value, quote: opened };
  if ($("[data-proposes]").hidden) return remark;
  return { ...remark, text: text.value.trim() || (suggestion.value ? "These words are proposed." : "These words could go."), suggestion: suggestion.value };
}

/** Keeps the remark that is written, instead of the one that it was before. */
function keepWritten() {
  const remarks = kept();
  remarks.splice(edited ?? remarks.length, 1, written());
  return keep(remarks);
}

/** Sends a form of the threads, once at a time; returns whether it was done. */
function post(form, address, fields) {
  return once(form, () => send(address, fields));
}

async function submitted(event) {
  const form = event.target;
  if (form.matches(".action") && form.elements.threads) {
    form.elements.threads.value = JSON.stringify(kept().map(toSend));
    return sessionStorage.setItem("sent remarks", KEY);
  }
  if (!form.matches(".composer, .answer")) return;
  event.preventDefault();
  if (form.matches(".composer")) {
    if (event.submitter?.value === "keep") {
      return keepWritten() && close();
    }
    if (!(await post(form, form.action, { threads: JSON.stringify([toSend(written())]) }))) return;
    if (edited !== null) keep(kept().filter((_, number) => number !== edited));
    close();
  } else {
    const words = form.elements.text;
    if (event.submitter?.matches("[data-replies]") && !words.value.trim()) {
      form.closest(".thread").focus(); // which shows the field
      return words.focus();
    }
    const address = event.submitter?.getAttribute("formaction") ?? form.action;
    if (!(await post(form, address, { text: form.elements.text?.value ?? "" }))) return;
    form.reset();
  }
  await renew();
}

/** Shows the page as it is now; what is being written stays: a note, a remark, answers. */
async function renew() {
  const html = await fetch(location.href).then((response) => response.text(), () => "");
  const page = new DOMParser().parseFromString(html, "text/html");
  const focused = document.activeElement?.closest(".thread")?.id;
  const note = $("#a-note")?.value;
  const remark = composing()?.open ? composing() : null;
  const answers = $$(".answer textarea").filter(({ value }) => value);
  for (const part of [".stack:has(> .paper)", ".threads", "#facts", ...(note ? [] : [".actions"])]) {
    if ($(part) && $(part, page)) $(part).replaceWith($(part, page));
  }
  for (const answer of answers) document.getElementById(answer.id)?.replaceWith(answer);
  localTimes(document);
  readPage();
  if (remark && composing()) {
    composing().replaceWith(remark);
    insert(remark);
  }
  draw();
  document.getElementById(focused)?.focus({ preventScroll: true });
}

async function sendAll() {
  for (const remark of kept()) {
    const sent = await post($(".composer"), $(".composer").action, { threads: JSON.stringify([toSend(remark)]) });
    if (!sent) return;
    keep(kept().slice(1));
  }
  await renew();
}

// --- Keys and clicks

function nextThread(by) {
  const threads = $$(".threads .thread").filter((thread) => thread.checkVisibility());
  const unread = threads.filter((thread) => $("[data-new]", thread) && !("visited" in thread.dataset));
  const next = unread[0] ?? threads.at((threads.indexOf($("[data-here]")) + by) % threads.length);
  if (!next) return;
  next.dataset.visited = "";
  visit(next);
}

function show(wanted) {
  view = wanted ?? (view === "preview" ? "markdown" : "preview");
  getSelection().removeAllRanges();
  draw();
}

const KEYS = {
  ...Object.fromEntries(Object.keys(LEVELS).map((key) => [key, () => compose(key)])),
  t: () => nextThread(1),
  T: () => nextThread(-1),
  v: () => $(".views") && show(),
  r: () => $("[data-here] textarea")?.focus(),
};
const isTyping = (target) => target.closest?.("input:not([type=radio]), textarea, select") !== null;

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && composing()?.open) return close();
  if (event.key === "Escape" && here) {
    here = "";
    lower();
    draw();
  }
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target) || $("dialog[open]")) return;
  const pressed = $(`[data-here] [data-press="${CSS.escape(event.key)}"], .note [data-press="${CSS.escape(event.key)}"]`);
  if (pressed?.matches("a") && hasSelection()) return;
  if (!pressed && !KEYS[event.key]) return;
  event.preventDefault();
  if (pressed) pressed.click();
  else KEYS[event.key]();
});

document.addEventListener("click", (event) => {
  const { target } = event;
  const draft = target.closest("[data-kept]");
  const linked = target.closest('a[href^="#t-"]');
  const remarks = kept();
  if (!target.closest("[data-over]") || target.closest("[data-lowers]")) lower();
  if (target.closest(".note [data-press]")) stays = true;
  if (linked) {
    event.preventDefault();
    visit($(linked.hash));
  } else if (target.closest("[data-marks]")) compose(target.closest("[data-marks]").dataset.marks);
  else if (target.closest("[data-view]")) show(target.closest("[data-view]").dataset.view);
  else if (target.closest("[data-propose]")) propose(opened.exact).focus();
  else if (target.closest("[data-closes]")) close();
  else if (target.closest("[data-sends]")) sendAll();
  else if (target.closest("[data-finishes]")) finish();
  else if (draft && target.closest("[data-edit], [data-discard]")) {
    const number = Number(draft.dataset.kept);
    if (target.closest("[data-edit]")) fill(remarks[number], number);
    else keep(remarks.filter((_, other) => other !== number));
  } else if (target.closest(".prose, .source") && getSelection().isCollapsed) {
    const at = document.caretPositionFromPoint?.(event.clientX, event.clientY);
    const hit = at && [...ranges].find(([, range]) => range.isPointInRange(at.offsetNode, at.offset));
    if (hit) raise(...hit);
  }
});

// The buttons beside selected words
let settling = 0;
document.addEventListener("selectionchange", () => {
  clearTimeout(settling);
  settling = setTimeout(() => {
    const bar = $("#marking");
    const selection = getSelection();
    const text = $(".prose, .source")?.parentElement;
    const within = composing() && !selection.isCollapsed && text?.contains(selection.anchorNode) && text.contains(selection.focusNode);
    bar.hidden = !within;
    if (!within) return;
    const { left, bottom, width } = selection.getRangeAt(0).getBoundingClientRect();
    bar.style.top = `${Math.min(bottom + 8, innerHeight - 60)}px`;
    bar.style.left = `${Math.max(8, Math.min(left + width / 2 - bar.offsetWidth / 2, innerWidth - bar.offsetWidth - 8))}px`;
  }, 150);
});
// What is selected stays so, and a button of a thread stays where it is: the focus would show the field above it.
document.addEventListener("mousedown", (event) => event.target.closest("#marking, .answer button") && event.preventDefault());
document.addEventListener("submit", submitted, true);
document.addEventListener("focusin", (event) => {
  const thread = event.target.closest?.(".thread");
  if (!thread || thread.id === here) return;
  here = thread.id;
  mark();
  highlight();
  arrange();
});
document.addEventListener("toggle", ({ target }) => target.matches?.(".resolved, .composing") && arrange(), true);
addEventListener("resize", arrange);
addEventListener("load", arrange, true); // images, too
addEventListener("pagehide", () => {
  if (!stays) look();
  if (!composing()?.open) return;
  const isProposed = (written().suggestion ?? opened?.exact) !== opened?.exact;
  if ($("#c-text").value.trim() || isProposed) keepWritten(); // nobody asked for it to be given up
});
document.addEventListener("visibilitychange", () => document.hidden && look());
document.addEventListener("htmx:beforeSwap", () => requestAnimationFrame(arrange));
document.addEventListener("htmx:afterSwap", () => {
  readPage();
  draw();
});

// Remarks were sent if the page after the form says so.
if (sessionStorage.getItem("sent remarks") === KEY && $("#toasts > .notice[data-ok=true]")) localStorage.removeItem(KEY);
sessionStorage.removeItem("sent remarks");
readPage();
draw();
