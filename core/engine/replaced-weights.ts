import type { EngineBackend } from "./backend.js";
import { onEveryRank } from "./data-parallel/every-rank.js";
import type { AdapterChanges, AdapterSet } from "./engine.js";
import { engineErrors } from "./errors.js";
import type { EngineRanks } from "./forward-backward.js";

export interface ReplacedWeightsContext {
  readonly backend: EngineBackend;
  readonly ranks: EngineRanks;
  /** Runs a task of a loaded engine after those before it; does nothing once the engine is disposed. */
  run(task: () => Promise<void>): Promise<void>;
  /** Gives the other ranks the parameters of the first. */
  broadcast(): Promise<void>;
}

/** Scopes in which an engine computes with other weights than those that it trains, and its adapters. */
export class ReplacedWeights {
  private readonly withoutAdapter: NestedChange;
  private readonly averaged: NestedChange;

  constructor(private readonly context: ReplacedWeightsContext) {
    const { backend, run, broadcast } = context;
    const enable = (on: boolean) => run(() => this.everywhere((adapters) => adapters.enable(on)));
    const swap = () =>
      run(async () => {
        await backend.swapAverage?.();
        await broadcast();
      });
    this.withoutAdapter = new NestedChange(
      () => enable(false),
      () => enable(true),
    );
    this.averaged = new NestedChange(swap, swap);
  }

  disableAdapter(): Promise<AsyncDisposable> {
    return this.withoutAdapter.enter();
  }

  average(): Promise<AsyncDisposable> {
    return this.averaged.enter();
  }

  /** Training what is not computed with, or saving what is not trained, is nobody's wish. */
  needOwn(call: string): void {
    const why = this.averaged.isActive
      ? "its weights are replaced by their average"
      : this.withoutAdapter.isActive && "its adapter is off";
    if (why) throw engineErrors.VERL_ENGINE_WEIGHTS_REPLACED({ what: `${call} was called on an engine while ${why}` });
  }

  /** The backend's adapters, changed on every rank, and only while their own weights are in place. */
  get adapters(): AdapterSet | undefined {
    const { backend, run, broadcast } = this.context;
    const { adapters } = backend;
    if (!adapters) return undefined;
    const change = async (call: string, task: () => Promise<void>) => {
      this.needOwn(call);
      await run(task);
    };
    return {
      get names() {
        return adapters.names;
      },
      get active() {
        return adapters.active;
      },
      add: (name, source) => change("adapters.add", () => this.everywhere((each) => each.add(name, source))),
      use: (name) =>
        change("adapters.use", async () => {
          await this.everywhere((each) => each.use(name));
          await broadcast();
        }),
      remove: (name) => change("adapters.remove", () => this.everywhere((each) => each.remove(name))),
      save: (name, dir, options) => change("adapters.save", () => adapters.save(name, dir, options)),
    };
  }

  /** After a checkpoint was loaded by the first rank: the others follow. */
  async afterRestore(): Promise<void> {
    const { backend, ranks, broadcast } = this.context;
    const active = backend.adapters?.active;
    if (active !== undefined && ranks.length > 1) await this.everywhere((each) => each.use(active));
    await broadcast();
  }

  private async everywhere(change: (adapters: AdapterChanges) => Promise<void>): Promise<void> {
    const { backend, ranks } = this.context;
    if (!backend.adapters) return;
    await onEveryRank(ranks, undefined, async ({ adapters }) => adapters && change(adapters));
  }
}

/** The first scope makes the change, the last to close takes it back. */
class NestedChange {
  private scopes = 0;

  constructor(
    private readonly make: () => Promise<void>,
    private readonly takeBack: () => Promise<void>,
  ) {}

  get isActive(): boolean {
    return this.scopes > 0;
  }

  async enter(): Promise<AsyncDisposable> {
    if (this.scopes++ === 0) await this.make();
    let isOpen = true;
    return {
      [Symbol.asyncDispose]: async () => {
        if (!isOpen) return;
        isOpen = false;
        if (--this.scopes === 0) await this.takeBack();
      },
    };
  }
}
