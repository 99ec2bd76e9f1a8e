import {
  balanceRanks,
  builtinAdvantageEstimators,
  builtinPolicyLosses,
  evaluateLoss,
} from "../../core/algorithms/index.js";
import { RandomStream } from "../../core/data/index.js";
import type { LossInput } from "../../core/plugin.js";

export interface Work {
  readonly name: "advantages" | "balancing" | "loss";
  readonly what: string;
  /** The result as flat numbers: advantages, rows in the order of their ranks, gradient. */
  run(): ArrayLike<number>;
  /** Commands of the Python counterparts. */
  readonly counterparts: readonly string[];
  /** What those read, by file. */
  readonly data: Readonly<Record<string, NodeJS.ArrayBufferView>>;
  readonly shape: Readonly<Record<string, number>>;
  readonly lengths: Int32Array;
  /** 0 where nothing is balanced. */
  readonly ranks: number;
}

const GROUP = 32;
const RANKS = 64;

/** GRPO over rows of `width` tokens, ragged by their mask, in groups of 32 with outcome rewards. */
function advantages(rows: number, width: number): Work {
  const random = new RandomStream(1, "advantages");
  const [rewards, mask] = [new Float32Array(rows * width), new Float32Array(rows * width)];
  for (let b = 0; b < rows; b++) {
    const length = 1 + random.int(width);
    mask.fill(1, b * width, b * width + length);
    rewards[b * width + length - 1] = random.int(2);
  }
  const grpo = builtinAdvantageEstimators.find(({ name }) => name === "grpo");
  const input = {
    responseOffsets: Int32Array.from({ length: rows + 1 }, (_, b) => b * width),
    responseMask: mask,
    tokenLevelRewards: rewards,
    groupIds: Array.from({ length: rows }, (_, b) => `prompt-${Math.floor(b / GROUP)}`),
  };
  const config = { gamma: 1, lam: 1, normAdvByStd: true, extra: {} };
  return {
    name: "advantages",
    what: `GRPO advantages of ${rows} x ${width} tokens in groups of ${GROUP}`,
    run: () => grpo?.compute(input, config).advantages ?? [],
    counterparts: ["advantages numpy", "advantages torch"],
    data: { rewards, mask },
    shape: { rows, width, groups: rows / GROUP },
    lengths: new Int32Array(0),
    ranks: 0,
  };
}

/** Sequences of log-normal length, as many on each rank. */
function balancing(sequences: number): Work {
  const random = new RandomStream(1, "balancing");
  const lengths = Int32Array.from({ length: sequences }, () => Math.ceil(Math.exp(6 + random.normal())));
  return {
    name: "balancing",
    what: `balancing of ${sequences} sequences over ${RANKS} ranks`,
    run: () => balanceRanks(lengths, RANKS).flat(),
    counterparts: ["balancing numpy", "balancing torch"],
    data: { lengths: BigInt64Array.from(lengths, BigInt) },
    shape: {},
    lengths,
    ranks: RANKS,
  };
}

/** PPO's clipped loss and its gradient, as the two-phase path evaluates it. */
function loss(tokens: number): Work {
  const random = new RandomStream(1, "loss");
  const width = 512;
  const column = (of: () => number) => Float32Array.from({ length: tokens }, of);
  const logProb = column(() => -2 * random.next());
  const old = logProb.map((x) => x + 0.3 * (random.next() - 0.5));
  const advantages = column(() => random.next() - 0.5);
  const lossMask = column(() => (random.next() < 0.9 ? 1 : 0));
  const vanilla = builtinPolicyLosses
    .find(({ name }) => name === "vanilla")
    ?.create({
      clipRatioLow: 0.2,
      clipRatioHigh: 0.2,
      clipRatioC: 3,
      lossAggMode: "token-mean",
      hasRolloutIsWeights: false,
      extra: {},
    });
  const input: LossInput = {
    outputs: { logProb },
    columns: new Map([
      ["oldLogProb", { extent: "token", data: old }],
      ["advantages", { extent: "token", data: advantages }],
    ]),
    responseMask: lossMask,
    responseOffsets: Int32Array.from({ length: tokens / width + 1 }, (_, b) => b * width),
    counts: {
      batchNumTokens: lossMask.reduce((a, b) => a + b, 0),
      globalBatchSize: tokens / width,
      lossScaleFactor: width,
      dpSize: 1,
    },
  };
  return {
    name: "loss",
    what: `PPO loss and gradient of ${tokens} tokens on the host`,
    run: () => (vanilla && evaluateLoss(vanilla, input).gradients.logProb) ?? [],
    counterparts: ["loss torch"],
    data: { logProb, old, advantages, lossMask },
    shape: {},
    lengths: new Int32Array(0),
    ranks: 0,
  };
}

export const WORKLOADS: readonly Work[] = [advantages(2048, 2048), balancing(65_536), loss(2 ** 20)];

/** The workload of that name with so many tokens; a sequence to balance counts as 64. */
export function scaled(name: Work["name"], tokens: number): Work {
  if (name === "advantages") return advantages(tokens / 2048, 2048);
  return name === "balancing" ? balancing(tokens / 64) : loss(tokens);
}
