import assert from "node:assert/strict";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { test } from "node:test";
import { ContentWorkflowError, createClient } from "content-workflow-client";
import { all, BASE, manage, OWNER, PREVIEW, publish, republish, SITE, watched } from "./service.mjs";

const client = createClient({ url: `${BASE}/`, token: SITE });

for (const missing of ["url", "token"]) {
  test(`a client without a ${missing} is refused by the option's name`, () => {
    for (const value of [undefined, ""]) {
      const options = { url: BASE, token: SITE, [missing]: value };
      assert.throws(() => createClient(options), { name: "TypeError", message: new RegExp(`\`${missing}\` is missing`) });
    }
  });
}

test("documents are all that are live, over several pages, each once", async () => {
  const { client, statuses } = watched();

  const slugs = (await all(client.documents())).map(({ slug }) => slug);

  assert.equal(slugs.length, 105);
  assert.equal(new Set(slugs).size, 105);
  assert.ok(!slugs.includes("not-yet"));
  assert.equal(statuses.length, 2);
});

test("a document that is published again while documents are read is not yielded twice", async () => {
  const ids = [];
  for await (const { id } of client.documents()) {
    ids.push(id);
    if (ids.length === 1) await republish(id, { subtitle: "Again" });
  }

  assert.equal(ids.length, new Set(ids).size);
  assert.equal(ids.length, 105);
});

test("whoever follows changes has exactly what is live", async () => {
  const live = new Map();
  const follow = async (after) => {
    let cursor;
    for await (const page of client.changes(after)) {
      for (const { id } of page.removed) live.delete(id);
      for (const document of page.documents) live.set(document.id, document.slug);
      cursor = page.cursor;
    }
    return cursor;
  };
  const cursor = await follow();
  const fresh = await publish({ title: "Fresh", slug: "fresh" });
  const [gone, renamed] = [await publish({ title: "Gone", slug: "gone" }), await publish({ title: "Old", slug: "old" })];
  const middle = await follow(cursor);
  await manage("POST", `/documents/${gone.id}/unpublish`, {});
  await republish(renamed.id, { slug: "new" });

  const last = await follow(middle);

  const now = (await all(client.documents())).map(({ id, slug }) => [id, slug]);
  assert.deepEqual(new Map([...live].sort()), new Map(now.sort()));
  assert.equal(live.get(renamed.id), "new");
  assert.ok(live.has(fresh.id) && !live.has(gone.id));
  const [{ documents, removed, hasMore }, ...rest] = await all(client.changes(last));
  assert.deepEqual([documents, removed, hasMore, rest], [[], [], false, []]);
});

test("a document is found by its slug, and null for one that is not live", async () => {
  const { title, html, category, author, coverImage } = await client.document("crème");

  assert.equal(title, "Crème & crust");
  assert.equal(html, "<p>Flour, <em>water</em>, time.</p>\n");
  assert.equal(category.slug, "rye");
  assert.equal(author.name, "Ada Lovelace");
  assert.equal(coverImage.url, "https://images.example/rye.jpg");
  assert.equal(await client.document("not-yet"), null);
});

test("categories are a tree with paths", async () => {
  const [{ children, ...bread }, ...others] = await client.categories();

  assert.deepEqual([bread.name, bread.path, bread.documentCount], ["Bread", ["bread"], 0]);
  assert.deepEqual(children[0].children[0].path, ["bread", "rye", "dark-rye"]);
  assert.equal(children[0].children[0].documentCount, 1);
  assert.deepEqual(children[0].children.map(({ slug }) => slug), ["dark-rye", "unused"]);
  assert.deepEqual(others, []);
});

test("authors are those of live documents", async () => {
  const [ada, ...others] = await client.authors();

  assert.deepEqual([ada.slug, ada.name, ada.bio, ada.imageUrl], ["ada-lovelace", "Ada Lovelace", null, null]);
  assert.deepEqual((await client.document("crème")).author, ada);
  assert.deepEqual(others, []);
});

test("redirects lead from past slugs to present ones", async () => {
  const { id } = await publish({ title: "Moved", slug: "before" });
  await republish(id, { slug: "after" });

  const redirects = await client.redirects();
  for (const [from, to] of [["before", "after"], ["crust", "crème"]]) {
    assert.ok(redirects.some((one) => one.from === from && one.to === to), from);
  }
});

test("a preview is the document as it is now, and needs the permission", async () => {
  const drafts = createClient({ url: BASE, token: PREVIEW });
  const [draft] = await manage("GET", "/documents?q=not%20yet");
  const { id } = await publish({ title: "Edited", markdown: "Before." });
  const { version } = await manage("GET", `/documents/${id}`);
  await manage("PUT", `/documents/${id}/content`, { markdown: "Now.", baseVersion: version });

  assert.equal((await drafts.preview(draft.id)).markdown, "Soon.\n\nA secret.");
  assert.equal((await drafts.preview(id)).html, "<p>Now.</p>\n");
  assert.equal(await drafts.preview("0".repeat(24)), null);
  assert.equal(await client.preview(draft.id), null);
  await assert.rejects(client.preview(id), { name: "ContentWorkflowError", code: "FORBIDDEN" });
});

test("any query is sent, a long one too, and as graphql-codegen makes it", async () => {
  const query = "query($slug: String!) { documentBySlug(slug: $slug) { title } }";
  const expected = { documentBySlug: { title: "Crème & crust" } };

  for (const document of [query, new String(query), { loc: { source: { body: query } } }, query + " ".repeat(9_000)]) {
    assert.deepEqual(await client.query(document, { slug: "crème" }), expected);
  }
  await assert.rejects(client.query({ definitions: [] }), TypeError);
});

test("what is refused is an error with the code and the status", async () => {
  const refused = async (code, status, found) =>
    assert.rejects(found, (error) => {
      assert.ok(error instanceof ContentWorkflowError && error instanceof Error);
      assert.deepEqual([error.code, error.status], [code, status], error.message);
      return true;
    });

  await refused("GRAPHQL_VALIDATION_FAILED", 400, client.query("{ nothing }"));
  await refused("BAD_USER_INPUT", 200, all(client.changes("none")));
  await refused("UNAUTHENTICATED", 401, createClient({ url: BASE, token: OWNER }).categories());
  await refused("UNEXPECTED_RESPONSE", 404, createClient({ url: `${BASE}/elsewhere`, token: SITE }).categories());
});

test("a response that did not change is not sent again, until something is published", async () => {
  const { client, statuses } = watched();

  const first = await client.document("crème");
  first.title = "Changed by its reader";
  const second = await client.document("crème");
  await republish(first.id, { subtitle: "Sourer" });
  const third = await client.document("crème");

  assert.deepEqual(statuses, [200, 304, 200]);
  assert.equal(second.title, "Crème & crust");
  assert.equal(third.subtitle, "Sourer");
});

test("pages that are too large are read in parts", async () => {
  const made = [];
  for (const name of ["a", "b", "c", "d", "e"]) {
    made.push(await publish({ title: name, markdown: `${"loaf ".repeat(400_000)}${name}` }));
  }
  const found = (await all(client.documents())).filter(({ wordCount }) => wordCount > 400_000);
  for (const { id } of made) await manage("POST", `/documents/${id}/unpublish`, {});

  assert.deepEqual(found.map(({ title }) => title), ["a", "b", "c", "d", "e"]);
});

async function answering(answers, use) {
  const requests = [];
  const server = createServer((request, response) => {
    requests.push(request.url);
    const [status, body, headers = {}] = answers.length > 1 ? answers.shift() : answers[0];
    if (status === 0) request.socket.destroy();
    else response.writeHead(status, headers).end(body);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    await use(createClient({ url: `http://127.0.0.1:${server.address().port}`, token: "cwd_x" }), requests);
  } finally {
    server.close();
  }
}

test("a busy service is asked again, up to four times", async () => {
  const soon = { "Retry-After": "0.01" };
  const answer = JSON.stringify({ data: { categories: [] } });

  await answering([[503, "{}", soon], [502, "<html>", soon], [0], [200, answer]], async (client, requests) => {
    assert.deepEqual(await client.categories(), []);
    assert.equal(requests.length, 4);
  });
  const busy = JSON.stringify({ errors: [{ message: "Wait.", extensions: { code: "RATE_LIMITED" } }] });
  await answering([[429, busy, soon]], async (client, requests) => {
    await assert.rejects(client.categories(), { code: "RATE_LIMITED", status: 429, message: "Wait." });
    assert.equal(requests.length, 4);
  });
  await answering([[0]], async (client) => {
    await assert.rejects(client.categories(), (error) => error.code === "UNREACHABLE" && error.cause instanceof Error);
  });
});

test("the package can be required", async () => {
  const required = createRequire(import.meta.url)("content-workflow-client");

  assert.notEqual(required.createClient, createClient);
  assert.equal((await required.createClient({ url: BASE, token: SITE }).document("crème")).slug, "crème");
});
