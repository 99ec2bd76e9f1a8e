import type { FuzzReader } from "../fuzz-reader.js";
import { json } from "./json.js";
import { template } from "./template.js";
import { toolParsers } from "./tool-parsers.js";

/** Every reader of outside data, by kind. */
export const readers: readonly FuzzReader[] = [json, template, toolParsers];

export function findReader(name: string): FuzzReader {
  const reader = readers.find((candidate) => candidate.name === name);
  if (!reader) throw new Error(`there is no reader ${name}`);
  return reader;
}
