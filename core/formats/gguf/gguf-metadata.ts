import { shown } from "../../host/util/shown.js";
import { formatErrors } from "../errors.js";
import type { GgufFile } from "./gguf-file.js";

/** What a GGUF file says about its architecture, under keys without the architecture's name. */
export class GgufMetadata {
  private readonly asked = new Set<string>();

  constructor(
    readonly architecture: string,
    private readonly file: GgufFile,
  ) {}

  /** Whatever is there; JSON has no BigInt, and such a value is out of every range anyway. */
  get(key: string): unknown {
    this.asked.add(key);
    const value = this.file.metadata.get(`${this.architecture}.${key}`);
    return typeof value === "bigint" ? Number(value) : value;
  }

  /** A number, or undefined. GGUF keeps 1e-5 as a float32: the decimal that was meant, where there is a short one. */
  number(key: string): number | undefined {
    const value = this.get(key);
    if (value === undefined) return undefined;
    if (typeof value !== "number") throw this.invalid(`${this.architecture}.${key} is not a number`);
    const decimal = Number(value.toPrecision(7));
    return Math.fround(decimal) === value ? decimal : value;
  }

  /** A number that the architecture cannot do without. */
  required(key: string): number {
    const value = this.number(key);
    if (value !== undefined) return value;
    throw this.invalid(`the metadata have no ${this.architecture}.${key}`);
  }

  has(tensor: string): boolean {
    return this.file.tensors.has(tensor);
  }

  /** [rows, columns] of a matrix that must be there. */
  matrixShape(tensor: string): readonly number[] {
    const shape = this.file.tensors.get(tensor)?.shape;
    if (shape?.length === 2) return shape;
    throw formatErrors.VERL_FORMATS_TENSOR_MISSING({
      what: `there is no matrix "${tensor}"`,
      where: this.file.path,
    });
  }

  /** The values of a small tensor, or null where there is none. */
  async values(tensor: string): Promise<number[] | null> {
    const info = this.file.tensors.get(tensor);
    if (!info) return null;
    const count = info.shape.reduce((product, size) => product * size, 1);
    if (count > MAX_VALUES) throw this.invalid(`tensor "${tensor}" has ${count} values`);
    const values = new Float32Array(count);
    await this.file.read(info, values);
    return [...values];
  }

  /** Refuse what would change the numbers and that the architecture has not asked for. */
  refuseUnread(): void {
    for (const [key, off] of Object.entries(GUARDED_KEYS)) {
      const value = this.asked.has(key) ? off : (this.get(key) ?? off);
      if (value !== off) throw this.unsupported(`${this.architecture}.${key} ${shown(value)}`);
    }
  }

  invalid(what: string): Error {
    return formatErrors.VERL_FORMATS_GGUF_INVALID({ what, where: this.file.path });
  }

  unsupported(feature: string, why?: string): Error {
    return formatErrors.VERL_FORMATS_MODEL_UNSUPPORTED({
      what: `this model has ${feature}, which is not supported`,
      where: this.file.path,
      why,
    });
  }
}

/** Far above half a head's width. */
const MAX_VALUES = 65536;

/** Keys of features, with the value that each must have where its architecture does not read it; null: none. */
const GUARDED_KEYS: Readonly<Record<string, unknown>> = {
  attn_logit_softcapping: null,
  "attention.causal": true,
  "attention.clamp_kqv": null,
  "attention.max_alibi_bias": null,
  "attention.scale": null,
  "attention.sliding_window": null,
  "attention.temperature_scale": null,
  embedding_scale: null,
  expert_count: 0,
  final_logit_softcapping: null,
  logit_scale: null,
  residual_scale: null,
  "rope.dimension_sections": null,
};
