import node from "@astrojs/node";
import { defineConfig } from "astro/config";

export default defineConfig({
  site: process.env.SITE_URL ?? "https://thecrust.example",
  adapter: node({ mode: "standalone" }), // for previews alone: all other pages are files
});
