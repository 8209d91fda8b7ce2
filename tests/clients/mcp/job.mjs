// Does an agent's whole job with a TypeScript client, and prints what it met as JSON.
//
//   node job.mjs client|sdk <url> <token>
//
// `client` is the package of the newest protocol revision, `sdk` the one that shakes hands.
const [library, url, token] = process.argv.slice(2);

const { Client } = await import(library === "sdk" ? "@modelcontextprotocol/sdk/client/index.js" : "@modelcontextprotocol/client");
const { StreamableHTTPClientTransport } = await import(
  library === "sdk" ? "@modelcontextprotocol/sdk/client/streamableHttp.js" : "@modelcontextprotocol/client"
);

const transport = new StreamableHTTPClientTransport(new URL(url), {
  requestInit: { headers: { Authorization: `Bearer ${token}` } },
});
const options = library === "sdk" ? {} : { versionNegotiation: { mode: "auto" } };
const client = new Client({ name: `typescript-${library}`, version: "1.0.0" }, options);
await client.connect(transport);

async function call(name, args) {
  const result = await client.callTool({ name, arguments: args });
  if (result.isError) throw new Error(JSON.stringify(result.structuredContent));
  return result.structuredContent;
}

const { tools } = await client.listTools();
const claimed = await call("claim_next_brief", { leaseSeconds: 600, idempotencyKey: `${library}-claim` });
const documentId = claimed.id;
const brief = await call("get_brief", { documentId });
const prompt = await client.getPrompt({ name: "write_document_from_brief", arguments: { documentId } });
const markdown = `# ${brief.title}\n\nFlour, water, salt and time.\n`;
await call("write_content", { documentId, markdown, baseVersion: brief.version, idempotencyKey: `${library}-write` });
const resource = await client.readResource({ uri: `document://${documentId}` });
const submitted = await call("submit_document", { documentId, idempotencyKey: `${library}-submit` });
const refused = await client.callTool({ name: "claim_next_brief", arguments: {} });

console.log(
  JSON.stringify({
    tools: tools.length,
    agent: claimed.brief.claimedBy.agent,
    prompt: prompt.messages[0].content.text,
    read: resource.contents[0].text,
    status: submitted.status,
    state: submitted.brief.state,
    refusal: refused.structuredContent._tag,
  }),
);
await client.close();
