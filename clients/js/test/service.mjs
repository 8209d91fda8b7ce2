// The service that the tests run against: tests/clients/js starts it and says where it is.
import { createClient } from "content-workflow-client";

export const { BASE, SITE, PREVIEW, OWNER } = process.env;

/** Calls the management API and returns the body of its response. */
export async function manage(method, path, body) {
  const headers = { Authorization: `Bearer ${OWNER}`, "Content-Type": "application/json" };
  const response = await fetch(BASE + path, { method, headers, body: body && JSON.stringify(body) });
  if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`);
  return response.json();
}

/** Publishes a new document and returns its record. */
export async function publish(fields) {
  const draft = await manage("POST", "/document-intents", { markdown: "Flour.", ...fields });
  const { document } = await manage("POST", `/document-intents/${draft.id}/confirm`);
  return manage("POST", `/documents/${document.id}/publish`, {});
}

/** Changes a document, and publishes it again. */
export async function republish(id, fields) {
  await manage("PATCH", `/documents/${id}`, fields);
  return manage("POST", `/documents/${id}/publish`, {});
}

/** Returns a client, and the statuses of its responses. */
export function watched(token = SITE) {
  const statuses = [];
  const client = createClient({
    url: BASE,
    token,
    fetch: async (...request) => {
      const response = await fetch(...request);
      statuses.push(response.status);
      return response;
    },
  });
  return { client, statuses };
}

/** Returns all that an async iterator yields. */
export async function all(iterator) {
  const found = [];
  for await (const one of iterator) found.push(one);
  return found;
}
