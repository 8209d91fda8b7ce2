// What several pages show.
import { getCollection } from "astro:content";
import type { Category } from "content-workflow-client";
import { client } from "./client";

let read: Promise<Category[]> | undefined;

/** Returns the tree of categories, read once a build; for `npm run dev`, read for each page. */
export const categories = () => (import.meta.env.DEV ? client.categories() : (read ??= client.categories()));

/** Returns articles, those that went live last first. */
export async function articles() {
  const entries = await getCollection("articles");
  return entries.sort((a, b) => (b.data.publishedAt ?? "").localeCompare(a.data.publishedAt ?? ""));
}

/** Returns a category and all below it. */
export const withChildren = (category: Category): Category[] => [category, ...category.children.flatMap(withChildren)];
