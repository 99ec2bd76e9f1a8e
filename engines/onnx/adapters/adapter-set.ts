import {
  type AdapterSource,
  type LoraShape,
  loraParameterSpecs,
  type ModelConfig,
  openAdapter,
  writeAdapter,
} from "../../../core/formats/index.js";
import type { AdapterConfig, BackendAdapters, CallOptions, NamedTensor } from "../../../core/plugin.js";
import { type ActiveModel, activeModel } from "../backend/active-model.js";
import type { ParameterStore } from "../backend/parameter-store.js";
import { type TrainedParameters, type TrainingContext, trainedParameters } from "../backend/trained-parameters.js";
import { errors } from "../errors.js";
import { loraGraphModel, plainGraphModel } from "../graphs/graph-model.js";
import { describedShape } from "../planned-model.js";
import { refuseBadAdapter, refuseDropout, refuseUselessRank } from "./adapter-check.js";
import { fingerprint } from "./fingerprint.js";
import { fillInitialAdapter } from "./initial-adapter.js";
import { type MergeContext, mergedParameters } from "./merge.js";

export interface AdapterContext extends MergeContext, TrainingContext {
  readonly seed: number;
  /** Where the model came from; null: from a configuration. */
  readonly modelPath: string | null;
}

/** An adapter in memory, with its optimizer. */
export interface Adapter extends TrainedParameters {
  readonly shape: LoraShape;
  readonly model: ActiveModel;
}

/** Name of the adapter that an engine is made with. */
export const DEFAULT_ADAPTER = "default";
const NAMES = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** Adapters of a frozen model: one is computed with and trained, unless all are off. */
export class OnnxAdapters implements BackendAdapters {
  private readonly adapters = new Map<string, Adapter>();
  private readonly without: ActiveModel;
  private chosen = DEFAULT_ADAPTER;
  private isOn = true;

  private constructor(private readonly context: AdapterContext) {
    this.without = activeModel(plainGraphModel(context.config, false), context.base);
  }

  static async create(context: AdapterContext, source: AdapterConfig): Promise<OnnxAdapters> {
    const adapters = new OnnxAdapters(context);
    await adapters.add(DEFAULT_ADAPTER, source);
    return adapters;
  }

  get names(): readonly string[] {
    return [...this.adapters.keys()];
  }

  get active(): string {
    return this.chosen;
  }

  get config(): ModelConfig {
    return this.context.config;
  }

  /** Of the model without adapters. */
  get fingerprint(): string {
    return fingerprint(this.context.base);
  }

  get all(): Iterable<Adapter> {
    return this.adapters.values();
  }

  get current(): Adapter {
    return this.get(this.chosen);
  }

  /** What is computed with. */
  get model(): ActiveModel {
    return this.isOn ? this.current.model : this.without;
  }

  get(name: string): Adapter {
    const adapter = this.adapters.get(name);
    if (adapter) return adapter;
    throw errors.VERL_ONNX_ADAPTER_NAME({
      what: `there is no adapter "${name}"`,
      why: `adapters of this engine: ${this.names.join(", ")}`,
    });
  }

  async add(name: string, source: AdapterConfig): Promise<void> {
    this.checkNewName(name);
    this.adapters.set(name, "path" in source ? await this.read(source.path) : this.create(name, source));
  }

  async use(name: string): Promise<void> {
    this.get(name);
    this.current.optimizer?.zeroGrad();
    await this.current.store.onDevice?.clear();
    this.chosen = name;
  }

  async remove(name: string): Promise<void> {
    const adapter = this.get(name);
    if (name === this.chosen) {
      throw errors.VERL_ONNX_ADAPTER_NAME({ what: `the adapter "${name}" is in use and cannot be removed` });
    }
    this.adapters.delete(name);
    adapter.store.dispose();
  }

  async save(name: string, dir: string, { signal }: CallOptions = {}): Promise<void> {
    const { shape, store } = this.get(name);
    signal?.throwIfAborted();
    const { config, modelPath } = this.context;
    await writeAdapter(dir, { config, shape, tensors: store.namedValues(), base: modelPath });
  }

  async enable(on: boolean): Promise<void> {
    this.isOn = on;
  }

  /** The model's parameters as they are computed with. */
  async *parameters(options?: CallOptions): AsyncGenerator<NamedTensor> {
    if (this.isOn) yield* mergedParameters(this.context, this.current.shape, this.current.store, options);
    else yield* this.context.base.namedValues();
  }

  dispose(): void {
    for (const { store } of this.adapters.values()) store.dispose();
    this.adapters.clear();
  }

  /** Checkpoints name files by it. */
  private checkNewName(name: string): void {
    if (!NAMES.test(name)) {
      throw errors.VERL_ONNX_ADAPTER_NAME({
        what: `${JSON.stringify(name)} cannot be the name of an adapter`,
        why: "names are up to 64 letters, digits, dots, dashes and underscores, beginning with a letter or digit",
      });
    }
    if (this.adapters.has(name)) {
      throw errors.VERL_ONNX_ADAPTER_NAME({ what: `there is an adapter "${name}" already` });
    }
  }

  private create(name: string, source: Exclude<AdapterConfig, { path: string }>): Adapter {
    const { config, base, seed } = this.context;
    refuseBadAdapter(source);
    const shape = describedShape(source, config);
    refuseUselessRank(config, shape);
    const adapter = this.allocate(shape);
    fillInitialAdapter(adapter.store, base, adapter.shape, seed, name);
    adapter.optimizer?.restartAverage();
    return adapter;
  }

  private async read(path: string): Promise<Adapter> {
    const source = await openAdapter(path, this.context.config);
    try {
      if (this.context.optimizer !== null) refuseDropout(source.dropout, path);
      const adapter = this.allocate(source.shape);
      await fillFrom(source, adapter.store);
      adapter.optimizer?.restartAverage();
      return adapter;
    } finally {
      await source.close();
    }
  }

  private allocate(shape: LoraShape): Adapter {
    const { config, base } = this.context;
    const trained = trainedParameters(loraParameterSpecs(config, shape), this.context);
    return { ...trained, shape, model: activeModel(loraGraphModel(config, shape), base, trained.store) };
  }
}

/** Read all tensors of an adapter. */
export async function fillFrom(
  source: AdapterSource,
  store: ParameterStore,
  { signal }: CallOptions = {},
): Promise<void> {
  for (const parameter of store.parameters) {
    signal?.throwIfAborted();
    await source.readTensor(parameter.name, store.values(parameter));
  }
}
