import { mongooseAdapter } from "@payloadcms/db-mongodb";
import { buildConfig } from "payload";

export default buildConfig({
  secret: "bench",
  db: mongooseAdapter({ url: process.env.DATABASE_URL }),
  telemetry: false,
  collections: [
    { slug: "users", auth: { useAPIKey: true }, fields: [] },
    {
      slug: "categories",
      fields: [
        { name: "name", type: "text", required: true },
        { name: "slug", type: "text", index: true },
      ],
    },
    {
      slug: "documents",
      versions: { drafts: true },
      fields: [
        { name: "title", type: "text", required: true },
        { name: "slug", type: "text", unique: true },
        { name: "markdown", type: "textarea", maxLength: 2000000 },
        { name: "excerpt", type: "textarea" },
        { name: "dueDate", type: "date" },
        { name: "category", type: "relationship", relationTo: "categories", index: true },
      ],
    },
  ],
});
