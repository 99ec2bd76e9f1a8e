import { formatErrors } from "./errors.js";
import type { ModelConfig } from "./model.js";
import { embeddingName, isNewHead, type ParameterSpec, parameterSpecs, weightOf } from "./param-names.js";

export interface MatchedTensors {
  /** Parameters that the files have. */
  readonly tensors: readonly ParameterSpec[];
  /** Their names in the files. */
  readonly stored: ReadonlyMap<string, string>;
}

/** Tensors of a folder by name, as far as a comparison needs them. */
export interface StoredTensors {
  readonly names: readonly string[];
  get(name: string): { readonly shape: readonly number[] } | undefined;
}

/** How the files of a Hugging Face folder and the parameters of an architecture differ. */
export interface ComparedTensors extends MatchedTensors {
  /** Parameters that no file has. */
  readonly missing: readonly string[];
  readonly wrongShapes: readonly {
    readonly name: string;
    readonly shape: readonly number[];
    readonly wanted: readonly number[];
  }[];
  /** Weights of the trunk that the architecture does not have. */
  readonly unexpected: readonly string[];
}

/**
 * Find every parameter of an architecture in the files of a Hugging Face folder. Refuses parameters that are missing or of
 * another shape, and weights of the trunk that the architecture does not have: ignoring them would change the numbers.
 */
export function matchTensors(config: ModelConfig, reader: StoredTensors, path: string): MatchedTensors {
  const { missing, wrongShapes, unexpected, ...matched } = compareTensors(config, reader);
  const [wrong] = wrongShapes;
  if (wrong) {
    throw formatErrors.VERL_FORMATS_TENSOR_SHAPE({
      what: `tensor "${wrong.name}" has shape [${wrong.shape.join(", ")}], but config.json asks for [${wrong.wanted.join(", ")}]`,
      where: path,
    });
  }
  if (missing.length > 0) {
    throw formatErrors.VERL_FORMATS_TENSOR_MISSING({ what: `the files have no ${some(missing)}`, where: path });
  }
  if (unexpected.length > 0) {
    throw formatErrors.VERL_FORMATS_TENSOR_UNEXPECTED({
      what: `the files have ${some(unexpected)}, which the architecture in config.json does not have`,
      where: path,
    });
  }
  return matched;
}

export function compareTensors(config: ModelConfig, reader: StoredTensors): ComparedTensors {
  const stored = new Map<string, string>();
  const missing: string[] = [];
  const wrongShapes: ComparedTensors["wrongShapes"][number][] = [];
  const tensors = parameterSpecs(config).filter((parameter) => {
    const { name, shape: wanted } = parameter;
    const storedName = candidateNames(name, config).find((candidate) => reader.get(candidate));
    if (storedName === undefined) {
      if (!isNewHead(config, parameter)) missing.push(name);
      return false;
    }
    const shape = reader.get(storedName)?.shape ?? [];
    if (shape.join() !== wanted.join()) wrongShapes.push({ name: storedName, shape, wanted });
    stored.set(name, storedName);
    return true;
  });
  return { stored, tensors, missing, wrongShapes, unexpected: unreadNames(config, reader, new Set(stored.values())) };
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
function unreadNames({ names }: ModelConfig, reader: StoredTensors, read: ReadonlySet<string>): string[] {
  const bareLayers = `${names.layers.slice(names.base.length)}.`;
  const isTrunk = (name: string) => name.startsWith(names.base) || name.startsWith(bareLayers);
  return reader.names.filter((name) => isTrunk(name) && !read.has(name) && !BUFFERS.test(name));
}

/** The first names of a list, and how many more. */
export function some(names: readonly string[], kind = "tensor "): string {
  const shown = names.slice(0, 3).map((name) => `"${name}"`);
  const rest = names.length - shown.length;
  return `${kind}${shown.join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
}
