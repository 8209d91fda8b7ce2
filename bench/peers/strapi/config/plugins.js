module.exports = {
  "users-permissions": { config: { jwtSecret: "bench" } },
  graphql: { config: { endpoint: "/graphql", defaultLimit: 20, maxLimit: 100 } },
};
