module.exports = require("@strapi/strapi").factories.createCoreRouter("api::document.document");
