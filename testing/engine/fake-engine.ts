import { composeEngine } from "../../core/engine/index.js";
import type {
  BaseEngine,
  DataParallelTopology,
  EngineBackend,
  EngineFactory,
  EngineOptions,
  OptimizerConfig,
  PlanFinding,
} from "../../core/plugin.js";
import { PICTURE_MODEL } from "../data/fake-processor.js";
import { bigramModel, type TableModel, valueTableModel } from "./bigram-model.js";
import { pictureModel } from "./picture-model.js";
import { TableBackend, type TableBackendOptions } from "./table-backend.js";

export interface FakeEngineOptions extends Partial<TableBackendOptions> {
  /** A bigram language model (default), or a critic with a value per previous token. */
  readonly modelType?: "language_model" | "value_model";
  /** A language model that sees pictures, prepared by the fake processor. */
  readonly pictures?: boolean;
  readonly optimizer?: OptimizerConfig | null;
  readonly topology?: DataParallelTopology;
}

/** AdamW at a constant rate, with clipping at norm 1. */
export const FAKE_OPTIMIZER: OptimizerConfig = {
  name: "adamw",
  lr: 0.05,
  betas: [0.9, 0.999],
  eps: 1e-8,
  weightDecay: 0,
  clipGrad: 1,
  schedule: { type: "constant", warmupSteps: 0, totalSteps: 0, minLrRatio: 0, numCycles: 0.5 },
};

/**
 * A real engine over a table model: it learns, its gradients are exact, and it needs no dependency. Its language model
 * exports `bigram.weight` [V, V], which the fake rollout loads.
 */
export function createFakeEngine(options: FakeEngineOptions = {}): BaseEngine {
  return composeEngine(createFakeBackend(options), {
    optimizer: options.optimizer === undefined ? FAKE_OPTIMIZER : options.optimizer,
    topology: options.topology ?? { rank: 0, size: 1, isOutputSource: true },
  });
}

/** The backend of {@link createFakeEngine}. */
export function createFakeBackend(options: Omit<FakeEngineOptions, "optimizer" | "topology"> = {}): EngineBackend {
  const { vocabSize = 16, seed = 0, maxPositions = 4096, onCall } = options;
  return new TableBackend(modelOf(options, vocabSize), { vocabSize, seed, maxPositions, onCall });
}

function modelOf({ modelType, pictures = false }: FakeEngineOptions, vocabSize: number): TableModel {
  if (modelType === "value_model") return valueTableModel(vocabSize);
  return pictures ? pictureModel(vocabSize) : bigramModel(vocabSize);
}

/**
 * Register under the backend `fake`. `model.config.vocab_size` gives the size of the table, and `model_type: fake_pictures` a
 * language model that sees pictures; a language model and a critic register separately.
 */
export function fakeEngineFactory(modelType: "language_model" | "value_model" = "language_model"): EngineFactory {
  const optionsOf = ({ model, seed }: EngineOptions) => {
    const config = "config" in model ? model.config : {};
    const [vocab, positions] = [config.vocab_size, config.max_position_embeddings];
    return {
      modelType,
      pictures: config.model_type === PICTURE_MODEL,
      seed: "initSeed" in model ? model.initSeed : seed,
      vocabSize: typeof vocab === "number" ? vocab : undefined,
      maxPositions: typeof positions === "number" ? positions : undefined,
    };
  };
  return {
    modelTypes: [modelType],
    backends: ["fake"],
    devices: ["cpu"],
    vendors: null,
    check(options) {
      const backend = createFakeBackend(optionsOf(options));
      const { vocabSize, maxPositions } = backend.modelInfo();
      return { capabilities: backend.capabilities, model: { vocabSize, maxPositions }, findings: findingsOf(options) };
    },
    async create(options) {
      const { optimizer, topology } = options;
      return createFakeEngine({ ...optionsOf(options), optimizer, topology });
    },
    createBackend: (options) => createFakeBackend(optionsOf(options)),
  };
}

/** A table has no files and knows one optimizer. */
function findingsOf({ model, optimizer }: EngineOptions): PlanFinding[] {
  const problem = (option: string, what: string): PlanFinding => ({ level: "problem", option, what });
  return [
    ...("path" in model ? [problem("model", "the table engine reads no files: give it a configuration")] : []),
    ...(optimizer && optimizer.name !== "adamw"
      ? [problem("optimizer.name", `the table engine has AdamW alone, not ${optimizer.name}`)]
      : []),
  ];
}
