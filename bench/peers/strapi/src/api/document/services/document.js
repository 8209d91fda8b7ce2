module.exports = require("@strapi/strapi").factories.createCoreService("api::document.document");
