// Verifies one message on standard input, as a receiver of webhooks does, and prints what it says.
import { readFileSync } from "node:fs";
import { Webhook } from "standardwebhooks";

const { secret, headers, body } = JSON.parse(readFileSync(0, "utf8"));

console.log(JSON.stringify(new Webhook(secret).verify(body, headers)));
