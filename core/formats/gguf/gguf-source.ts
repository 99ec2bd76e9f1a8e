import { formatErrors } from "../errors.js";
import type { ModelConfig, ModelSource, OpenModelOptions, TokenizerFiles } from "../model.js";
import { requireFinite } from "../non-finite.js";
import { isNewHead, parameterSpecs } from "../param-names.js";
import { type GgufModelConfig, readGgufConfig } from "./gguf-config.js";
import { dequantiserOf, GgufFile, type GgufTensor } from "./gguf-file.js";
import { type StoredParameter, storedParameters } from "./gguf-names.js";
import { ggufTokenizerFiles } from "./gguf-tokenizer.js";
import { restoreRotaryRows, transpose } from "./tensor-layout.js";

/** Open a GGUF model. Quantised tensors are expanded to float32 when they are read. */
export async function openGguf(path: string, { head, allowNonFinite }: OpenModelOptions): Promise<ModelSource> {
  const file = await GgufFile.open(path);
  try {
    return new GgufSource(file, await readGgufConfig(file, head), allowNonFinite === true);
  } catch (error) {
    await file.close();
    throw error;
  }
}

interface Entry {
  readonly stored: StoredParameter;
  readonly tensor: GgufTensor;
  readonly shape: readonly number[];
}

class GgufSource implements ModelSource {
  readonly format = "gguf";
  readonly path: string;
  readonly config: ModelConfig;
  readonly tensors: ModelSource["tensors"];
  private readonly isInterleaved: boolean;
  private readonly entries: ReadonlyMap<string, Entry>;

  constructor(
    private readonly file: GgufFile,
    { config, architecture }: GgufModelConfig,
    private readonly allowNonFinite: boolean,
  ) {
    this.path = file.path;
    this.config = config;
    this.isInterleaved = architecture.isInterleaved;
    const parameters = parameterSpecs(config).filter((parameter) => !isNewHead(config, parameter));
    const stored = storedParameters(config, parameters);
    this.tensors = parameters;
    this.entries = new Map(
      parameters.map(({ name, shape }, i) => [name, { stored: stored[i], tensor: this.find(stored[i], name), shape }]),
    );
    this.refuseUnread(new Set(stored.map(({ name }) => name)));
  }

  async readTensor(name: string, into?: Float32Array) {
    const entry = this.entries.get(name);
    if (!entry) {
      throw formatErrors.VERL_FORMATS_TENSOR_MISSING({ what: `there is no tensor "${name}"`, where: this.path });
    }
    const { stored, tensor, shape } = entry;
    const count = shape.reduce((product, size) => product * size, 1);
    if (into !== undefined && into.length !== count) {
      throw formatErrors.VERL_FORMATS_TENSOR_SHAPE({
        what: `tensor "${stored.name}" has ${count} elements, but the buffer for it has ${into.length}`,
        where: this.path,
      });
    }
    const data = into ?? new Float32Array(count);
    await this.file.read(tensor, data);
    if (!this.allowNonFinite) requireFinite(stored.name, data, this.path);
    this.restore(data, stored);
    return { name, dtype: "f32" as const, shape, data };
  }

  async tokenizerFiles(): Promise<TokenizerFiles | null> {
    return ggufTokenizerFiles(this.file.metadata, this.path);
  }

  close(): Promise<void> {
    return this.file.close();
  }

  /** Undo what converters do to a tensor, in place. */
  private restore(data: Float32Array, { role, shape, isTransposed, rotaryHeads }: StoredParameter): void {
    if (isTransposed) transpose(data, shape[0]);
    if (rotaryHeads !== null && this.isInterleaved) restoreRotaryRows(data, rotaryHeads, shape[1] ?? 1);
    // Gemma's norms multiply by 1 + w; the file has the factor.
    if (role === "norm" && this.config.norm.kind === "rmsPlusOne") for (let i = 0; i < data.length; i++) data[i] -= 1;
  }

  private find({ name: stored, shape }: StoredParameter, name: string): GgufTensor {
    const tensor = this.file.tensors.get(stored);
    if (!tensor) {
      throw formatErrors.VERL_FORMATS_TENSOR_MISSING({
        what: `there is no tensor "${stored}" (${name})`,
        where: this.path,
      });
    }
    if (tensor.shape.join() !== shape.join()) {
      throw formatErrors.VERL_FORMATS_TENSOR_SHAPE({
        what: `tensor "${stored}" has shape [${tensor.shape.join(", ")}], but the metadata ask for [${shape.join(", ")}]`,
        where: this.path,
      });
    }
    dequantiserOf(tensor);
    return tensor;
  }

  /** A tensor that the architecture has not is a feature that would be missing. */
  private refuseUnread(read: ReadonlySet<string>): void {
    const [unread] = unreadTensors(this.config, this.file, read);
    if (unread === undefined) return;
    throw formatErrors.VERL_FORMATS_MODEL_UNSUPPORTED({
      what: `this model has a tensor "${unread}", which the family "${this.config.modelType}" has not`,
      where: this.path,
    });
  }
}

/** Tensors that are neither read nor known to do no harm. */
export function unreadTensors(
  { head }: ModelConfig,
  { tensors }: Pick<GgufFile, "tensors">,
  read: ReadonlySet<string>,
): string[] {
  const otherHead = head === "languageModel" ? /^cls\./ : /^(cls|output)\./;
  return [...tensors.keys()].filter((name) => !read.has(name) && !ROTARY_FACTORS.has(name) && !otherHead.test(name));
}

/** Read with the metadata. */
const ROTARY_FACTORS = new Set(["rope_freqs.weight", "rope_factors_long.weight", "rope_factors_short.weight"]);
