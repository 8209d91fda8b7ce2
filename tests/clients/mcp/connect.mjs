// Connects by OAuth from an address alone with a TypeScript client, works, refreshes, and says how it is refused.
//
//   node connect.mjs client|sdk <url>
//
// It prints `authorize <address>` and reads the answer's parameters from a line of its input; after each further
// line it does the next step.
import { createInterface } from "node:readline";

const [library, url] = process.argv.slice(2);
const { Client } = await import(library === "sdk" ? "@modelcontextprotocol/sdk/client/index.js" : "@modelcontextprotocol/client");
const { StreamableHTTPClientTransport } = await import(
  library === "sdk" ? "@modelcontextprotocol/sdk/client/streamableHttp.js" : "@modelcontextprotocol/client"
);
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const line = async () => (await lines.next()).value;

const kept = {};
const redirectUrl = "http://127.0.0.1:3456/callback";
const authProvider = {
  redirectUrl,
  clientMetadata: { client_name: `typescript-${library}`, redirect_uris: [redirectUrl], token_endpoint_auth_method: "none" },
  state: () => "state-of-the-client",
  clientInformation: () => kept.client,
  saveClientInformation: (client) => { kept.client = client; },
  tokens: () => kept.tokens,
  saveTokens: (tokens) => { kept.tokens = tokens; },
  redirectToAuthorization: (address) => { console.log(`authorize ${address}`); },
  saveCodeVerifier: (verifier) => { kept.verifier = verifier; },
  codeVerifier: () => kept.verifier,
  saveDiscoveryState: (state) => { kept.discovery = state; },
  discoveryState: () => kept.discovery,
};

function fresh() {
  const transport = new StreamableHTTPClientTransport(new URL(url), { authProvider });
  const options = library === "sdk" ? {} : { versionNegotiation: { mode: "auto" } };
  return [new Client({ name: `typescript-${library}`, version: "1.0.0" }, options), transport];
}

const [asking, first] = fresh();
await asking.connect(first).then(() => { throw new Error("it was let in"); }, () => {});
const answer = new URLSearchParams(await line());
await (library === "sdk" ? first.finishAuth(answer.get("code")) : first.finishAuth(answer));

const [client, transport] = fresh();
await client.connect(transport);
console.log(`tools ${(await client.listTools()).tools.length}`);
const claimed = await client.callTool({ name: "claim_next_brief", arguments: {} });
console.log(`claimed ${claimed.structuredContent.brief.state}`);

await line();
const before = kept.tokens.refresh_token;
const again = await client.callTool({ name: "get_brief", arguments: { documentId: claimed.structuredContent.id } });
console.log(`refreshed ${again.structuredContent.id === claimed.structuredContent.id && kept.tokens.refresh_token !== before}`);

await line();
const refused = await client.callTool({ name: "list_briefs", arguments: {} }).then(() => "not refused", () => "refused");
console.log(refused);
process.exit(0);
