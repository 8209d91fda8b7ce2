/** Reads what a project has published. */
export { type Author, type Category, type Client, type ClientOptions, createClient } from "./client.js";
export type { Changes, Preview, PublishedDocument, Redirect, Removed } from "./client.js";
export { ContentWorkflowError } from "./errors.js";
export type { TypedQuery } from "./query.js";
/** The types of the whole schema. */
export type * as Schema from "./schema.js";
