import { ContentWorkflowError } from "./errors.js";
import type { TypedQuery } from "./query.js";
import {
  type AuthorsQuery,
  authorsQuery,
  type CategoriesQuery,
  categoriesQuery,
  type ChangesQuery,
  changesQuery,
  documentQuery,
  type PreviewQuery,
  previewQuery,
  type PublishedFragment,
  type RedirectsQuery,
  redirectsQuery,
} from "./schema.js";
import { Transport } from "./transport.js";

const LARGEST_PAGE = 100;

export interface ClientOptions {
  /** The address of the service, as `https://content.example`. */
  url: string;
  /** A delivery token; one that may read drafts for `preview`. */
  token: string;
  /** Sends the requests. Default: the global `fetch`. */
  fetch?: typeof fetch;
}

/** A document as it was last published. */
export type PublishedDocument = PublishedFragment;
/** What changed since a cursor, each document once as it is now. */
export type Changes = ChangesQuery["changes"];
/** A document that was taken off. */
export type Removed = Changes["removed"][number];
/** Who wrote published documents. */
export type Author = AuthorsQuery["authors"][number];
/** A past slug, and the slug that it leads to. */
export type Redirect = RedirectsQuery["redirects"][number];
/** A document as it is now. */
export type Preview = NonNullable<NonNullable<PreviewQuery["document"]>["preview"]>;

/** A category with its subcategories. */
export interface Category extends Omit<CategoriesQuery["categories"][number], "parent"> {
  /** The slugs from the root to it. */
  path: string[];
  /** Its subcategories, by name. */
  children: Category[];
}

/** The delivery API of one project. Every method throws `ContentWorkflowError`. */
export interface Client {
  /** Yields every document that is live, each once. */
  documents(): AsyncGenerator<PublishedDocument, void, undefined>;
  /**
   * Yields pages of what changed since a cursor (without one: of all that is live) up to the one without `hasMore`. Who
   * applies them in order and continues from the last `cursor` the next time has exactly what is live.
   */
  changes(after?: string): AsyncGenerator<Changes, void, undefined>;
  /** Returns the document that is published under a slug, or null. */
  document(slug: string): Promise<PublishedDocument | null>;
  /** Returns the categories without a parent, by name, with all below them. */
  categories(): Promise<Category[]>;
  /** Returns the authors of live documents, by name. */
  authors(): Promise<Author[]>;
  /** Returns the slugs under which live documents were published before. */
  redirects(): Promise<Redirect[]>;
  /** Returns a document as it is now, published or not; null for an unknown id. The token needs the drafts permission. */
  preview(id: string): Promise<Preview | null>;
  /** Returns the data of any query of the delivery API. */
  query<Data = unknown, Variables = Record<string, unknown>>(
    document: TypedQuery<Data, Variables>,
    ...variables: NoInfer<Record<string, never> extends Variables ? [variables?: Variables] : [variables: Variables]>
  ): Promise<Data>;
}

/**
 * Returns a client of one project's delivery API. Responses that did not change since the last call are not sent again.
 * Throws a `TypeError` where `url` or `token` is missing or empty.
 */
export function createClient({ url, token, fetch }: ClientOptions): Client {
  for (const [name, value] of Object.entries({ url, token })) {
    if (!value) throw new TypeError(`createClient: \`${name}\` is missing. If it comes from the environment, is that variable set?`);
  }
  return new DeliveryClient(new Transport(url, token, fetch));
}

class DeliveryClient implements Client {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  async query<Data, Variables>(document: TypedQuery<Data, Variables>, variables?: unknown): Promise<Data> {
    return (await this.#transport.query(textOf(document), variables)) as Data;
  }

  async *documents(): AsyncGenerator<PublishedDocument, void, undefined> {
    const seen = new Set<string>();
    for await (const page of this.changes()) {
      for (const document of page.documents) {
        if (seen.has(document.id)) continue;
        seen.add(document.id);
        yield document;
      }
    }
  }

  async *changes(after?: string): AsyncGenerator<Changes, void, undefined> {
    let limit = LARGEST_PAGE;
    for (let cursor = after; ; ) {
      try {
        const { changes } = await this.query(changesQuery, { after: cursor, limit });
        yield changes;
        if (!changes.hasMore) return;
        cursor = changes.cursor;
      } catch (error) {
        if (!(error instanceof ContentWorkflowError) || error.code !== "RESPONSE_TOO_LARGE" || limit === 1) throw error;
        limit = Math.ceil(limit / 4);
      }
    }
  }

  async document(slug: string): Promise<PublishedDocument | null> {
    return (await this.query(documentQuery, { slug })).documentBySlug;
  }

  async categories(): Promise<Category[]> {
    const { categories } = await this.query(categoriesQuery);
    const nodes = new Map<string, Category>();
    for (const { parent: _, ...category } of categories) nodes.set(category.id, { ...category, path: [], children: [] });
    const roots: Category[] = [];
    for (const { id, parent } of categories) {
      (nodes.get(parent?.id ?? "")?.children ?? roots).push(nodes.get(id)!);
    }
    setPaths(roots, []);
    return roots;
  }

  async authors(): Promise<Author[]> {
    return (await this.query(authorsQuery)).authors;
  }

  async redirects(): Promise<Redirect[]> {
    const redirects = new Map<string, Redirect>();
    for (let offset = 0; ; offset += 100) {
      const page = (await this.query(redirectsQuery, { offset })).redirects;
      for (const redirect of page) redirects.set(redirect.from, redirect);
      if (page.length < 100) return [...redirects.values()];
    }
  }

  async preview(id: string): Promise<Preview | null> {
    const { document } = await this.query(previewQuery, { id });
    if (document && !document.preview) {
      throw new ContentWorkflowError("A preview needs a delivery token with the drafts permission.", "FORBIDDEN", 403);
    }
    return document?.preview ?? null;
  }
}

/** Returns the text of a query: of a string, or of a document that was parsed with its source. */
function textOf(document: TypedQuery<unknown, never>): string {
  if (typeof document === "string" || document instanceof String) return document.toString();
  const source = (document as { loc?: { source?: { body?: string } } }).loc?.source?.body;
  if (source === undefined) throw new TypeError("Give the query as a string.");
  return source;
}

function setPaths(categories: Category[], above: string[]): void {
  for (const category of categories) {
    category.path = [...above, category.slug];
    setPaths(category.children, category.path);
  }
}
