"use strict";

// The token stays in this field: nothing stores it, and it is sent nowhere but to this server.
const token = document.getElementById("token");
const root = ReactDOM.createRoot(document.getElementById("explorer"));

const QUERY = `{
  documents(limit: 10) {
    id
    title
    slug
    publishedAt
    category {
      name
    }
  }
}
`;

async function fetcher(parameters) {
  if (!token.value.trim()) {
    return { errors: [{ message: "Paste a delivery token above." }] };
  }
  const response = await fetch(location.pathname, {
    method: "POST",
    headers: {
      Accept: "application/graphql-response+json, application/json;q=0.9",
      Authorization: `Bearer ${token.value.trim()}`,
      "Content-Type": "application/json",
    },
    body: JSON.stringify(parameters),
  });
  return response.json();
}

// Another token may see another schema: a new key has the explorer ask for it again; without one it does not ask.
function show() {
  const schema = token.value.trim() ? undefined : null;
  const options = { key: token.value, fetcher, schema, defaultQuery: QUERY, isHeadersEditorEnabled: false };
  root.render(React.createElement(GraphiQL, options));
}

token.addEventListener("change", show);
show();
