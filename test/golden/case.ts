/** Golden vector files: their schema, decoded. See README.md beside the vectors. */
export interface Tolerance {
  readonly rtol: number;
  readonly atol: number;
}

export interface Tensor {
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly data: readonly number[];
}

export interface GoldenFile {
  readonly schema: number;
  readonly family: string;
  readonly tol: Tolerance;
  readonly cases: readonly RawCase[];
}

export interface RawCase {
  readonly id: string;
  readonly fn: string;
  readonly params?: Record<string, unknown>;
  readonly inputs?: Record<string, unknown>;
  readonly outputs?: Record<string, unknown>;
  readonly metrics?: Record<string, unknown>;
  readonly grad?: Record<string, unknown>;
  readonly error?: { readonly type: string };
  readonly tol?: Tolerance;
  readonly note?: string;
}

/** What a handler computed for one case. */
export interface Outcome {
  readonly outputs?: Readonly<Record<string, unknown>>;
  readonly metrics?: Readonly<Record<string, unknown>>;
  readonly grad?: Readonly<Record<string, unknown>>;
  /** The right finite value, by output, where the reference gives NaN. */
  readonly insteadOfNaN?: Readonly<Record<string, unknown>>;
  /** Outputs or metrics that the handler compared itself by a rule of the README, with what it found wrong. */
  readonly checked?: Readonly<Record<string, string | null>>;
}

export type Handler = (c: GoldenCase) => Outcome;
/** Handlers by function name. */
export type Family = Readonly<Record<string, Handler>>;

/** One case with its values decoded: tensors have numbers, float32 ones rounded to float32. */
export class GoldenCase {
  readonly id: string;
  readonly fn: string;
  readonly note: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly outputs: Readonly<Record<string, unknown>>;
  readonly metrics: Readonly<Record<string, unknown>>;
  readonly grad: Readonly<Record<string, unknown>>;
  readonly expectsError: boolean;

  constructor(raw: RawCase) {
    this.id = raw.id;
    this.fn = raw.fn;
    this.note = raw.note ?? "";
    const section = (values: Record<string, unknown> = {}) => decode(values) as Record<string, unknown>;
    this.params = section(raw.params);
    this.inputs = section(raw.inputs);
    this.outputs = section(raw.outputs);
    this.metrics = section(raw.metrics);
    this.grad = section(raw.grad);
    this.expectsError = raw.error !== undefined;
  }

  /** Whether the case has a mask, and nothing in it counts. */
  get hasNoValidToken(): boolean {
    const masks = ["response_mask", "loss_mask", "mask"].flatMap((name) => this.optionalData(name) ?? []);
    return masks.length > 0 && masks.every((m) => m === 0);
  }

  /** An input tensor that must be there. */
  tensor(name: string): Tensor {
    const value = this.inputs[name];
    if (!isTensor(value)) throw new Error(`${this.id}: input "${name}" is not a tensor`);
    return value;
  }

  data(name: string): readonly number[] {
    return this.tensor(name).data;
  }

  optionalData(name: string): readonly number[] | undefined {
    return isTensor(this.inputs[name]) ? this.data(name) : undefined;
  }

  /** A parameter, or the fallback where it is absent or null. */
  param<T>(name: string, fallback?: T): T {
    return (this.params[name] ?? fallback) as T;
  }

  input<T>(name: string): T {
    return this.inputs[name] as T;
  }

  /** Labels given as a list or as a tensor of numbers. */
  labels(name: string): readonly (string | number)[] | undefined {
    return this.optionalData(name) ?? (this.inputs[name] as readonly string[] | undefined);
  }
}

export function isTensor(value: unknown): value is Tensor {
  return typeof value === "object" && value !== null && "dtype" in value && "shape" in value && "data" in value;
}

/** Offsets of rows of equal width, the ragged form of a [B, T] tensor. */
export function rowOffsets({ shape: [rows, width] }: Tensor): Int32Array {
  return Int32Array.from({ length: rows + 1 }, (_, b) => b * width);
}

/** A [B, T] tensor as a list of rows. */
export function rowsOf({ shape, data }: Tensor): number[][] {
  const width = shape[shape.length - 1];
  const rows = shape.slice(0, -1).reduce((a, b) => a * b, 1);
  return Array.from({ length: rows }, (_, b) => data.slice(b * width, (b + 1) * width));
}

function decode(value: unknown): unknown {
  if (isTensor(value)) {
    const number = (x: unknown) => Number(x === "Infinity" || x === "-Infinity" || x === "NaN" ? x : x);
    const data = value.data.map(number);
    const count = value.shape.reduce((product, size) => product * size, 1);
    if (data.length !== count)
      throw new Error(`a tensor of shape [${value.shape}] has ${data.length} values, not ${count}`);
    return { ...value, data: value.dtype === "float32" ? data.map(Math.fround) : data };
  }
  if (Array.isArray(value)) return value.map(decode);
  if (value === "NaN" || value === "Infinity" || value === "-Infinity") return Number(value);
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, decode(v)]));
  }
  return value;
}
