import { formatErrors } from "./errors.js";
import type { ModelConfig } from "./model.js";
import { embeddingName, isNewHead, type ParameterSpec, parameterSpecs, weightOf } from "./param-names.js";
import type { SafetensorsReader } from "./safetensors-reader.js";

export interface MatchedTensors {
  /** Parameters that the files have. */
  readonly tensors: readonly ParameterSpec[];
  /** Their names in the files. */
  readonly stored: ReadonlyMap<string, string>;
}

/**
 * Find every parameter of an architecture in the files of a Hugging Face folder. Refuses parameters that are missing or of
 * another shape, and weights of the trunk that the architecture does not have: ignoring them would change the numbers.
 */
export function matchTensors(config: ModelConfig, reader: SafetensorsReader, path: string): MatchedTensors {
  const stored = new Map<string, string>();
  const missing: string[] = [];
  const tensors = parameterSpecs(config).filter((parameter) => {
    const { name, shape } = parameter;
    const storedName = candidateNames(name, config).find((candidate) => reader.get(candidate));
    if (storedName === undefined) {
      if (!isNewHead(config, parameter)) missing.push(name);
      return false;
    }
    const found = reader.get(storedName)?.shape ?? [];
    if (found.join() !== shape.join()) {
      throw formatErrors.VERL_FORMATS_TENSOR_SHAPE({
        what: `tensor "${storedName}" has shape [${found.join(", ")}], but config.json asks for [${shape.join(", ")}]`,
        where: path,
      });
    }
    stored.set(name, storedName);
    return true;
  });
  if (missing.length > 0) {
    throw formatErrors.VERL_FORMATS_TENSOR_MISSING({ what: `the files have no ${some(missing)}`, where: path });
  }
  refuseUnread(config, reader, new Set(stored.values()), path);
  return { tensors, stored };
}

/** Files of a model without head leave out the prefix, and some writers keep only the head of a tied pair. */
function candidateNames(name: string, config: ModelConfig): string[] {
  const { names, tieWordEmbeddings } = config;
  const candidates = [name];
  if (name.startsWith(names.base)) candidates.push(name.slice(names.base.length));
  if (tieWordEmbeddings && name === embeddingName(config)) candidates.push(weightOf(names.heads.languageModel));
  return candidates;
}

/** Buffers that early versions of `transformers` saved: rotary frequencies, and GPT-2's mask. */
const BUFFERS = /\.rotary_emb\.inv_freq$|\.attn\.(masked_)?bias$/;

/** What lies outside the trunk belongs to a head that is not asked for. */
function refuseUnread(
  { names }: ModelConfig,
  reader: SafetensorsReader,
  read: ReadonlySet<string>,
  path: string,
): void {
  const bareLayers = `${names.layers.slice(names.base.length)}.`;
  const isTrunk = (name: string) => name.startsWith(names.base) || name.startsWith(bareLayers);
  const unread = reader.names.filter((name) => isTrunk(name) && !read.has(name) && !BUFFERS.test(name));
  if (unread.length === 0) return;
  throw formatErrors.VERL_FORMATS_TENSOR_UNEXPECTED({
    what: `the files have ${some(unread)}, which the architecture in config.json does not have`,
    where: path,
  });
}

function some(names: readonly string[]): string {
  const shown = names.slice(0, 3).map((name) => `"${name}"`);
  const rest = names.length - shown.length;
  return `tensor ${shown.join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
}
