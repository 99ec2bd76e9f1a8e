import type { NamedTensor } from "../../core/data/index.js";
import type {
  GenerateRequest,
  RolloutOptions,
  RolloutReplica,
  SamplingParams,
  ServerAdapter,
} from "../../core/rollout/index.js";

/** What the suite asks of a replica; everything else is the author's choice. */
export type ReplicaDemands = Pick<
  RolloutOptions,
  "replicaRank" | "maxModelLen" | "maxNumSeqs" | "responseLength" | "eosTokenIds" | "createDecoder"
>;

/** How the suite gets at the inference server under test. */
export interface RolloutUnderTest {
  /** At least 8. */
  readonly vocabSize: number;
  /** A fresh replica that is not launched and holds no weights, with its adapter. */
  create(demands: ReplicaDemands): Promise<{ readonly replica: RolloutReplica; readonly adapter: ServerAdapter }>;
  /** A complete set of parameters; different seeds give different models, none of them nearly deterministic. */
  weights(seed: number): AsyncIterable<NamedTensor> | Iterable<NamedTensor>;
}

/** A launched replica with weights, for one case. */
export interface Bench {
  readonly replica: RolloutReplica;
  readonly adapter: ServerAdapter;
  /** Push the parameters of a seed as a version. */
  push(seed: number, version: number): Promise<void>;
}

const DEMANDS: ReplicaDemands = {
  replicaRank: 0,
  maxModelLen: 48,
  maxNumSeqs: 4,
  responseLength: 12,
  eosTokenIds: [],
  createDecoder: () => ({ push: (id) => spell([id]), pending: () => "" }),
};

/** Run `body` on a launched replica that holds the weights of seed 1 as version 1, and dispose of it afterwards. */
export async function withReplica<T>(
  subject: RolloutUnderTest,
  demands: Partial<ReplicaDemands>,
  body: (bench: Bench) => Promise<T>,
  { empty = false } = {},
): Promise<T> {
  const { replica, adapter } = await subject.create({ ...DEMANDS, ...demands });
  const push = (seed: number, version: number) => adapter.updateWeights(stream(subject.weights(seed)), { version });
  try {
    await replica.launch();
    if (!empty) await push(1, 1);
    return await body({ replica, adapter, push });
  } finally {
    await replica.dispose();
  }
}

/** The tokenizer of the suite: token 7 reads `<7>`. */
export function spell(ids: readonly number[]): string {
  return ids.map((id) => `<${id}>`).join("");
}

/** A request that samples at temperature 1 with log-probabilities, unless told otherwise. */
export function ask(
  requestId: string,
  { promptIds = [1, 2, 3], ...sampling }: Partial<SamplingParams> & { promptIds?: readonly number[] } = {},
): GenerateRequest {
  return {
    requestId,
    promptIds,
    seed: 7,
    sampling: { temperature: 1, topP: 1, topK: -1, logProbs: true, ...sampling },
  };
}

/** Requests of different prompts, lengths and sampling parameters. */
export function variedRequests(count: number, vocabSize: number): GenerateRequest[] {
  return Array.from({ length: count }, (_, i) => {
    const promptIds = Array.from({ length: 1 + ((i * 5) % 9) }, (_, j) => (i * 3 + j * j) % vocabSize);
    const truncation = [{}, { topK: 5 }, { topP: 0.8 }, { temperature: 0.6 }][i % 4];
    return ask(`varied-${i}`, { promptIds, maxTokens: 1 + ((i * 7) % 12), ...truncation });
  });
}

export async function* stream(
  tensors: AsyncIterable<NamedTensor> | Iterable<NamedTensor>,
): AsyncGenerator<NamedTensor> {
  yield* tensors;
}

export async function collect(tensors: AsyncIterable<NamedTensor> | Iterable<NamedTensor>): Promise<NamedTensor[]> {
  const all: NamedTensor[] = [];
  for await (const tensor of tensors) all.push({ ...tensor, data: tensor.data.slice() as NamedTensor["data"] });
  return all;
}
