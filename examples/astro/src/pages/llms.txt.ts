// What there is to read, for agents.
import type { APIRoute } from "astro";
import { delivered } from "../client";

export const GET: APIRoute = () => delivered("documents.md");
