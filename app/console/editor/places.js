// Places of the text where something is still to come, as a picture that is uploaded. They are seen, follow the text, and
// put no mark into it.

import { invertedEffects, isolateHistory } from "@codemirror/commands";
import { MapMode, StateEffect, StateField, Transaction } from "@codemirror/state";
import { Decoration, EditorView, WidgetType } from "@codemirror/view";

const add = StateEffect.define();
const remove = StateEffect.define();
const end = StateEffect.define();

class Coming extends WidgetType {
  constructor(name) {
    super();
    this.name = name;
  }
  eq(other) {
    return other.name === this.name;
  }
  toDOM() {
    return Object.assign(document.createElement("span"), { className: "cm-coming", textContent: `${this.name} is coming…` });
  }
}

const field = StateField.define({
  create: () => [],
  update(places, tr) {
    const ended = tr.effects.filter((one) => one.is(end)).map(({ value }) => value);
    if (places.length && tr.docChanged) {
      const last = Math.max(-1, ...ended); // of several at one place, the earlier stay before what is put there
      places = places.map((one) => ({ ...one, at: tr.changes.mapPos(one.at, one.id < last ? -1 : 1, MapMode.TrackDel) }));
      places = places.filter(({ at }) => at !== null);
    }
    for (const { value } of tr.effects.filter((one) => one.is(add))) places = [...places, value];
    const gone = new Set([...ended, ...tr.effects.filter((one) => one.is(remove)).map(({ value }) => value.id)]);
    return gone.size ? places.filter(({ id }) => !gone.has(id)) : places;
  },
});

const shown = EditorView.decorations.compute([field], (state) => Decoration.set(
  state.field(field).map(({ at, name }) => Decoration.widget({ widget: new Coming(name), side: 1 }).range(at)), true,
));

/** Undoing what brought a place, as a paste, takes the place away, and redoing it brings it back. */
const undone = invertedEffects.of((tr) => tr.effects.flatMap((one) =>
  one.is(add) ? [remove.of(one.value)] : one.is(remove) ? [add.of(one.value)] : []));

const look = EditorView.theme({
  ".cm-coming": { display: "inline-block", padding: "0 .5em", borderRadius: "var(--round)", backgroundColor: "var(--sunken)", color: "var(--muted)", font: "var(--text-s)/1.7 var(--sans)" },
});

let last = 0;
/** What came, by its place; it stays here, for a place that is there once more after an undone paste is redone. */
const ready = new Map();

/** A new place with the name of what comes; `alone` for what has a line of its own. It is there with its `effect`.

`fill` puts a text there, or as soon as the place is there again; `drop` gives it up, with its empty line. */
export function placeAt(at, name, alone = true) {
  const id = (last += 1);
  return {
    effect: add.of({ id, at, name, alone }),
    fill(view, text) {
      ready.set(id, text);
      settle(view);
    },
    drop(view) {
      ready.set(id, "");
      settle(view);
    },
  };
}

/** Shows a place where it is now, which is no step that can be undone. */
export const keep = (view, place) => view.dispatch({ effects: place.effect, annotations: Transaction.addToHistory.of(false) });

/** Puts what is ready at those of its places that are there. */
function settle(view) {
  const one = view.state.field(field).find(({ id }) => ready.has(id));
  if (!one) return;
  const text = ready.get(one.id);
  const { doc, selection: { main } } = view.state;
  const [above, below] = one.alone ? gaps(doc, one.at) : ["", ""];
  const goesOn = text && one.alone && main.empty && main.head === one.at; // writing goes on below what comes
  const put = above + text + (goesOn ? "\n\n" : "");
  const changes = text ? { from: one.at, insert: put + below } : emptyLine(doc, one);
  const selection = goesOn ? { anchor: one.at + put.length } : undefined;
  view.dispatch({ changes, selection, scrollIntoView: goesOn, effects: end.of(one.id), userEvent: "input", annotations: isolateHistory.of("full") });
  if (goesOn) followPictures(view);
  settle(view);
}

/** Keeps the cursor in view when the pictures above it get their height. */
function followPictures(view) {
  const follow = () => view.dispatch({ effects: EditorView.scrollIntoView(view.state.selection.main.head) });
  for (const image of view.contentDOM.querySelectorAll(".cm-picture img")) {
    if (!image.complete) image.addEventListener("load", follow, { once: true });
  }
}

/** The removal of a line that nothing came into. */
function emptyLine(doc, { at, alone }) {
  const line = doc.lineAt(at);
  return alone && !line.text.trim() ? { from: line.from, to: Math.min(doc.length, line.to + 2) } : [];
}

/** The blank lines that a text of its own line needs at a place, above and below. */
function gaps(doc, at) {
  const gap = (side, edge) => (side ? "\n\n".slice(edge.exec(side)[0].length) : "");
  return [gap(doc.sliceString(0, at), /\n{0,2}$/), gap(doc.sliceString(at), /^\n{0,2}/)];
}

const settling = EditorView.updateListener.of(({ view, transactions }) => {
  if (ready.size && transactions.some(({ effects }) => effects.some((one) => one.is(add)))) settle(view);
});

export const places = [field, shown, undone, look, settling];
