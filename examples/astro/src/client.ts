// The project that the site shows.
import { createClient } from "content-workflow-client";

const url = process.env.CONTENT_URL ?? "http://127.0.0.1:8000";

export const client = createClient({ url, token: variable("DELIVERY_TOKEN") });

/** Returns a client that reads drafts too: for pages that are rendered on the server. */
export const previews = () => createClient({ url, token: variable("PREVIEW_TOKEN") });

/** Returns the text of a file that the delivery API makes. */
export async function delivered(path: string): Promise<string> {
  const headers = { Authorization: `Bearer ${variable("DELIVERY_TOKEN")}` };
  const response = await fetch(`${url}/delivery/${path}`, { headers });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response.text();
}

/** Returns an environment variable, which has to be set. */
function variable(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`Set ${name}, as README.md shows.`);
  return value;
}
