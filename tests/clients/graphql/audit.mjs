// Runs graphql-http's audit of GraphQL over HTTP against an address and prints every result as JSON.
import { auditServer } from "graphql-http";

const [address, token] = process.argv.slice(2);

const results = await auditServer({
  url: `${address}/graphql`,
  fetchFn: (url, options = {}) => {
    const headers = new Headers(options.headers);
    headers.set("Authorization", `Bearer ${token}`);
    return fetch(url, { ...options, headers });
  },
});

console.log(JSON.stringify({ results: results.map(({ id, name, status, reason }) => ({ id, name, status, reason })) }));
