// The article as markdown with front matter, for agents.
import type { APIRoute } from "astro";
import { delivered } from "../../client";
import { articles } from "../../site";

export const getStaticPaths = async () => (await articles()).map(({ id }) => ({ params: { slug: id } }));

export const GET: APIRoute = async ({ params }) =>
  new Response(await delivered(`documents/${encodeURIComponent(params.slug!)}.md`));
