import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { test } from "node:test";
import { verifyWebhook, WebhookVerificationError } from "content-workflow-client/webhook";

// A message as it arrived, and the secrets before and after a rotation.
const { headers: arrived, body, secrets } = JSON.parse(process.env.MESSAGE);
const headers = Object.fromEntries(Object.entries(arrived).filter(([name]) => !name.startsWith(":")));
const now = Date.now;

test("a message is verified with the new and the old secret, with headers of both kinds", async () => {
  const sent = { "Content-Type": "application/json", ...headers };
  for (const secret of secrets) {
    for (const given of [sent, new Headers(sent), Object.fromEntries(new Headers(sent))]) {
      for (const raw of [body, new TextEncoder().encode(body), new TextEncoder().encode(body).buffer, Buffer.from(body)]) {
        const message = await verifyWebhook(secret, given, raw);

        assert.equal(message.type, "document.created");
        assert.deepEqual(message, JSON.parse(body));
      }
    }
  }
});

test("what the service did not send, or not now, is refused", async () => {
  const lower = Object.fromEntries(new Headers(headers));
  const signature = lower["webhook-signature"];
  const refused = [
    [{}, body],
    [lower, `${body} `],
    [{ ...lower, "webhook-id": "other" }, body],
    [{ ...lower, "webhook-timestamp": "now" }, body],
    [{ ...lower, "webhook-timestamp": String(Number(lower["webhook-timestamp"]) + 1) }, body],
    [{ ...lower, "webhook-signature": "forged" }, body],
    [{ ...lower, "webhook-signature": "v1,?" }, body],
    [{ ...lower, "webhook-signature": signature.replaceAll("v1,", "v2,") }, body],
  ];
  for (const [given, raw] of refused) {
    await assert.rejects(verifyWebhook(secrets[0], given, raw), WebhookVerificationError, JSON.stringify(given));
  }
  const other = `whsec_${Buffer.from("0".repeat(32)).toString("base64")}`;
  await assert.rejects(verifyWebhook(other, lower, body), WebhookVerificationError);
  await assert.rejects(verifyWebhook("", lower, body), TypeError);
});

for (const minutes of [-6, 6]) {
  test(`a message of ${minutes} minutes from now is refused`, async (context) => {
    context.mock.method(Date, "now", () => now() - minutes * 60_000);

    await assert.rejects(verifyWebhook(secrets[0], headers, body), WebhookVerificationError);
  });
}

test("it can be required", async () => {
  const required = createRequire(import.meta.url)("content-workflow-client/webhook");

  assert.equal((await required.verifyWebhook(secrets[0], headers, body)).type, "document.created");
});
