import { defineCollection } from "astro:content";
import { documentsLoader } from "content-workflow-client/astro";
import { client } from "./client";

export const collections = {
  articles: defineCollection({ loader: documentsLoader(client) }),
};
