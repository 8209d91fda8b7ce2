module.exports = () => ({
  serveAdminPanel: false,
  auth: { secret: "bench" },
  apiToken: { salt: "bench" },
  transfer: { token: { salt: "bench" } },
  secrets: { encryptionKey: "0123456789abcdef0123456789abcdef" },
});
