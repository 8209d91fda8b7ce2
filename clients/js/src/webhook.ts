/** Verifies messages that the service sends to a webhook, as Standard Webhooks (https://www.standardwebhooks.com) has it. */

const TOLERANCE_SECONDS = 5 * 60;

/** What a message says. */
export interface WebhookMessage<Data = Record<string, unknown>> {
  /** The type of the event, as `document.published`. */
  type: string;
  /** When it happened, in ISO 8601. */
  timestamp: string;
  /** The event's data, with its `id`. */
  data: Data;
}

/** The headers of a request: `Headers`, or an object as Node.js has it. */
export type WebhookHeaders = Pick<Headers, "get"> | Record<string, string | string[] | undefined>;

/** The message was not signed with the secret, or not in the last five minutes: respond with 401. */
export class WebhookVerificationError extends Error {
  override readonly name = "WebhookVerificationError";
}

/**
 * Returns the message of a request; throws `WebhookVerificationError` where it is not the service's.
 *
 * `secret` is the webhook's (`whsec_…`), `body` the request's as it arrived, before anything parses it.
 */
export async function verifyWebhook<Data = Record<string, unknown>>(
  secret: string,
  headers: WebhookHeaders,
  body: string | Uint8Array | ArrayBuffer,
): Promise<WebhookMessage<Data>> {
  const [id, timestamp, signatures] = ["webhook-id", "webhook-timestamp", "webhook-signature"].map((name) => {
    const value = valueOf(headers, name);
    if (!value) throw new WebhookVerificationError(`The header ${name} is missing.`);
    return value;
  }) as [string, string, string];
  const age = Date.now() / 1_000 - Number(timestamp);
  if (!/^\d+$/.test(timestamp) || Math.abs(age) > TOLERANCE_SECONDS) {
    throw new WebhookVerificationError("The message is too old, or from the future.");
  }
  const text = typeof body === "string" ? body : new TextDecoder().decode(body);
  const content = typeof body === "string" ? new TextEncoder().encode(body) : new Uint8Array(body);
  const signed = joined(new TextEncoder().encode(`${id}.${timestamp}.`), content);
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", keyOf(secret), algorithm, false, ["verify"]);
  for (const signature of signatures.split(" ")) {
    const bytes = signature.startsWith("v1,") ? decoded(signature.slice(3)) : undefined;
    if (bytes && (await crypto.subtle.verify(algorithm, key, bytes, signed))) return JSON.parse(text);
  }
  throw new WebhookVerificationError("No signature is that of the secret.");
}

function valueOf(headers: WebhookHeaders, name: string): string | null | undefined {
  if (typeof headers.get === "function") return headers.get(name);
  const found = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  return Array.isArray(found) ? found[0] : (found as string | undefined);
}

function keyOf(secret: string): Uint8Array<ArrayBuffer> {
  const key = decoded(secret.replace(/^whsec_/, ""));
  if (!key?.length) throw new TypeError("The secret is not one of a webhook: whsec_ and base64.");
  return key;
}

function joined(...parts: Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** Returns the bytes of base64; undefined where it is none. */
function decoded(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}
