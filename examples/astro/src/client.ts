// The project that the site shows.
import { createClient } from "content-workflow-client";

const { CONTENT_URL = "http://127.0.0.1:8000", DELIVERY_TOKEN = "", PREVIEW_TOKEN = "" } = process.env;

export const client = createClient({ url: CONTENT_URL, token: DELIVERY_TOKEN });

/** Reads drafts too: for pages that are rendered on the server. */
export const previews = createClient({ url: CONTENT_URL, token: PREVIEW_TOKEN });

/** Returns a file that the delivery API makes. */
export async function delivered(path: string): Promise<Response> {
  const headers = { Authorization: `Bearer ${DELIVERY_TOKEN}` };
  const response = await fetch(`${CONTENT_URL}/delivery/${path}`, { headers });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return new Response(await response.text());
}
