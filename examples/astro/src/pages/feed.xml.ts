// The project's feed, with addresses from its `siteUrl`, and its own in place of the service's.
import type { APIRoute } from "astro";
import { delivered } from "../client";

export const GET: APIRoute = async ({ url }) => {
  const feed = await delivered("feed.xml");
  return new Response(feed.replace(/(<link rel="self"[^>]* href=")[^"]*/, `$1${url}`));
};
