import path from "node:path";
import {
  formatDuration,
  formatNumber,
  maskNonFinite,
  type TrajectoryRecord,
  trajectoryLine,
} from "../../core/tracking/index.js";
import { type RecordedSteps, type SampledStep, sampleOnly, trainOnly, writeMedia } from "../../core/trainer/index.js";
import { cliErrors } from "../errors.js";
import { filesAt } from "../inspect/files-at.js";
import { allTrajectories } from "../inspect/select.js";
import { withInterrupts } from "../program/interrupts.js";
import { type CommandIo, printJson, printLine } from "../program/io.js";
import { OutputFile, outputFolder } from "../program/output-file.js";
import { EXIT } from "../program/report-error.js";
import { watchedWork } from "../program/watched-work.js";
import { type ConfigRequest, prepareRun } from "./prepare-run.js";
import { type CommandScope, inRunScope } from "./run-scope.js";

export interface DebugRolloutRequest extends ConfigRequest {
  readonly steps: number;
  /** Folder for `{step}.jsonl`, and for the media that they name; null: nothing is written. */
  readonly output: string | null;
}

/** `verl debug rollout`: steps are sampled and scored as training would; nothing is trained. */
export async function debugRollout(request: DebugRolloutRequest, io: CommandIo): Promise<number> {
  if (request.output !== null) await outputFolder(path.resolve(io.cwd, request.output));
  const run = await prepareRun(request, io, { forTraining: true });
  try {
    const sample = async (scope: CommandScope) => {
      const weights = { checkpoint: null, version: 0, startedAt: new Date() };
      for await (const sampled of sampleOnly(scope, { steps: request.steps, weights })) {
        const { step, records, metrics, seconds } = sampled;
        scope.logger.sum(`step ${step}`);
        const file = request.output === null ? null : await writeStep(path.resolve(io.cwd, request.output), sampled);
        if (request.json) {
          printJson(io, {
            event: "step",
            step,
            trajectories: records.length,
            seconds,
            data: maskNonFinite(metrics),
            file,
          });
          continue;
        }
        const tokens = records.reduce((sum, { mask }) => sum + mask.length, 0);
        const cells = [
          `step ${step}`,
          `${records.length} trajectories in ${formatDuration(seconds)}`,
          `${formatNumber(tokens / seconds)} tok/s`,
          ...cellsOf(metrics, {
            reward: "critic/score/mean",
            length: "response_length/mean",
            "without signal": "training/uniform_groups",
          }),
        ];
        printLine(io.stdout, cells.join("  "));
        if (file) printLine(io.stdout, `  ${file}`);
      }
      return EXIT.ok;
    };
    return await withInterrupts(io, watchedWork(run, request), ({ signal }) => inRunScope(run, io, signal, sample));
  } finally {
    await run.host.dispose();
  }
}

export interface DebugTrainRequest extends ConfigRequest {
  /** Trajectories: a dump, a folder of dumps, or the folder of a run. */
  readonly data: string;
}

/** `verl debug train`: recorded trajectories are trained on; nothing is sampled. */
export async function debugTrain(request: DebugTrainRequest, io: CommandIo): Promise<number> {
  const recorded = await recordedSteps(request.data, io);
  const run = await prepareRun(request, io, { forTraining: true });
  try {
    const train = async (scope: CommandScope) => {
      for await (const { step, trajectories, metrics } of trainOnly(scope, recorded)) {
        scope.logger.sum(`step ${step}`);
        if (request.json) {
          printJson(io, { event: "step", step, trajectories, data: maskNonFinite(metrics) });
          continue;
        }
        const cells = cellsOf(metrics, {
          reward: "critic/rewards/mean",
          loss: "actor/loss",
          "grad norm": "actor/grad_norm",
          entropy: "actor/entropy",
          gap: "training/sampler_gap/max",
          seconds: "timing_s/step",
        });
        printLine(io.stdout, [`step ${step}`, `${trajectories} trajectories`, ...cells].join("  "));
      }
      return EXIT.ok;
    };
    return await withInterrupts(io, watchedWork(run, request), ({ signal }) => inRunScope(run, io, signal, train));
  } finally {
    await run.host.dispose();
  }
}

/** Trajectories of training by their steps, in order. */
async function recordedSteps(place: string, io: CommandIo): Promise<RecordedSteps> {
  const { files } = await filesAt(path.resolve(io.cwd, place));
  const steps = new Map<number, TrajectoryRecord[]>();
  for await (const record of allTrajectories(files, { steps: null, split: "train" })) {
    const own = steps.get(record.step);
    if (own) own.push(record);
    else steps.set(record.step, [record]);
  }
  const folders = [...new Set(files.map(({ file }) => path.dirname(file)))];
  if (steps.size > 0) return { steps: new Map([...steps].sort(([a], [b]) => a - b)), folders };
  throw cliErrors.VERL_CLI_NOTHING_TO_INSPECT({ what: "There is no training trajectory to train on.", where: place });
}

async function writeStep(folder: string, { step, records, media }: SampledStep): Promise<string> {
  const name = path.join(folder, `${step}.jsonl`);
  await outputFolder(folder);
  await writeMedia(folder, records, media);
  const file = await OutputFile.open(name);
  for (const record of records) await file.write(JSON.parse(trajectoryLine(record)));
  await file.complete();
  return name;
}

/** `label value` of the metrics that there are. */
function cellsOf(metrics: Readonly<Record<string, number>>, names: Readonly<Record<string, string>>): string[] {
  return Object.entries(names).flatMap(([label, name]) =>
    name in metrics ? [`${label} ${formatNumber(metrics[name])}`] : [],
  );
}
