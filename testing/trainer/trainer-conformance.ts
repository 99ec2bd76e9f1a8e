import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { PassThrough } from "node:stream";
import { composeConfig, validateConfig } from "../../core/config/index.js";
import type { Host, HostOptions } from "../../core/index.js";
import type { Tracker, Trainer } from "../../core/plugin.js";
import type { ConformanceCase } from "../case.js";
import { MemoryTracker } from "../tracking/memory-tracker.js";
import { TOY_BACKENDS, TOY_STEPS, writeToyRun } from "./toy-run.js";

export interface TrainerUnderTest {
  /** `trainer.v1.trainer_mode`. */
  readonly mode: string;
  /** `createHost` of `verl-ts`, which knows what is built in. */
  readonly createHost: (options: Pick<HostOptions, "cwd" | "env" | "plugins" | "logger">) => Promise<Host>;
  /** The plugin that registers the trainer, and whatever it needs. */
  readonly plugins: readonly string[];
  /** Added to those of a run of three steps over a bigram model. */
  readonly overrides?: readonly string[];
}

/** What every trainer must do. Run it with `runConformance`. */
export function trainerConformance(subject: TrainerUnderTest): ConformanceCase[] {
  const { mode, createHost, overrides = [] } = subject;

  const withRun = (name: string, body: (run: Run) => Promise<void>): ConformanceCase => ({
    name,
    async run() {
      const cwd = await mkdtemp(path.join(tmpdir(), "verl-trainer-"));
      const host = await createHost({ cwd, env: {}, plugins: [TOY_BACKENDS, ...subject.plugins], logger: SILENT });
      try {
        const toy = await writeToyRun(cwd);
        const own = [`trainer.v1.trainer_mode=${mode}`, ...overrides];
        const composed = await composeConfig({ files: [], overrides: [...toy, ...own], env: {}, cwd });
        const { config } = await validateConfig(composed, { cwd, forTraining: true });
        const services = await host.services({ device: config.trainer.device });
        const tracker = new MemoryTracker();
        const abort = new AbortController();
        const make = async (trackers: readonly Tracker[] = [tracker]): Promise<Trainer> =>
          services.registries.trainers.require(mode).create({
            config,
            services,
            trackers,
            checkpointCallbacks: [],
            logger: SILENT,
            signal: abort.signal,
            cwd,
            display: {
              outputDir: path.join(cwd, "run"),
              config: {},
              output: new PassThrough().resume(),
              isTTY: false,
              color: false,
              json: false,
            },
          });
        await body({ make, tracker, abort });
      } finally {
        await host.dispose();
        await rm(cwd, { recursive: true, force: true });
      }
    },
  });
  const withTrainer = (name: string, body: (trainer: Trainer, run: Run) => Promise<void>): ConformanceCase =>
    withRun(name, async (run) => {
      const trainer = await run.make();
      try {
        await body(trainer, run);
      } finally {
        await trainer.dispose();
      }
    });

  return [
    withTrainer("goes to the end, and says so", async (trainer) => {
      await trainer.init();
      const { reason, globalStep, metrics, validations } = await trainer.fit();
      assert.deepEqual({ reason, globalStep }, { reason: "completed", globalStep: TOY_STEPS });
      assert.ok(Array.isArray(validations));
      for (const [name, value] of Object.entries(metrics)) assert.equal(typeof value, "number", name);
    }),
    withTrainer(
      "tells trackers of the run, of every step once in order, and of the end",
      async (trainer, { tracker }) => {
        await trainer.init();
        await trainer.fit();
        assert.equal(tracker.runs.length, 1, "started once");
        assert.equal(tracker.begun, 1, "told once to begin, when all had started");
        assert.deepEqual([tracker.runs[0].totalSteps, tracker.runs[0].startStep], [TOY_STEPS, 0]);
        const steps = tracker.steps.map(({ step }) => step).filter((step) => step > 0);
        assert.deepEqual(steps, [1, 2, 3]);
        assert.deepEqual(tracker.outcomes, [{ exitCode: 0 }]);
      },
    ),
    withRun("stops after the step at hand when it is asked to", async ({ make, tracker }) => {
      let trainer: Trainer | null = null;
      const stopping: Tracker = { name: "stopping", start() {}, log: () => trainer?.stop("the suite"), finish() {} };
      trainer = await make([tracker, stopping]);
      try {
        await trainer.init();
        const { reason, globalStep } = await trainer.fit();
        assert.equal(reason, "stopped");
        assert.ok(globalStep >= 1 && globalStep < TOY_STEPS, `after step ${globalStep}`);
        assert.deepEqual(tracker.outcomes, [{ exitCode: 0 }]);
      } finally {
        await trainer.dispose();
      }
    }),
    withRun("gives up when the run is aborted, and trackers hear of it", async ({ make, tracker, abort }) => {
      const reason = new Error("aborted by the suite");
      const aborting: Tracker = { name: "aborting", start() {}, log: () => abort.abort(reason), finish() {} };
      const trainer = await make([tracker, aborting]);
      try {
        await trainer.init();
        await assert.rejects(trainer.fit());
      } finally {
        await trainer.dispose();
      }
      assert.equal(tracker.outcomes.length, 1, "finished once");
      assert.notEqual(tracker.outcomes[0].exitCode, 0);
    }),
    withRun("passes on what a tracker throws", async ({ make }) => {
      const full: Tracker = {
        name: "full",
        start() {},
        log() {
          throw new Error("the disk is full");
        },
        finish() {},
      };
      const trainer = await make([full]);
      try {
        await trainer.init();
        await assert.rejects(trainer.fit(), /disk is full/);
      } finally {
        await trainer.dispose();
      }
    }),
    withTrainer("can be disposed without having been started, and twice", async (trainer) => {
      await trainer.dispose();
    }),
  ];
}

interface Run {
  make(trackers?: readonly Tracker[]): Promise<Trainer>;
  readonly tracker: MemoryTracker;
  readonly abort: AbortController;
}

const SILENT = { debug() {}, info() {}, warn() {}, error() {} };
