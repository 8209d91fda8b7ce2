// Compiled and not run: what the types allow and refuse.
import { createClient, type PublishedDocument, type Schema, type TypedQuery } from "content-workflow-client";
import { documentsLoader } from "content-workflow-client/astro";
import { verifyWebhook } from "content-workflow-client/webhook";
import type { Loader } from "astro/loaders" with { "resolution-mode": "import" };

const client = createClient({ url: "https://content.example", token: "cwd_x", fetch });
export const loader: Loader = documentsLoader(client);

export async function reads(): Promise<string | null> {
  for await (const document of client.documents()) {
    const whole: PublishedDocument = document;
    const published: string | null = whole.publishedAt;
    // @ts-expect-error: it may be null
    const subtitle: string = document.subtitle;
    // @ts-expect-error: the schema has no such field
    document.nothing;
    void [published, subtitle];
  }
  const typed = "{ documents { slug } }" as TypedQuery<{ documents: Pick<Schema.Document, "slug">[] }, { limit: number }>;
  // @ts-expect-error: the variables are missing
  await client.query(typed);
  // @ts-expect-error: a variable of another type
  await client.query(typed, { limit: "1" });
  const found: string | undefined = (await client.query(typed, { limit: 1 })).documents[0]?.slug;
  const named = await client.query<Pick<Schema.Query, "categories">>("{ categories { name } }");
  // @ts-expect-error: the schema has no such field
  named.categories[0]?.nothing;
  const [topic] = await client.categories();
  const message = await verifyWebhook<{ slugs: string[] }>("whsec_", new Headers(), "{}");
  return topic?.children[0]?.path.join("/") ?? found ?? message.data.slugs[0] ?? null;
}
