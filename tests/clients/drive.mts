// Takes a document from a draft to a claimed brief with the client that openapi-typescript's types make of openapi-fetch.
// Compiled strictly: a wrong path, a wrong field, or an error that is not typed fails before anything runs.
import createClient from "openapi-fetch";
import type { components, paths } from "./api.js";

declare const process: { argv: string[] };
type BriefClaimed = components["schemas"]["BriefClaimed"];

const [baseUrl, token] = process.argv.slice(2);
const api = createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${token}` } });

function given<T>(what: { data?: T; error?: { _tag: string; message: string } }): T {
  if (what.data === undefined) throw new Error(`${what.error?._tag}: ${what.error?.message}`);
  return what.data;
}

const draft = given(
  await api.POST("/document-intents", {
    params: { header: { "Idempotency-Key": crypto.randomUUID() } },
    body: { title: "How to begin a sourdough starter", brief: { keyword: "sourdough", intent: "informational" } },
  }),
);
const confirmed = given(await api.POST("/document-intents/{id}/confirm", { params: { path: { id: draft.id } } }));
const id: string = confirmed.document.id;
const path = { params: { path: { id } } };
const ready = given(await api.POST("/documents/{id}/brief/ready", path));
const listed = given(await api.GET("/briefs", { params: { query: { limit: 10 } } }));
const claimed = given(await api.POST("/documents/{id}/brief/claim", { ...path, body: { leaseSeconds: 3600 } }));
const { error, response } = await api.POST("/documents/{id}/brief/claim", { ...path, body: {} });
if (error?._tag !== "BriefClaimed") throw new Error(`a second claim was answered with ${response.status}`);
const refused: BriefClaimed = error;

console.log(
  JSON.stringify({
    ready: ready.brief.state,
    listed: listed.map((item) => item.id).includes(id),
    claimed: claimed.brief.state,
    status: claimed.status,
    refused: { status: response.status, by: refused.claimedBy?.name, at: refused.claimedAt === claimed.brief.claimedAt },
  }),
);
