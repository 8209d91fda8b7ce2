// Sends queries with `fetch`: with the ETags of earlier responses, and again while the service is busy or restarts.
import { ContentWorkflowError } from "./errors.js";

const LONGEST_ADDRESS = 6_000;
const CACHED_CHARACTERS = 32 * 1024 * 1024;
const ATTEMPTS = 4;
const LONGEST_WAIT_SECONDS = 30;
const TRY_AGAIN = new Set([429, 502, 503, 504]);

interface Cached {
  etag: string;
  text: string;
}

interface Answer {
  response: Response;
  text: string;
}

export class Transport {
  readonly #address: string;
  readonly #token: string;
  readonly #fetch: typeof fetch;
  readonly #responses = new ResponseCache();

  constructor(url: string, token: string, send: typeof fetch = (...request) => globalThis.fetch(...request)) {
    this.#address = `${url.replace(/\/+$/, "")}/graphql`;
    this.#token = token;
    this.#fetch = send;
  }

  /** Returns the data of a query, or throws `ContentWorkflowError`. A query that is too long for an address is posted. */
  async query(query: string, variables: unknown): Promise<unknown> {
    const search = new URLSearchParams({ query, variables: JSON.stringify(variables ?? {}) });
    const address = `${this.#address}?${search}`;
    if (address.length > LONGEST_ADDRESS) {
      const body = JSON.stringify({ query, variables });
      return data(await this.#send(this.#address, { "Content-Type": "application/json" }, body));
    }
    const cached = this.#responses.get(address);
    const answer = await this.#send(address, cached ? { "If-None-Match": cached.etag } : {});
    if (cached && answer.response.status === 304) return data({ ...answer, text: cached.text });
    const found = data(answer);
    const etag = answer.response.headers.get("ETag");
    if (etag) this.#responses.set(address, { etag, text: answer.text });
    return found;
  }

  async #send(address: string, more: Record<string, string>, body?: string): Promise<Answer> {
    const accept = "application/graphql-response+json, application/json;q=0.9";
    const headers = { Authorization: `Bearer ${this.#token}`, Accept: accept, ...more };
    const request = body === undefined ? { headers } : { method: "POST", headers, body };
    for (let attempt = 1; ; attempt++) {
      let wait = 2 ** attempt / 4;
      try {
        const response = await this.#fetch(address, request);
        const text = await response.text();
        if (!TRY_AGAIN.has(response.status) || attempt === ATTEMPTS) return { response, text };
        wait = Number(response.headers.get("Retry-After") || wait) || wait;
      } catch (cause) {
        if (attempt === ATTEMPTS) {
          throw new ContentWorkflowError(`${this.#address} can't be reached.`, "UNREACHABLE", 0, { cause });
        }
      }
      await new Promise((resolve) => setTimeout(resolve, Math.min(wait, LONGEST_WAIT_SECONDS) * 1_000));
    }
  }
}

/** Responses by address; those that were used last, as far as they fit. */
class ResponseCache {
  readonly #responses = new Map<string, Cached>();
  #characters = 0;

  get(address: string): Cached | undefined {
    const cached = this.#responses.get(address);
    if (cached) this.set(address, cached);
    return cached;
  }

  set(address: string, cached: Cached): void {
    this.#delete(address);
    this.#responses.set(address, cached);
    this.#characters += cached.text.length;
    for (const oldest of this.#responses.keys()) {
      if (this.#characters <= CACHED_CHARACTERS) break;
      this.#delete(oldest);
    }
  }

  #delete(address: string): void {
    this.#characters -= this.#responses.get(address)?.text.length ?? 0;
    this.#responses.delete(address);
  }
}

/** Returns the data of a response, or throws its error. */
function data({ response, text }: Answer): unknown {
  let body: { data?: unknown; errors?: { message: string; extensions?: { code?: string } }[] } | undefined;
  try {
    body = JSON.parse(text);
  } catch {
    // A page of a proxy: refused below.
  }
  if (body?.errors?.length) {
    const code = body.errors[0]?.extensions?.code ?? "UNEXPECTED_RESPONSE";
    throw new ContentWorkflowError(body.errors.map(({ message }) => message).join(" "), code, response.status);
  }
  if (!body?.data) {
    const message = `The response of status ${response.status} is none of the delivery API: is \`url\` that of the service?`;
    throw new ContentWorkflowError(message, "UNEXPECTED_RESPONSE", response.status);
  }
  return body.data;
}
