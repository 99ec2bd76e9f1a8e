import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { PassThrough } from "node:stream";
import { BUILTINS } from "../../../../cli/builtins.js";
import type { CommandIo } from "../../../../cli/program/io.js";
import { whatIsRegistered } from "../../../../cli/runs/prepare-run.js";
import { type TrainOutcome, trainPrepared } from "../../../../cli/runs/train-run.js";
import { composeConfig, validateConfig } from "../../../../core/config/index.js";
import { lineLogger } from "../../../../core/host/index.js";
import { createHost } from "../../../../core/index.js";
import { definePlugin, type PluginHost, type VerlError } from "../../../../core/plugin.js";
import type { Trainer } from "../../../../core/trainer/index.js";
import { type MemoryTracker, memoryTrackerFactory } from "../../../../testing/tracking/index.js";
import { fakePlugin } from "./fake-plugin.js";
import { faultyPlugin } from "./faulty-plugin.js";
import { TOY_OVERRIDES, TOY_TASK, type ToyTask, writeToyTask } from "./toy-task.js";

/** What runs the further training processes of toy runs. */
export const RANK_MAIN = new URL("./rank-main.js", import.meta.url);
/** What runs their reward workers. */
export const AGENT_MAIN = new URL("./agent-main.js", import.meta.url);
export const REWARD_MAIN = new URL("./reward-main.js", import.meta.url);

export interface ToyRunOptions {
  /** Over {@link TOY_OVERRIDES}. */
  readonly overrides?: readonly string[];
  /** What a test plugin registers: hooks, agent loops, trackers, … */
  readonly register?: (host: PluginHost) => void;
  readonly onTrainer?: (trainer: Pick<Trainer, "stop">) => void;
  readonly signal?: AbortSignal;
}

export interface ToyOutcome {
  readonly tracker: MemoryTracker;
  /** Lines of the run's logger. */
  readonly log: readonly string[];
  readonly notices: readonly string[];
}

/** A folder with a toy task in which runs take place; real components over a bigram model. */
export class ToyFolder implements AsyncDisposable {
  private constructor(readonly dir: string) {}

  static async create(task: Partial<ToyTask> = {}): Promise<ToyFolder> {
    const dir = await mkdtemp(path.join(tmpdir(), "verl-toy-"));
    await writeToyTask(dir, { ...TOY_TASK, ...task });
    return new ToyFolder(dir);
  }

  at(...parts: string[]): string {
    return path.join(this.dir, ...parts);
  }

  read(...parts: string[]): Promise<string> {
    return readFile(this.at(...parts), "utf8");
  }

  write(file: string, text: string): Promise<void> {
    return writeFile(this.at(file), text);
  }

  remove(file: string): Promise<void> {
    return rm(this.at(file), { force: true });
  }

  /** A run to its end; rejects as `verl train` would. */
  async train(options: ToyRunOptions = {}): Promise<TrainOutcome & ToyOutcome> {
    const { outcome, error } = await this.attempt(options);
    if (error) throw error;
    return outcome as TrainOutcome & ToyOutcome;
  }

  /** A run that must fail; its error, and what was tracked up to then. */
  async fail(options: ToyRunOptions = {}): Promise<ToyOutcome & { readonly error: VerlError }> {
    const { outcome, error } = await this.attempt(options);
    if (!error) throw new Error("the run was expected to fail");
    return { ...outcome, error: error as VerlError };
  }

  private async attempt(
    options: ToyRunOptions,
  ): Promise<{ outcome: ToyOutcome & Partial<TrainOutcome>; error?: unknown }> {
    const memory = memoryTrackerFactory();
    const log: string[] = [];
    const io: CommandIo = {
      stdout: new PassThrough().resume(),
      stderr: new PassThrough().resume(),
      env: {},
      cwd: this.dir,
      color: { stdout: false, stderr: false },
    };
    const overrides = [...TOY_OVERRIDES, "trainer.logger=[memory]", ...(options.overrides ?? [])];
    const composed = await composeConfig({ files: [], overrides, env: {}, cwd: this.dir });
    const host = await createHost({
      cwd: this.dir,
      env: {},
      plugins: composed.plugins,
      builtins: [...BUILTINS, fakePlugin, faultyPlugin, testPlugin(memory, options.register)],
      rankMain: RANK_MAIN,
      agentMain: AGENT_MAIN,
      rewardMain: REWARD_MAIN,
    });
    const notices: string[] = [];
    const result = () => ({
      tracker: memory.created[memory.created.length - 1],
      log,
      notices,
    });
    try {
      const { config, notices: found } = await validateConfig(composed, {
        ...(await whatIsRegistered(host)),
        forTraining: true,
      });
      notices.push(...found.map(({ message }) => message));
      const outcome = await trainPrepared({ composed, config, notices: found, host }, io, {
        json: false,
        logger: lineLogger((line) => log.push(line)),
        signal: options.signal,
        onTrainer: options.onTrainer,
      });
      return { outcome: { ...outcome, ...result() } };
    } catch (error) {
      return { outcome: result(), error };
    } finally {
      await host.dispose();
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return rm(this.dir, { recursive: true, force: true });
  }
}

function testPlugin(memory: ReturnType<typeof memoryTrackerFactory>, register?: (host: PluginHost) => void) {
  return definePlugin({
    name: "test",
    apiVersion: "^1.0.0",
    processes: ["driver"],
    provides: [
      "tracker",
      "hooks",
      "agentLoop",
      "agentLoopManager",
      "rewardManager",
      "advantageEstimator",
      "engine",
      "rollout",
      "serverAdapter",
      "transferQueue",
      "policyLoss",
      "sandbox",
      "tracer",
      "dataset",
      "sampler",
    ],
    register(host) {
      host.trackers.register(memory);
      register?.(host);
    },
  });
}
