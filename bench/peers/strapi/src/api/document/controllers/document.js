module.exports = require("@strapi/strapi").factories.createCoreController("api::document.document");
