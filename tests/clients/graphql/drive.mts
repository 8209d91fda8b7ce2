// Reads a site through graphql-request, with the types that graphql-codegen made of the schema and the queries.
import { ClientError, GraphQLClient } from "graphql-request";
import type { ArticleQuery, ArticleQueryVariables, PageQuery, PageQueryVariables } from "./types.js";

declare const process: { argv: string[] };

const [address, token, page, article, preview] = process.argv.slice(2) as [string, string, string, string, string];
const client = new GraphQLClient(`${address}/graphql`, { headers: { Authorization: `Bearer ${token}` } });

const { documents } = await client.request<PageQuery, PageQueryVariables>(page, { limit: 2 });
const { documentBySlug } = await client.request<ArticleQuery, ArticleQueryVariables>(article, {
  slug: documents[0]!.slug,
});

// The schema says which fields may be null, and the types hold us to it.
const category: string | undefined = documents[0]!.category?.name;
const html: string = documentBySlug?.html ?? "";

let refused: unknown;
try {
  await client.request(preview);
} catch (error) {
  refused = error instanceof ClientError && error.response.errors?.[0]?.extensions?.code;
}

console.log(JSON.stringify({ titles: documents.map(({ title }) => title), category, html, refused }));
