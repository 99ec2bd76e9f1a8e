import { shown } from "../../host/util/shown.js";
import { formatErrors } from "../errors.js";
import type { HeadKind, ModelConfig } from "../model.js";
import { parseModelConfig } from "../model-config.js";
import { GGUF_ARCHITECTURES, type GgufArchitecture } from "./architectures.js";
import type { GgufFile } from "./gguf-file.js";
import { GgufMetadata } from "./gguf-metadata.js";
import type { GgufValue } from "./header.js";

export interface GgufModelConfig {
  readonly config: ModelConfig;
  readonly architecture: GgufArchitecture;
}

/** The architecture that the metadata describe. */
export async function readGgufConfig(file: GgufFile, head?: HeadKind): Promise<GgufModelConfig> {
  const where = file.path;
  const name = file.metadata.get("general.architecture");
  const architecture = typeof name === "string" ? GGUF_ARCHITECTURES.get(name) : undefined;
  if (!architecture) {
    throw formatErrors.VERL_FORMATS_MODEL_UNSUPPORTED({
      what: `this model has the architecture ${shown(name ?? null)}, which is not supported`,
      where,
      why: `supported: ${[...GGUF_ARCHITECTURES.keys()].join(", ")}`,
    });
  }
  const metadata = new GgufMetadata(name as string, file);
  const raw = {
    ...(await architecture.config(metadata)),
    bos_token_id: tokenId(file.metadata, "bos"),
    eos_token_id: ggufEosTokenIds(file.metadata),
    pad_token_id: tokenId(file.metadata, "padding"),
  };
  metadata.refuseUnread();
  return { config: parseModelConfig(withoutUndefined(raw), { where, head }), architecture };
}

/** Ids that end a text or a turn. */
export function ggufEosTokenIds(metadata: ReadonlyMap<string, GgufValue>): number | number[] | null {
  const ids = ["eos", "eot", "eom"].map((name) => tokenId(metadata, name)).filter((id) => id !== null);
  const unique = [...new Set(ids)];
  return unique.length === 0 ? null : unique.length === 1 ? unique[0] : unique;
}

function tokenId(metadata: ReadonlyMap<string, GgufValue>, name: string): number | null {
  const id = metadata.get(`tokenizer.ggml.${name}_token_id`);
  return typeof id === "number" ? id : null;
}

function withoutUndefined(object: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
}
