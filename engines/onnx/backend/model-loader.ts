import {
  type HeadKind,
  type ModelConfig,
  openModel,
  type ParameterSpec,
  parameterSpecs,
  parseModelConfig,
  type TokenizerFiles,
} from "../../../core/formats/index.js";
import type { CallOptions, EngineOptions } from "../../../core/plugin.js";
import { HEADS } from "../heads.js";
import { fillInitialWeights } from "../models/initial-weights.js";
import type { OnnxEngineKwargs } from "../options.js";
import { refuseMissingHead } from "../planned-model.js";
import type { ParameterStore, StoredParameter } from "./parameter-store.js";

/** Where an engine's model comes from: files, or a configuration with random weights. */
export interface LoadedModel {
  readonly config: ModelConfig;
  fill(store: ParameterStore, options?: CallOptions): Promise<void>;
  tokenizerFiles(): Promise<TokenizerFiles | null>;
}

type ReadingOptions = Pick<OnnxEngineKwargs, "newHead" | "allowNonFinite">;

export async function loadModel(options: EngineOptions, kwargs: ReadingOptions): Promise<LoadedModel> {
  const { model: source, modelType = "language_model" } = options;
  const head = HEADS[modelType];
  if ("path" in source) return loadFiles(source.path, head, options, kwargs);
  const config = parseModelConfig(source.config, { head });
  const specs = parameterSpecs(config);
  return {
    config,
    async fill(store) {
      for (const spec of specs)
        fillInitialWeights(config, source.initSeed, spec, valuesOf(store, spec), kwargs.newHead);
    },
    tokenizerFiles: async () => null,
  };
}

async function loadFiles(
  path: string,
  head: HeadKind,
  { seed, optimizer }: EngineOptions,
  { newHead, allowNonFinite }: ReadingOptions,
): Promise<LoadedModel> {
  const first = await openModel(path, { head });
  const { config } = first;
  const stored = new Set(first.tensors.map(({ name }) => name));
  await first.close();
  const specs = parameterSpecs(config);
  if (optimizer === null) refuseMissingHead(config, stored, path);
  return {
    config,
    async fill(store, options = {}) {
      const model = await openModel(path, { head, allowNonFinite });
      try {
        for (const spec of specs) {
          options.signal?.throwIfAborted();
          const values = valuesOf(store, spec);
          if (stored.has(spec.name)) await model.readTensor(spec.name, values);
          else fillInitialWeights(config, seed, spec, values, newHead);
        }
      } finally {
        await model.close();
      }
    },
    async tokenizerFiles() {
      const model = await openModel(path, { head });
      try {
        return await model.tokenizerFiles();
      } finally {
        await model.close();
      }
    },
  };
}

function valuesOf(store: ParameterStore, { name }: ParameterSpec): Float32Array {
  return store.values(store.find(name) as StoredParameter);
}
