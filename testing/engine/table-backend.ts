import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { type AdamWState, adamwStep, createAdamWState, gradNorm } from "../../core/algorithms/index.js";
import { RandomStream } from "../../core/data/index.js";
import type {
  Awaitable,
  CallOptions,
  CheckpointPart,
  EngineBackend,
  EngineCapabilities,
  EngineModelInfo,
  ModelOutputs,
  NamedTensor,
  NumberSource,
  OptimizerConfig,
  OutputName,
  SequenceBatch,
} from "../../core/plugin.js";
import type { TableModel } from "./bigram-model.js";

export interface TableBackendOptions {
  readonly vocabSize: number;
  readonly seed: number;
  readonly maxPositions: number;
  /** Called at the start of every call by name, e.g. `backward`: throw or wait in it to inject a fault. */
  readonly onCall?: (call: string) => Awaitable<void>;
}

/** Trains a table model with true gradients and AdamW, in plain TypeScript: a backend with nothing hidden in it. */
export class TableBackend implements EngineBackend {
  readonly capabilities: EngineCapabilities;
  private parameter = new Float32Array(0);
  private gradient = new Float64Array(0);
  private moments = createAdamWState(0);

  constructor(
    private readonly model: TableModel,
    private readonly options: TableBackendOptions,
  ) {
    this.capabilities = {
      weights: "stream",
      backward: "twoPhase",
      optimizer: "engine",
      outputs: model.outputs,
      devices: ["cpu"],
      dtypes: ["f32"],
      adapters: false,
      multiModal: model.multiModal ?? false,
    };
  }

  async load(options?: CallOptions): Promise<void> {
    await this.enter("load", options);
    const { name, shape } = this.model;
    const size = shape.reduce((n, d) => n * d, 1);
    const random = new RandomStream(this.options.seed, name);
    this.parameter = Float32Array.from({ length: size }, () => 0.5 * random.normal());
    this.gradient = new Float64Array(size);
    this.moments = createAdamWState(size);
  }

  modelInfo(): EngineModelInfo {
    const { vocabSize, maxPositions } = this.options;
    return { modelType: "bigram", vocabSize, maxPositions, parameters: this.parameter.length };
  }

  async forward(batch: SequenceBatch, outputs: readonly OutputName[], options?: CallOptions): Promise<ModelOutputs> {
    await this.enter("forward", options);
    return this.model.forward(this.parameter, batch, outputs);
  }

  async backward(batch: SequenceBatch, gradients: ModelOutputs, options?: CallOptions): Promise<void> {
    await this.enter("backward", options);
    this.model.backward(this.parameter, batch, gradients, this.gradient);
  }

  async zeroGrad(): Promise<void> {
    this.gradient.fill(0);
  }

  async gradNorm(): Promise<number> {
    return gradNorm([this.gradient]);
  }

  async step(
    { lr, gradScale, optimizer }: { lr: number; gradScale: number; optimizer: OptimizerConfig },
    options?: CallOptions,
  ): Promise<void> {
    await this.enter("step", options);
    if (optimizer.name !== "adamw") throw new Error(`the table engine has AdamW alone, not ${optimizer.name}`);
    adamwStep(this.parameter, this.gradient, this.moments, { ...optimizer, lr }, gradScale);
  }

  async *parameters(): AsyncGenerator<NamedTensor> {
    yield this.named(this.parameter);
  }

  async *gradients(): AsyncGenerator<NamedTensor> {
    yield this.named(Float32Array.from(this.gradient));
  }

  async addGradients(next: NumberSource): Promise<void> {
    const other = new Float32Array(this.gradient.length);
    await next(other);
    other.forEach((x, i) => {
      this.gradient[i] += x;
    });
  }

  async setParameters(next: NumberSource): Promise<void> {
    await next(this.parameter);
  }

  async save(dir: string, parts: readonly CheckpointPart[], options?: CallOptions): Promise<void> {
    await this.enter("save", options);
    const write = (file: string, value: unknown) => writeFile(path.join(dir, file), JSON.stringify(value));
    if (parts.includes("model")) await write(MODEL_FILE, [...this.parameter]);
    const { step, m, v } = this.moments;
    if (parts.includes("optimizer")) await write(OPTIMIZER_FILE, { step, m: [...m], v: [...v] });
  }

  async restore(dir: string, parts: readonly CheckpointPart[], options?: CallOptions): Promise<void> {
    await this.enter("restore", options);
    const read = async (file: string) => JSON.parse(await readFile(path.join(dir, file), "utf8"));
    if (parts.includes("model")) this.parameter.set(await read(MODEL_FILE));
    if (parts.includes("optimizer")) {
      const { step, m, v }: { step: number; m: number[]; v: number[] } = await read(OPTIMIZER_FILE);
      this.moments = { step, m: Float64Array.from(m), v: Float64Array.from(v) } satisfies AdamWState;
    }
  }

  async dispose(): Promise<void> {}

  private named(data: Float32Array): NamedTensor {
    const { name, shape } = this.model;
    return { name, dtype: "f32", shape, data };
  }

  private async enter(call: string, options: CallOptions | undefined): Promise<void> {
    options?.signal?.throwIfAborted();
    await this.options.onCall?.(call);
    options?.signal?.throwIfAborted();
  }
}

const MODEL_FILE = "table.json";
const OPTIMIZER_FILE = "table-optimizer.json";
