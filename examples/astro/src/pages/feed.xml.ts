// The project's feed, with addresses from its `siteUrl`.
import type { APIRoute } from "astro";
import { delivered } from "../client";

export const GET: APIRoute = () => delivered("feed.xml");
