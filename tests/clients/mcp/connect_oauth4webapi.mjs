// Connects by OAuth as the specifications have it, which oauth4webapi checks: metadata, PKCE, `iss`, tokens, revocation.
//
//   node connect_oauth4webapi.mjs <url>
import { createInterface } from "node:readline";
import * as oauth from "oauth4webapi";

const [url] = process.argv.slice(2);
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const line = async () => (await lines.next()).value;
const insecure = { [oauth.allowInsecureRequests]: true }; // it is served on loopback

const resource = new URL(url);
const found = await oauth.resourceDiscoveryRequest(resource, insecure);
const { authorization_servers: [issuer], scopes_supported } = await oauth.processResourceDiscoveryResponse(resource, found);
const discovered = await oauth.discoveryRequest(new URL(issuer), { algorithm: "oauth2", ...insecure });
const server = await oauth.processDiscoveryResponse(new URL(issuer), discovered);

const redirect = "http://127.0.0.1:3456/callback";
const metadata = { redirect_uris: [redirect], client_name: "oauth4webapi", token_endpoint_auth_method: "none" };
const registered = await oauth.dynamicClientRegistrationRequest(server, metadata, insecure);
const client = await oauth.processDynamicClientRegistrationResponse(registered);

const verifier = oauth.generateRandomCodeVerifier();
const state = oauth.generateRandomState();
const asked = new URL(server.authorization_endpoint);
asked.search = new URLSearchParams({
  client_id: client.client_id,
  redirect_uri: redirect,
  response_type: "code",
  scope: scopes_supported.filter((scope) => scope !== "publish").join(" "),
  state,
  resource: url,
  code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
  code_challenge_method: "S256",
});
console.log(`authorize ${asked}`);
const answer = oauth.validateAuthResponse(server, client, new URLSearchParams(await line()), state);
const given = await oauth.authorizationCodeGrantRequest(server, client, oauth.None(), answer, redirect, verifier, {
  additionalParameters: { resource: url },
  ...insecure,
});
let tokens = await oauth.processAuthorizationCodeResponse(server, client, given);

async function call(name, args) {
  const headers = new Headers({ "Content-Type": "application/json", Accept: "application/json, text/event-stream" });
  const params = name === "tools/list" ? {} : { name, arguments: args };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: name === "tools/list" ? name : "tools/call", params });
  const response = await oauth.protectedResourceRequest(tokens.access_token, "POST", resource, headers, body, insecure);
  return (await response.json()).result;
}

console.log(`tools ${(await call("tools/list")).tools.length}`);
const claimed = (await call("claim_next_brief", {})).structuredContent;
console.log(`claimed ${claimed.brief.state}`);

await line();
const before = tokens.refresh_token;
const refreshed = await oauth.refreshTokenGrantRequest(server, client, oauth.None(), before, insecure);
tokens = await oauth.processRefreshTokenResponse(server, client, refreshed);
const again = (await call("get_brief", { documentId: claimed.id })).structuredContent;
console.log(`refreshed ${again.id === claimed.id && tokens.refresh_token !== before}`);

await line();
await oauth.processRevocationResponse(await oauth.revocationRequest(server, client, oauth.None(), tokens.refresh_token, insecure));
await new Promise((resolve) => setTimeout(resolve, 3_500)); // a server may use what it looked up for 3 seconds
console.log(await call("tools/list").then(() => "not refused", () => "refused"));
process.exit(0);
