import assert from "node:assert/strict";
import { test } from "node:test";
import { createClient } from "content-workflow-client";
import { documentsLoader } from "content-workflow-client/astro";
import { BASE, manage, publish, republish, SITE } from "./service.mjs";

const client = createClient({ url: BASE, token: SITE });

/** Returns what Astro gives to a loader of one collection, with the schema as the only check; and what was logged. */
async function collection(using = client) {
  const loader = documentsLoader(using);
  const { schema } = await loader.createSchema();
  const [entries, meta, log] = [new Map(), new Map(), []];
  const store = {
    get: (id) => entries.get(id),
    entries: () => [...entries],
    delete: (id) => entries.delete(id),
    set: (entry) => entries.get(entry.id)?.digest !== entry.digest && Boolean(entries.set(entry.id, entry)),
  };
  const context = {
    store,
    meta,
    logger: { info: (message) => log.push(message) },
    parseData: async ({ data }) => schema.parse(data),
    generateDigest: JSON.stringify,
  };
  return { entries, meta, log, load: () => loader.load(context) };
}

const titles = ({ entries }) => Object.fromEntries([...entries].map(([slug, { data }]) => [slug, data.title]));

test("the first build loads everything, the next what changed", async () => {
  const site = await collection();
  await site.load();
  const number = site.entries.size;
  const { id } = await publish({ title: "Poolish", markdown: "# Wet & *wild*\n\n## Then\n\nFlour." });
  await site.load();
  await site.load();

  assert.deepEqual(site.log, [`${number} documents changed, 0 removed`, "1 documents changed, 0 removed", "0 documents changed, 0 removed"]);
  const entry = site.entries.get("poolish");
  assert.equal(entry.body, "# Wet & *wild*\n\n## Then\n\nFlour.");
  assert.match(entry.rendered.html, /<em>wild<\/em>/);
  assert.deepEqual(entry.rendered.metadata.headings, [
    { depth: 1, slug: "wet--wild", text: "Wet & wild" },
    { depth: 2, slug: "then", text: "Then" },
  ]);
  assert.equal(entry.data.id, id);
  assert.ok(!("html" in entry.data));
});

test("documents that exchange their slugs, leave, or are filed elsewhere are what they are now", async () => {
  const site = await collection();
  const [one, two, gone] = [
    await publish({ title: "One", slug: "one" }),
    await publish({ title: "Two", slug: "two" }),
    await publish({ title: "Gone", slug: "gone" }),
  ];
  await site.load();
  await republish(one.id, { slug: "between" });
  await republish(two.id, { slug: "one" });
  await republish(one.id, { slug: "two" });
  await manage("POST", `/documents/${gone.id}/unpublish`, {});
  await site.load();

  assert.deepEqual([titles(site).one, titles(site).two, titles(site).gone], ["Two", "One", undefined]);
  assert.equal(site.log.at(-1), "2 documents changed, 1 removed");
  const fresh = await collection();
  await fresh.load();
  assert.deepEqual(titles(site), titles(fresh));
});

test("what is published, renamed and taken off while builds read is there after the last one", async () => {
  const site = await collection();
  const busy = async (name) => {
    const { id } = await publish({ title: name, slug: name });
    await republish(id, { slug: `${name}-renamed` });
    if (name.endsWith("gone")) await manage("POST", `/documents/${id}/unpublish`, {});
  };
  const names = Array.from({ length: 24 }, (_, number) => `busy-${number}${number % 3 ? "" : "-gone"}`);
  let isBusy = true;
  const writers = Promise.all(names.map(busy)).finally(() => (isBusy = false));
  while (isBusy) await site.load();
  await writers;
  await site.load();

  const fresh = await collection();
  await fresh.load();
  assert.deepEqual(titles(site), titles(fresh));
  assert.equal([...site.entries.keys()].filter((slug) => slug.startsWith("busy-")).length, 16);
});

test("an author's new name reaches their documents", async () => {
  const site = await collection();
  await site.load();
  const { author } = site.entries.get("crème").data;
  await manage("PATCH", `/members/${author.id}`, { name: "Countess of Lovelace" });
  await site.load();
  await manage("PATCH", `/members/${author.id}`, { name: author.name });

  assert.equal(site.entries.get("crème").data.author.name, "Countess of Lovelace");
});

test("a category's new name reaches the documents in it", async () => {
  const site = await collection();
  await site.load();
  const category = (await client.document("crème")).category;
  await manage("PATCH", `/categories/${category.id}`, { name: "Roggen" });
  await site.load();

  assert.equal(site.entries.get("crème").data.category.name, "Roggen");
});

for (const code of ["CURSOR_EXPIRED", "BAD_USER_INPUT"]) {
  test(`everything is read again when the cursor is ${code}, and what left meanwhile goes`, async () => {
    const refusing = {
      ...client,
      async *changes(after) {
        if (after) throw Object.assign(new Error(code), { code });
        yield* client.changes();
      },
    };
    const left = await publish({ title: "Left" });
    const { slug } = left;
    const site = await collection(refusing);
    await site.load();
    await manage("POST", `/documents/${left.id}/unpublish`, {});
    assert.equal(titles(site)[slug], "Left");
    await site.load();

    assert.equal(titles(site)[slug], undefined);
    assert.equal(site.log.at(-1), "0 documents changed, 1 removed");
  });
}

test("a failure leaves the cursor, so that the next build begins there", async () => {
  let isDown = false;
  const site = await collection({
    async *changes(after) {
      yield* client.changes(after);
      if (isDown) throw new Error("down");
    },
  });
  await site.load();
  const before = [...site.meta];
  isDown = true;
  const { id } = await publish({ title: "During", slug: "during" });

  await assert.rejects(site.load(), /down/);
  assert.deepEqual([...site.meta], before);
  isDown = false;
  await site.load();
  assert.equal(site.entries.get("during").data.id, id);
});
