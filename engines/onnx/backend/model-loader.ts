import { type ModelConfig, openModel, parseModelConfig, type TokenizerFiles } from "../../../core/formats/index.js";
import type { CallOptions, EngineModelSource } from "../../../core/plugin.js";
import { fillInitialWeights } from "../models/initial-weights.js";
import type { ParameterStore } from "./parameter-store.js";

/** Where an engine's model comes from: files, or a configuration with random weights. */
export interface LoadedModel {
  readonly config: ModelConfig;
  fill(store: ParameterStore, options?: CallOptions): Promise<void>;
  tokenizerFiles(): Promise<TokenizerFiles | null>;
}

export async function loadModel(source: EngineModelSource): Promise<LoadedModel> {
  if ("path" in source) return loadFiles(source.path);
  const config = parseModelConfig(source.config);
  return {
    config,
    async fill(store) {
      for (const p of store.parameters) fillInitialWeights(config, source.initSeed, p, store.view("values", p));
    },
    tokenizerFiles: async () => null,
  };
}

async function loadFiles(path: string): Promise<LoadedModel> {
  const first = await openModel(path);
  const { config } = first;
  await first.close();
  return {
    config,
    async fill(store, options = {}) {
      const model = await openModel(path);
      try {
        for (const p of store.parameters) {
          options.signal?.throwIfAborted();
          await model.readTensor(p.name, store.view("values", p));
        }
      } finally {
        await model.close();
      }
    },
    async tokenizerFiles() {
      const model = await openModel(path);
      try {
        return await model.tokenizerFiles();
      } finally {
        await model.close();
      }
    },
  };
}
