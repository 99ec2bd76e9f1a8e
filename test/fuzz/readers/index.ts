import type { FuzzReader } from "../fuzz-reader.js";
import { adapter } from "./adapter.js";
import { checkpoint } from "./checkpoint.js";
import { config } from "./config.js";
import { dashboard } from "./dashboard.js";
import { fusion } from "./fusion.js";
import { gguf } from "./gguf.js";
import { hfFolder } from "./hf-folder.js";
import { hub } from "./hub.js";
import { json } from "./json.js";
import { judge } from "./judge.js";
import { loopList } from "./loop-list.js";
import { mcpServers } from "./mcp-servers.js";
import { media } from "./media.js";
import { metrics } from "./metrics.js";
import { modules } from "./modules.js";
import { parquet } from "./parquet.js";
import { plugin } from "./plugin.js";
import { dataset, jsonl, jsonRows } from "./rows.js";
import { runFolder } from "./run-folder.js";
import { safetensors } from "./safetensors.js";
import { sentencepiece } from "./sentencepiece.js";
import { template } from "./template.js";
import { tokenizer } from "./tokenizer.js";
import { toolParsers } from "./tool-parsers.js";
import { toolCalls, toolList } from "./tools.js";
import { traces } from "./traces.js";
import { yaml } from "./yaml.js";

/** Every reader of outside data, by kind. */
export const readers: readonly FuzzReader[] = [
  json,
  template,
  toolParsers,
  yaml,
  config,
  modules,
  plugin,
  loopList,
  toolList,
  toolCalls,
  mcpServers,
  tokenizer,
  sentencepiece,
  safetensors,
  gguf,
  hfFolder,
  hub,
  adapter,
  parquet,
  jsonl,
  jsonRows,
  dataset,
  media,
  checkpoint,
  metrics,
  runFolder,
  traces,
  dashboard,
  fusion,
  judge,
];

export function findReader(name: string): FuzzReader {
  const reader = readers.find((candidate) => candidate.name === name);
  if (!reader) throw new Error(`there is no reader ${name}`);
  return reader;
}
