// What there is to read, for agents: each article's markdown on this site.
import type { APIRoute } from "astro";
import { delivered } from "../client";

/** A line of the list: what stands before the address, and the name of the file in the address. */
const LINE = /^(- \[(?:\\.|[^\\\]])*\]\()[^)\s]*\/delivery\/documents\/([^)\s]*\.md)(?=\))/gm;

export const GET: APIRoute = async ({ url }) => {
  const list = await delivered("documents.md");
  return new Response(list.replace(LINE, (_, before, file) => `${before}${new URL(`/articles/${file}`, url)}`));
};
