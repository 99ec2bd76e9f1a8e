import assert from "node:assert/strict";
import { builtinAgentLoops, builtinToolParsers } from "../../core/agent/index.js";
import { makeConfig } from "../../core/config/index.js";
import {
  type AgentLoopManager,
  type AgentLoopManagerFactory,
  type AgentLoopManagerOptions,
  createNaiveRewardManager,
  type LlmClient,
  type PromptStatus,
  type PromptTask,
  parseKey,
  promptTag,
  type RewardFunction,
  type Row,
  type Tag,
  ToolSet,
  type TransferQueue,
  trajectoryKey,
} from "../../core/plugin.js";
import { InProcessQueue, isTerminal, promptUid } from "../../core/transfer/index.js";
import type { ConformanceCase } from "../case.js";
import { rewardManagerOptions } from "../reward/manager-options.js";
import { ScriptedClient } from "./scripted-client.js";
import { createToyTokenizer } from "./toy-tokenizer.js";

export interface AgentLoopManagerUnderTest {
  readonly factory: AgentLoopManagerFactory;
  /** What the prompts ask; ASCII, for the suite brings a tokenizer of its own. */
  readonly messages?: PromptTask["messages"];
  /** Columns of their rows beside data source and right answer. */
  readonly row?: Row;
  /** What the model answers; ASCII. */
  readonly answer?: string;
  readonly options?: Partial<AgentLoopManagerOptions>;
}

const SESSIONS = 3;
/** A prompt that nobody ends would hold the suite up for ever. */
const LIMIT_MS = 20_000;

/** What every manager of agent loops must do. Run it with `runConformance`. */
export function agentLoopManagerConformance(subject: AgentLoopManagerUnderTest): ConformanceCase[] {
  const { factory, messages = [{ role: "user", content: "6*7=" }], answer = "42" } = subject;
  const tokenizer = createToyTokenizer();
  const answering = () =>
    new ScriptedClient([{ tokenIds: [...tokenizer.encode(answer), 1], minWeightVersion: 3, maxWeightVersion: 4 }]);

  const withRig = (
    name: string,
    parts: { readonly client?: () => LlmClient; readonly score?: RewardFunction },
    body: (rig: Rig) => Promise<void>,
  ): ConformanceCase => ({
    name,
    async run() {
      const queue = new InProcessQueue();
      const rewards = rewardManagerOptions({
        tokenizer,
        customFunction: parts.score ?? (() => 0.5),
        maxConcurrent: 64,
      });
      const manager = await factory.create({
        config: config(),
        client: parts.client?.() ?? answering(),
        tokenizer,
        queue,
        rewardManager: createNaiveRewardManager(rewards),
        findAgentLoop(loop) {
          const found = builtinAgentLoops.find((known) => [known.name, ...(known.aliases ?? [])].includes(loop));
          return found ?? assert.fail(`the suite has no agent loop ${loop}`);
        },
        tools: ToolSet.empty,
        toolParser: builtinToolParsers[0],
        modelType: null,
        logger: { debug() {}, info() {}, warn() {}, error() {} },
        seed: 5,
        ...subject.options,
      });
      try {
        await body(new Rig(manager, queue));
      } finally {
        await manager.cancel(new Error("the case has ended"));
        await manager.dispose?.();
        await queue.close();
      }
    },
  });
  const task = (draw: number, over: Partial<PromptTask> = {}): PromptTask => ({
    uid: promptUid(5, draw),
    draw,
    row: { data_source: "suite", reward_model: { ground_truth: "42" }, ...subject.row },
    messages,
    attempt: 1,
    ...over,
  });

  return [
    withRig("ends every prompt, with a trajectory for each of its sessions", {}, async (rig) => {
      const tasks = [0, 1, 2].map((draw) => task(draw));
      await rig.submit(tasks);
      await rig.drain();
      for (const { uid } of tasks) {
        assert.equal((await rig.tags())[uid].status, "finished", String((await rig.tags())[uid].lastEvent));
        for (let session = 0; session < SESSIONS; session++) {
          assert.ok((await rig.rows())[trajectoryKey(uid, session, 0)], `session ${session} of ${uid} is stored`);
        }
      }
    }),
    withRig(
      "stores tokens, mask and log-probabilities of one length, and the versions of the weights",
      {},
      async (rig) => {
        await rig.submit([task(0)]);
        await rig.drain();
        for (const [key, row] of Object.entries(await rig.rows())) {
          const [ids, mask, logProbs] = [row.responseIds, row.responseMask, row.rolloutLogProbs] as Int32Array[];
          assert.ok(ids.length > 0 && (row.promptIds as Int32Array).length > 0, key);
          assert.deepEqual([mask.length, logProbs.length], [ids.length, ids.length], key);
          assert.ok(mask.every((m) => m === 0 || m === 1) && mask.includes(1), key);
          assert.deepEqual([row.minWeightVersion, row.maxWeightVersion], [3, 4], key);
          const tag = (await rig.tags())[key];
          assert.deepEqual([tag.responseLen, tag.globalSteps, tag.trainable], [ids.length, 7, true], key);
        }
      },
    ),
    withRig("has trajectories scored, or scores them itself", {}, async (rig) => {
      await rig.submit([task(0)]);
      await rig.drain();
      for (const row of Object.values(await rig.rows())) {
        if (factory.scoresItself) assert.equal(typeof row.score, "number");
        else assert.deepEqual([row.score, row.rewardOutcome], [0.5, "scored"]);
      }
    }),
    withRig("keeps training and validation apart, each with its own number of sessions", {}, async (rig) => {
      await rig.submit([task(0, { sessions: 2 })]);
      await rig.submit([task(0)], "val");
      await rig.drain();
      const sessions = async (partition: "train" | "val") => Object.keys(await rig.rows(partition)).map(sessionOf);
      assert.deepEqual(await sessions("train"), [0, 1]);
      assert.deepEqual(await sessions("val"), [0]);
    }),
    withRig(
      "says `failure` of a prompt whose model fails, and goes on with others",
      { client: failingOnce },
      async (rig) => {
        await rig.submit([task(0, { sessions: 1 })]);
        await rig.drain();
        await rig.submit([task(1, { sessions: 1 })]);
        await rig.drain();
        const tags = await rig.tags();
        assert.equal(tags[promptUid(5, 0)].status, "failure");
        assert.equal(tags[promptUid(5, 1)].status, "finished");
      },
    ),
    withRig(
      "ends what is in flight when it is cancelled, and takes prompts after that",
      { client: () => new Stuck() },
      async (rig) => {
        await rig.submit([task(0), task(1)]);
        await inTime(rig.manager.cancel(new Error("stopped by the suite")), "cancel");
        const tags = await rig.tags();
        for (const draw of [0, 1]) assert.equal(tags[promptUid(5, draw)].status, "failure");
        await rig.submit([task(2)]);
        await inTime(rig.manager.cancel(new Error("stopped by the suite")), "the second cancel");
      },
    ),
    withRig("ends prompts whose caller aborts", { client: () => new Stuck() }, async (rig) => {
      const controller = new AbortController();
      await rig.submit([task(0)], "train", controller.signal);
      controller.abort(new Error("stopped by the suite"));
      await rig.ended([promptUid(5, 0)]);
      assert.equal((await rig.tags())[promptUid(5, 0)].status, "failure");
    }),
    withRig("writes nothing of a prompt after its end", {}, async (rig) => {
      await rig.submit([task(0)]);
      await rig.drain();
      const revision = rig.queue.revision();
      await new Promise((resolve) => setTimeout(resolve, 20));
      assert.equal(rig.queue.revision(), revision);
    }),
  ];

  /** The first request fails. */
  function failingOnce(): LlmClient {
    const client = answering();
    let failed = false;
    return {
      async generate(request, options) {
        if (failed) return client.generate(request, options);
        failed = true;
        throw new Error("the server fell over");
      },
    };
  }
}

const config = () =>
  makeConfig({
    data: { max_prompt_length: 256, max_response_length: 64 },
    actor_rollout_ref: { rollout: { n: SESSIONS, val_kwargs: { n: 1 } } },
    trainer: { sample_deadline_s: LIMIT_MS / 1000 },
  });

/** A manager on a queue. */
class Rig {
  constructor(
    readonly manager: AgentLoopManager,
    readonly queue: TransferQueue,
  ) {}

  async submit(
    tasks: readonly PromptTask[],
    partition: "train" | "val" = "train",
    signal?: AbortSignal,
  ): Promise<void> {
    const globalStep = 7;
    const entries = tasks.map(({ uid, draw, attempt }) => ({
      key: uid,
      tag: promptTag({ globalSteps: globalStep, draw, attempt }),
    }));
    await this.queue.putBatch(partition, entries);
    await this.manager.submit(tasks, { partition, globalStep, ...(signal ? { signal } : {}) });
  }

  drain(): Promise<void> {
    return inTime(this.manager.drain(), "drain");
  }

  /** Resolves when these prompts have ended. */
  async ended(uids: readonly string[]): Promise<void> {
    for (;;) {
      const revision = this.queue.revision();
      const tags = await this.tags();
      if (uids.every((uid) => isTerminal(tags[uid].status as PromptStatus))) return;
      await inTime(this.queue.changed(revision), "the end of the prompts");
    }
  }

  async tags(partition = "train"): Promise<Record<string, Tag>> {
    return Object.fromEntries((await this.queue.list(partition)).map(({ key, tag }) => [key, tag]));
  }

  async rows(partition = "train"): Promise<Record<string, Row>> {
    const keys = Object.keys(await this.tags(partition)).filter((key) => parseKey(key).kind === "trajectory");
    const rows = await this.queue.get(partition, keys);
    return Object.fromEntries(keys.map((key, i) => [key, rows[i]]));
  }
}

/** Never answers; ends with its caller. */
class Stuck implements LlmClient {
  generate: LlmClient["generate"] = (_, options) =>
    new Promise((_, reject) => {
      const { signal } = options ?? {};
      if (signal?.aborted) reject(signal.reason);
      signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
    });
}

function sessionOf(key: string): number {
  const parsed = parseKey(key);
  return parsed.kind === "trajectory" ? parsed.session : assert.fail(`${key} is no trajectory`);
}

async function inTime<T>(work: Promise<T>, what: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} did not come within ${LIMIT_MS / 1000} s`)), LIMIT_MS);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
