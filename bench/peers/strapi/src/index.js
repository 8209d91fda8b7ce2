const fs = require("node:fs");

module.exports = {
  /** Makes a token that may do everything, and writes it where the benchmark reads it. */
  async bootstrap({ strapi }) {
    const tokens = strapi.service("admin::api-token");
    const made = await tokens.create({ name: `bench ${Date.now()}`, type: "full-access", lifespan: null });
    fs.writeFileSync(process.env.TOKEN_FILE, made.accessKey);
  },
};
