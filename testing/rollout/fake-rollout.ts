import {
  composeReplica,
  composeServerAdapter,
  type RolloutFactory,
  type RolloutOptions,
  type ServerAdapterFactory,
  type WeightReceiver,
} from "../../core/rollout/index.js";
import { PICTURE_MODEL } from "../data/fake-processor.js";
import { BigramBackend } from "./bigram-backend.js";

export interface FakeReplicaOptions extends Partial<RolloutOptions> {
  /** Default: `vocab_size` of `model.config`, else 16. */
  readonly vocabSize?: number;
  /** Serves the fake model that sees pictures; default: by `model_type` of `model.config`. */
  readonly pictures?: boolean;
  /** Table [V, V] before the first update; without it the replica waits for weights. */
  readonly table?: Float32Array;
}

/** A complete inference server over a bigram table: fast, exact, and with the life-cycle of a real one. */
export function createFakeReplica(options: FakeReplicaOptions = {}): WeightReceiver {
  const { replicaRank = 0, maxModelLen = 64, responseLength = 16, eosTokenIds = [], createDecoder = null } = options;
  const vocabSize = options.vocabSize ?? vocabSizeOf(options) ?? 16;
  const { media, pictures = configOf(options).model_type === PICTURE_MODEL } = options;
  const serving = { eosTokenIds, createDecoder, pictures, ...(media ? { media } : {}) };
  const backend = new BigramBackend(vocabSize, serving, options.table ?? null);
  return composeReplica(backend, { name: "fake", replicaRank, maxModelLen, responseLength, createDecoder });
}

/** Registers under the rollout name `fake`; `model.config.vocab_size` gives the size of the table. */
export const fakeRolloutFactory: RolloutFactory = {
  name: "fake",
  createReplica: (options) => createFakeReplica(options),
  check(options) {
    const { capabilities } = createFakeReplica(options);
    const vocabSize = vocabSizeOf(options);
    const positions = sizeOf(options, "max_position_embeddings");
    const model = vocabSize && positions ? { vocabSize, maxPositions: positions } : null;
    return { capabilities, model, findings: [] };
  },
};

export const fakeServerAdapterFactory: ServerAdapterFactory = {
  name: "fake",
  createAdapter: ({ replica }) => composeServerAdapter(replica),
};

const vocabSizeOf = (options: FakeReplicaOptions) => sizeOf(options, "vocab_size");

function sizeOf(options: FakeReplicaOptions, key: string): number | undefined {
  const size = configOf(options)[key];
  return typeof size === "number" ? size : undefined;
}

function configOf({ model }: FakeReplicaOptions): Readonly<Record<string, unknown>> {
  return model && "config" in model ? model.config : {};
}
