// Writes types.ts: the types that graphql-codegen makes of schema.graphql and of the queries beside it.
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { codegen } from "@graphql-codegen/core";
import * as typescript from "@graphql-codegen/typescript";
import * as operations from "@graphql-codegen/typescript-operations";
import { parse } from "graphql";

const read = (location) => ({ location, document: parse(readFileSync(location, "utf8")) });

const types = await codegen({
  filename: "types.ts",
  schema: read("schema.graphql").document,
  documents: readdirSync("queries").map((name) => read(`queries/${name}`)),
  plugins: [{ typescript: {} }, { operations: {} }],
  pluginMap: { typescript, operations },
  config: {},
});
writeFileSync("types.ts", types);
