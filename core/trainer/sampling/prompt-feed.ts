import type { AgentLoopManager, PromptTask } from "../../agent/agent-loop.js";
import type { PromptLoader, RowOutcome } from "../../data/index.js";
import type { DataItem, Dataset } from "../../data/rows/dataset.js";
import { promptTag, promptUid, type TransferQueue } from "../../transfer/index.js";

/** Registers prompts in the queue and hands them to the agent loops. */
export interface PromptFeed {
  /** The next `count` training prompts. */
  submitTrain(count: number, globalStep: number, signal: AbortSignal): Promise<void>;
  /** Sessions that a training prompt of the current step was handed out with; 0 for one that is not known. */
  sessionsOf(uid: string): number;
  /** Notes the scores of prompts of the current step that have ended. */
  ended(groups: readonly { readonly uid: string; readonly scores: RowOutcome["scores"] }[]): void;
  /** Tells the sampler of the training rows what was noted since the last call. */
  tellSampler(): void;
  /**
   * One greedy session for each of these prompts of the current step, in the partition that is not trained on; returns the
   * prompt behind each new uid.
   */
  submitBaselines(
    uids: readonly string[],
    globalStep: number,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, string>>;
  /** Validation rows `from` to `to` (exclusive); returns their uids in order. */
  submitValidation(
    dataset: Dataset,
    from: number,
    to: number,
    globalStep: number,
    signal: AbortSignal,
  ): Promise<string[]>;
}

export function promptFeed(options: {
  readonly queue: TransferQueue;
  readonly manager: AgentLoopManager;
  /** Null where only validation prompts are fed. */
  readonly loader: PromptLoader | null;
  /** Run seed: uids come from (seed, draw). */
  readonly seed: number;
  /** `rollout.n`: sessions of a training row that does not name its own number. */
  readonly sessions: number;
}): PromptFeed {
  const { queue, manager, loader, seed } = options;
  const issued = { step: -1, tasks: new Map<string, PromptTask>(), rows: new Map<string, number>() };
  const outcomes = new Map<string, RowOutcome & { readonly draw: number }>();

  async function submit(tasks: PromptTask[], partition: "train" | "val", globalStep: number, signal: AbortSignal) {
    await queue.putBatch(
      partition,
      tasks.map(({ uid, draw, attempt }) => ({
        key: uid,
        tag: promptTag({ globalSteps: globalStep, draw, attempt }),
      })),
    );
    await manager.submit(tasks, { partition, globalStep, signal });
  }

  return {
    async submitTrain(count, globalStep, signal) {
      if (!loader) throw new TypeError("this feed has no training data");
      if (issued.step !== globalStep) {
        issued.tasks.clear();
        issued.rows.clear();
      }
      issued.step = globalStep;
      const tasks = Array.from({ length: count }, () => {
        const { item, draw, index } = loader.next();
        const uid = promptUid(seed, draw);
        issued.rows.set(uid, index);
        return promptTask(uid, draw, item);
      });
      for (const issuedTask of tasks) issued.tasks.set(issuedTask.uid, issuedTask);
      await submit(tasks, "train", globalStep, signal);
    },
    sessionsOf(uid) {
      const row = issued.tasks.get(uid)?.row;
      return row ? (typeof row.__rollout_n__ === "number" ? row.__rollout_n__ : options.sessions) : 0;
    },
    ended(groups) {
      for (const { uid, scores } of groups) {
        const [index, task] = [issued.rows.get(uid), issued.tasks.get(uid)];
        if (index !== undefined && task) outcomes.set(uid, { index, scores, draw: task.draw });
      }
    },
    tellSampler() {
      const told = [...outcomes.values()].sort((a, b) => a.draw - b.draw);
      outcomes.clear();
      if (told.length > 0) loader?.update(told.map(({ index, scores }) => ({ index, scores })));
    },
    async submitBaselines(uids, globalStep, signal) {
      const tasks = uids.map((uid): PromptTask => {
        const known = issued.tasks.get(uid);
        if (!known) throw new TypeError(`the prompt ${uid} was not handed out in this step`);
        return { ...known, uid: promptUid(seed, known.draw, "baseline"), sessions: 1, greedy: true };
      });
      await submit(tasks, "val", globalStep, signal);
      return new Map(tasks.map((baseline, i) => [baseline.uid, uids[i]]));
    },
    async submitValidation(dataset, from, to, globalStep, signal) {
      // The row number stands for the draw: every validation repeats the same draws, so scores differ by the weights alone.
      const tasks = Array.from({ length: to - from }, (_, i) =>
        promptTask(promptUid(seed, from + i, "val"), from + i, dataset.at(from + i)),
      );
      await submit(tasks, "val", globalStep, signal);
      return tasks.map((t) => t.uid);
    },
  };
}

/** A row as it is handed to the agent loops. */
export function promptTask(uid: string, draw: number, item: DataItem): PromptTask {
  return { uid, draw, row: { ...item.row, origin: item.origin }, messages: item.messages, attempt: 0 };
}
