"""The console: pages for people at `/console`, one more interface to the operations, without rules of its own.

Where things are:

- `routes.py` puts the pages on the app. `frame.py` has what all pages share: the blueprint `console`,
  `page(template, **values)`, `done(message, to)`. `sessions.py` has who is signed in (`context()`), `calls.py` has
  `call(operation, *ids, fields=…)` and `may(operation)`.
- `forms.py` reads what was sent, and has the two decorators of the views that forms and buttons are sent to.
- Each group of pages is a module whose views are decorated with `@console.get(…)` and `@console.post(…)`; import it in
  `routes.py`, and add its entry to `NAVIGATION` in `frame.py` if it has one. Those of a feature are in its folder:
  `additions.py` says how.
- `templates/console/base.html` is the layout of a page; `macros.html` has buttons, form fields with their errors,
  states, dates, people and empty states: use these, so that pages look and behave alike.
- `assets/console.css` begins with the tokens (type, spacing, colours in light and dark); write no other value.
  `assets/*.js` are small ES modules, loaded as they are; those of a feature are in the folder `assets` of the feature.
  `htmx` swaps what a page fetches. The content security policy allows neither inline scripts nor inline styles, so a
  page has no `style=` and no `on…=`. An `hx-` attribute holds for its own element alone.
- `editor/` has the source of `assets/editor.js` (CodeMirror) and the command that builds it.

A page works as plain HTML. The view that a form is sent to is decorated with `form_of(the view of its page)`: when it
is refused, the page is shown again, and its macros show what was sent and what is wrong. The view of a button is
decorated with `leads_to(endpoint)`: its message, or why it was refused, is shown on that page. Every request but
`GET` carries the form field `_csrf` (macro `form`) or the header `X-CSRF-Token`.
A page calls a bounded number of operations, and makes at most 15 database commands.
"""
