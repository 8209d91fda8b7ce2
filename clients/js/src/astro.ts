/** Loads published documents into a collection of Astro's content layer. */
import type { Loader, LoaderContext } from "astro/loaders" with { "resolution-mode": "import" };
import type { Client, PublishedDocument } from "./client.js";

const CURSOR = "cursor of form 1"; // another number where entries get another form: all is read again then
const READ_AGAIN = new Set(["CURSOR_EXPIRED", "BAD_USER_INPUT"]);

/** The data of an entry. Its id is the document's slug, its body the markdown; `render(entry)` has the html. */
export type DocumentEntry = Omit<PublishedDocument, "html" | "markdown">;

/**
 * Returns a loader of all that a project has published.
 *
 * A build reads what changed since the one before: everything, where there was none or its cursor is too old, or where
 * a category or an author changed.
 */
export function documentsLoader(client: Client): Loader {
  return {
    name: "content-workflow-client",
    createSchema: async () => ({
      schema: await schemaOf(),
      types: 'export type { DocumentEntry as Entry } from "content-workflow-client/astro";\n',
    }),
    load: async (context) => {
      const { meta, logger } = context;
      const since = meta.get(CURSOR);
      let read = await load(client, context, since).catch((error: unknown) => {
        if (since === undefined || !READ_AGAIN.has((error as { code?: string }).code ?? "")) throw error;
        return undefined;
      });
      if (!read || (since !== undefined && read.isOthersChanged)) read = await load(client, context);
      meta.set(CURSOR, read.cursor);
      logger.info(`${read.changed} documents changed, ${read.removed} removed`);
    },
  };
}

/** Applies what changed since a cursor to the store; without one, the store has nothing else afterwards. */
async function load(client: Client, context: LoaderContext, after?: string) {
  const { store } = context;
  const slugs = new Map(store.entries().map(([slug, { data }]) => [data.id as string, slug]));
  const others = new Map(after === undefined ? slugs : []);
  const read = { cursor: "", changed: 0, removed: 0, isOthersChanged: false };

  function remove(id: string): void {
    const slug = slugs.get(id);
    if (slug !== undefined && store.get(slug)?.data.id === id) store.delete(slug); // or it is another document's now
    slugs.delete(id);
  }

  for await (const page of client.changes(after)) {
    for (const { id } of page.removed) {
      if (slugs.has(id)) read.removed++;
      remove(id);
    }
    for (const { id, slug } of page.documents) if (slugs.get(id) !== slug) remove(id);
    for (const document of page.documents) {
      if (store.set(await entryOf(document, context))) read.changed++;
      slugs.set(document.id, document.slug);
      others.delete(document.id);
    }
    read.cursor = page.cursor;
    read.isOthersChanged ||= page.categoriesChanged || page.authorsChanged;
  }
  for (const id of others.keys()) {
    remove(id);
    read.removed++;
  }
  return read;
}

async function entryOf(document: PublishedDocument, { parseData, generateDigest }: LoaderContext) {
  const { html, markdown, ...fields } = document;
  return {
    id: document.slug,
    data: await parseData({ id: document.slug, data: fields }),
    digest: generateDigest(document),
    body: markdown,
    rendered: { html, metadata: { headings: headingsOf(html), imagePaths: [], frontmatter: {} } },
  };
}

/** Returns the headings of html that the service made. */
function headingsOf(html: string) {
  return [...html.matchAll(/<h([1-6]) id="([^"]*)">(.*?)<\/h\1>/gs)].map(([, depth, slug, inner]) => ({
    depth: Number(depth),
    slug: slug!,
    text: inner!.replace(/<[^>]*>/g, "").replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => ENTITIES[entity]!),
  }));
}

const ENTITIES: Record<string, string> = { "&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'" };

/** Returns the schema of `DocumentEntry`. */
async function schemaOf() {
  const { z } = await import("astro/zod");
  const text = z.string().nullable();
  const schema: import("astro/zod", { with: { "resolution-mode": "import" } }).ZodType<DocumentEntry> = z.object({
    id: z.string(),
    slug: z.string(),
    title: z.string(),
    subtitle: text,
    excerpt: text,
    metaTitle: text,
    metaDescription: text,
    isPublished: z.boolean(),
    publishedAt: text,
    updatedAt: text,
    wordCount: z.number(),
    clusterId: text,
    coverImage: z
      .object({ url: z.string(), alt: text, width: z.number().nullable(), height: z.number().nullable(), srcset: text })
      .nullable(),
    category: z.object({ id: z.string(), slug: z.string(), name: z.string() }).nullable(),
    author: z.object({ id: z.string(), slug: z.string(), name: z.string(), bio: text, imageUrl: text }).nullable(),
    disclosure: z.object({ value: z.string(), models: z.array(z.string()), reviewedAt: text, responsible: text }),
    sources: z.array(z.object({ number: z.number(), title: z.string(), url: text, publisher: text, publishedOn: text })),
  });
  return schema;
}
