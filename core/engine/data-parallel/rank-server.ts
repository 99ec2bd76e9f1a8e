import { replayLoss } from "../../algorithms/loss-program.js";
import type { Awaitable } from "../../host/types.js";
import type { EngineBackend } from "../backend.js";
import { engineErrors } from "../errors.js";
import { NumberFile } from "./exchange-file.js";
import type { EngineCreation, RankMethods } from "./rank-calls.js";

interface Served {
  readonly backend: EngineBackend;
  exchange: NumberFile | null;
}

/** The engines of a further rank, in its own process. */
export class RankServer {
  private readonly engines = new Map<number, Served>();

  constructor(private readonly create: (creation: EngineCreation) => Awaitable<EngineBackend>) {}

  readonly methods: RankMethods = {
    create: async ({ engine, creation }) => {
      this.engines.set(engine, { backend: await this.create(creation), exchange: null });
    },
    load: ({ engine }, options) => this.backend(engine).load(options),
    forward: ({ engine, batch, outputs }, options) => this.backend(engine).forward(batch, outputs, options),
    backward: ({ engine, batch, gradients }, options) => this.backend(engine).backward(batch, gradients, options),
    fused: async ({ engine, batch, loss, counts }, options) => {
      const backend = this.backend(engine);
      return backend.fused ? backend.fused(batch, replayLoss(loss), counts, options) : null;
    },
    zeroGrad: ({ engine }) => this.backend(engine).zeroGrad(),
    addAdapter: async ({ engine, name, source }) => this.backend(engine).adapters?.add(name, source),
    useAdapter: async ({ engine, name }) => this.backend(engine).adapters?.use(name),
    removeAdapter: async ({ engine, name }) => this.backend(engine).adapters?.remove(name),
    enableAdapters: async ({ engine, on }) => this.backend(engine).adapters?.enable(on),
    openExchange: async ({ engine, file }) => {
      this.served(engine).exchange = await NumberFile.open(file);
    },
    sendGradients: async ({ engine, start }, options) => {
      const backend = this.backend(engine);
      await this.exchange(engine).write(start, backend.gradients(options));
      await backend.zeroGrad();
    },
    receiveParameters: async ({ engine }, options) => {
      await this.backend(engine).setParameters?.(this.exchange(engine).reader(0), options);
    },
    dispose: ({ engine }) => this.backend(engine).dispose(),
  };

  async dispose(): Promise<void> {
    for (const { backend, exchange } of this.engines.values()) {
      await backend.dispose();
      await exchange?.close();
    }
  }

  private served(engine: number): Served {
    const served = this.engines.get(engine);
    if (served) return served;
    throw engineErrors.VERL_ENGINE_NOT_INITIALIZED({ what: `this rank has no engine ${engine}` });
  }

  private backend(engine: number): EngineBackend {
    return this.served(engine).backend;
  }

  private exchange(engine: number): NumberFile {
    const { exchange } = this.served(engine);
    if (exchange) return exchange;
    throw engineErrors.VERL_ENGINE_NOT_INITIALIZED({ what: `engine ${engine} of this rank has no exchange file` });
  }
}
