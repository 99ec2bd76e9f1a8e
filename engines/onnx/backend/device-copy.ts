import { gradientFeed, gradientFetch } from "../graphs/model-graph.js";
import { allocateTensorData, type DeviceMemory, type OrtRuntime, type OrtTensor } from "../runtime/index.js";
import type { ParameterStore, StoredParameter } from "./parameter-store.js";

/** Gradient sums of one parameter. A device must not write what it reads, so that sums go from one to the other. */
interface Sums {
  fed: OrtTensor<"float32">;
  fetched: OrtTensor<"float32">;
}

/**
 * A store's parameters and gradient sums in a device's memory, where forward and backward passes leave them. The store stays the
 * master: updates, checkpoints and exports work on it. Gradients are collected there once per update, and parameters that have
 * changed there come back before the next run.
 */
export class DeviceCopy {
  private readonly values = new Map<StoredParameter, OrtTensor<"float32">>();
  private readonly sums = new Map<StoredParameter, Sums>();
  /** Parameters whose sums may be other than 0: fresh memory holds anything. */
  private readonly summed = new Set<StoredParameter>();
  private isFresh = true;
  private isStale = true;

  constructor(
    private readonly runtime: OrtRuntime,
    private readonly device: DeviceMemory,
    private readonly store: ParameterStore,
  ) {
    for (const parameter of store.parameters) {
      const { name, shape } = parameter;
      this.values.set(parameter, device.tensor(shape));
      if (!(gradientFetch(name) in store.fetches)) continue;
      this.sums.set(parameter, { fed: device.tensor(shape), fetched: device.tensor(shape) });
      this.summed.add(parameter);
    }
  }

  /** As the store's, in the device's memory; sums change places with every run that writes them. */
  get feeds(): Readonly<Record<string, OrtTensor>> {
    const feeds: Record<string, OrtTensor> = {};
    for (const [{ name }, tensor] of this.values) feeds[name] = tensor;
    for (const [{ name }, { fed }] of this.sums) feeds[gradientFeed(name)] = fed;
    return feeds;
  }

  get fetches(): Readonly<Record<string, OrtTensor>> {
    return Object.fromEntries([...this.sums].map(([{ name }, { fetched }]) => [gradientFetch(name), fetched]));
  }

  /** A run has written sums under these names. */
  wrote(fetched: Iterable<string>): void {
    const names = new Set(fetched);
    for (const [parameter, sums] of this.sums) {
      if (!names.has(gradientFetch(parameter.name))) continue;
      [sums.fed, sums.fetched] = [sums.fetched, sums.fed];
      this.summed.add(parameter);
    }
  }

  /** The store's parameters have changed. */
  valuesChanged(): void {
    this.isStale = true;
  }

  /** Before a run: brings what has changed in the store. */
  async sync(): Promise<void> {
    if (this.isFresh) await this.clear();
    if (!this.isStale) return;
    this.isStale = false;
    for (const [parameter, tensor] of this.values) {
      await this.withHost(parameter.shape, this.store.values(parameter), (host) => this.device.copy(host, tensor));
    }
  }

  /** Adds the device's gradients to the store's, and clears them. */
  async collect(): Promise<void> {
    if (this.isFresh) return;
    const longest = [...this.summed].reduce((n, { length }) => Math.max(n, length), 0);
    const buffer = allocateTensorData("float32", longest);
    for (const parameter of this.summed) {
      const { fed } = this.sums.get(parameter) as Sums;
      const part = buffer.subarray(0, parameter.length);
      await this.withHost(parameter.shape, part, (host) => this.device.copy(fed, host));
      const gradient = this.store.gradients(parameter);
      for (let i = 0; i < part.length; i++) gradient[i] += part[i];
    }
    await this.clear();
  }

  async clear(): Promise<void> {
    for (const parameter of this.summed) await this.device.clear((this.sums.get(parameter) as Sums).fed);
    this.summed.clear();
    this.isFresh = false;
  }

  dispose(): void {
    for (const tensor of this.values.values()) tensor.release();
    for (const { fed, fetched } of this.sums.values()) {
      fed.release();
      fetched.release();
    }
  }

  private async withHost(
    shape: readonly number[],
    data: Float32Array,
    use: (tensor: OrtTensor<"float32">) => Promise<void>,
  ): Promise<void> {
    const tensor = this.runtime.tensor("float32", shape, data);
    try {
      await use(tensor);
    } finally {
      tensor.release();
    }
  }
}
