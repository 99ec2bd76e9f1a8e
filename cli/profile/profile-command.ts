import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { estimateMemory } from "../../core/trainer/index.js";
import { commandLogger } from "../program/command-logger.js";
import { type Interrupts, withInterrupts } from "../program/interrupts.js";
import { type CommandIo, painter, printJson, printLine } from "../program/io.js";
import { checkOutput } from "../program/output-file.js";
import { EXIT } from "../program/report-error.js";
import { watchedWork } from "../program/watched-work.js";
import { type ConfigRequest, type PreparedRun, prepareRun } from "../runs/prepare-run.js";
import { trainPrepared } from "../runs/train-run.js";
import { writeChromeTrace } from "./chrome-trace.js";
import { operatorTimes } from "./operator-trace.js";
import { ProfileRecorder } from "./recorder.js";
import { profileLines } from "./render-text.js";
import { type ProfileReport, profileReport } from "./report.js";

export interface ProfileRequest extends ConfigRequest {
  /** Steps to measure, after one that warms up. */
  readonly steps: number;
  /** File for a trace in Chrome's format; null: none. */
  readonly trace: string | null;
}

/** Sessions are compiled and memory is touched for the first time in it. */
const WARM_UP = 1;

/** `verl profile`: a few steps of a configuration in a folder of their own, and where their time and memory went. */
export async function runProfile(request: ProfileRequest, io: CommandIo): Promise<number> {
  const trace = request.trace === null ? null : path.resolve(io.cwd, request.trace);
  if (trace !== null) await checkOutput(trace);
  const folder = await mkdtemp(path.join(os.tmpdir(), "verl-profile-"));
  try {
    const run = await prepareRun({ ...request, overrides: [...request.overrides, ...apart(request, folder)] }, io, {
      forTraining: true,
    });
    try {
      return await withInterrupts(io, watchedWork(run, request), async (interrupts) => {
        const { report, recorder } = await measure(run, io, folder, interrupts);
        if (request.json) printJson(io, { ...report, trace });
        else {
          for (const line of profileLines(report, painter(io.color.stdout))) printLine(io.stdout, line);
        }
        // After the result, which is not to be lost with a full disk.
        if (trace !== null) {
          await writeChromeTrace(trace, recorder);
          if (!request.json) printLine(io.stdout, `\n${trace}: open it at https://ui.perfetto.dev`);
        }
        return interrupts.received() > 0 ? EXIT.interrupted : EXIT.ok;
      });
    } finally {
      await run.host.dispose();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function measure(
  run: PreparedRun,
  io: CommandIo,
  folder: string,
  interrupts: Interrupts,
): Promise<{ report: ProfileReport; recorder: ProfileRecorder }> {
  const { config, host } = run;
  const services = await host.services({ device: config.trainer.device });
  const memory = await estimateMemory({ config, cwd: io.cwd, services }, config.trainer.total_training_steps ?? 1);
  const recorder = new ProfileRecorder(folder);
  try {
    await trainPrepared(run, io, { json: true, logger: commandLogger(io, "warn"), profiler: recorder, ...interrupts });
  } finally {
    recorder.stop();
  }
  return { report: profileReport(recorder, await operatorTimes(folder), memory, WARM_UP), recorder };
}

/** A run of so many steps that touches nothing of the real one's. */
function apart({ steps }: ProfileRequest, folder: string): string[] {
  const total = steps + WARM_UP;
  return [
    `trainer.total_training_steps=${total}`,
    // One checkpoint, after the last step.
    `trainer.save_freq=${total}`,
    "trainer.test_freq=-1",
    "trainer.val_before_train=false",
    "trainer.val_only=false",
    "trainer.resume_mode=disable",
    "trainer.logger=[]",
    "trainer.rollout_data_dir=null",
    "trainer.validation_data_dir=null",
    `trainer.default_local_dir=${JSON.stringify(path.join(folder, "run"))}`,
    `trainer.output_dir=${JSON.stringify(path.join(folder, "run"))}`,
  ];
}
