import { existsSync, realpathSync } from "node:fs";
import path from "node:path";
import { mediaLabel, type PlacedMedia } from "../../core/data/index.js";
import { CONFIG_FILE, formatNumber, RunFolder, type TrajectoryRecord } from "../../core/tracking/index.js";
import { replayTrajectory } from "../../core/trainer/index.js";
import { cliErrors } from "../errors.js";
import { oneLine, printable } from "../inspect/terminal-text.js";
import { withInterrupts } from "../program/interrupts.js";
import { type CommandIo, painter, printJson, printLine } from "../program/io.js";
import { EXIT } from "../program/report-error.js";
import { watchedWork } from "../program/watched-work.js";
import { prepareRun } from "../runs/prepare-run.js";
import { inRunScope } from "../runs/run-scope.js";
import {
  compareReplay,
  type LogProbDifference,
  type MediaParting,
  type Parting,
  type ReplayDifference,
} from "./difference.js";
import { findRecorded, type Recorded, type Wanted } from "./find-recorded.js";

/** Log-probabilities of the same tokens by the same weights differ by rounding at most, and on one machine not at all. */
const TOLERANCE = 1e-4;

export interface ReplayRequest extends Wanted {
  /** Folder of the run. */
  readonly run: string;
  readonly overrides: readonly string[];
  readonly json: boolean;
}

/** `verl replay RUN`: samples a recorded trajectory again, and says where the two part. */
export async function replayCommand(request: ReplayRequest, io: CommandIo): Promise<number> {
  const folder = await RunFolder.open(path.resolve(io.cwd, request.run));
  if (folder.config === null || folder.note === null) {
    throw cliErrors.VERL_CLI_NOTHING_TO_REPLAY({
      what: "The run kept no configuration.",
      where: folder.dir,
      why: `It has no ${CONFIG_FILE}: an earlier version of verl-ts wrote it.`,
    });
  }
  refuseOwnCode(folder);
  const recorded = await findRecorded(folder, request);
  // Relative paths of the configuration start where the run was started.
  const there = existsSync(folder.note.cwd) ? { ...io, cwd: folder.note.cwd } : io;
  const replayed = await replay(folder, recorded, request, there);
  const difference = replayed && compareReplay(recorded.record, replayed);
  if (request.json) {
    printJson(io, {
      recorded: recorded.record,
      replayed,
      difference,
      equal: difference !== null && isEqual(difference),
    });
  } else printLine(io.stdout, replayText(recorded, replayed, difference, io));
  return difference !== null && isEqual(difference) ? EXIT.ok : EXIT.failed;
}

/** Keys that name code: a reward function, a plugin. */
const CODE_KEYS = [
  "plugins",
  "actor_rollout_ref.model.external_lib",
  "critic.model.external_lib",
  "trainer.hooks",
  "trainer.checkpoint_callback_class",
  "trainer.v1.sampler.custom_sampler.path",
  "data.custom_cls.path",
  "data.sampler.class_path",
  "data.function_tool_path",
  "actor_rollout_ref.rollout.agent.agent_loop_config_path",
  "actor_rollout_ref.rollout.multi_turn.function_tool_path",
  "reward.custom_reward_function.path",
  "reward.reward_manager.module.path",
];

/** A run's folder may come from anywhere, and looking at it must not run what lies in it. */
function refuseOwnCode(folder: RunFolder): void {
  const cwd = folder.note?.cwd ?? "";
  for (const key of CODE_KEYS) {
    for (const value of [folder.setting(key)].flat()) {
      if (typeof value !== "string") continue;
      const file = value.startsWith("file:") ? value.slice("file:".length).replace(/^\/\//, "") : value;
      const relative = path.relative(realPath(folder.dir), realPath(path.resolve(cwd, file)));
      if (relative.startsWith("..") || path.isAbsolute(relative)) continue;
      throw cliErrors.VERL_CLI_CODE_IN_RUN({
        what: `${key} names ${value}, which lies in the run's own folder.`,
        where: folder.dir,
      });
    }
  }
}

const realPath = (file: string): string => (existsSync(file) ? realpathSync(file) : path.resolve(file));

async function replay(
  folder: RunFolder,
  { record, checkpoint, version, startedAt }: Recorded,
  { overrides, json }: ReplayRequest,
  io: CommandIo,
): Promise<TrajectoryRecord | null> {
  const files = [path.join(folder.dir, CONFIG_FILE)];
  const run = await prepareRun({ files, overrides, json }, io, { forTraining: true });
  try {
    return await withInterrupts(io, watchedWork(run, { json }), ({ signal }) =>
      inRunScope(run, io, signal, (scope) => replayTrajectory(scope, record, { checkpoint, version, startedAt })),
    );
  } finally {
    await run.host.dispose();
  }
}

function isEqual({ prompt, response, media, sampler, trainer, score }: ReplayDifference): boolean {
  const isSmall = (difference: LogProbDifference | null) => difference === null || difference.max <= TOLERANCE;
  return prompt === null && response === null && media === null && isSmall(sampler) && isSmall(trainer) && score.equal;
}

function replayText(
  { record, version }: Recorded,
  replayed: TrajectoryRecord | null,
  difference: ReplayDifference | null,
  io: CommandIo,
): string {
  const paint = painter(io.color.stdout);
  const weights = version === 0 ? "what the run began with" : `global_step_${version}`;
  const lines = [`${paint("bold", record.key)}  step ${record.step}, ${record.split}, weights ${version} (${weights})`];
  const row = (name: string, ok: boolean, text: string) => {
    lines.push(`  ${ok ? paint("green", "same     ") : paint("red", "different")}  ${name.padEnd(19)} ${text}`);
  };
  if (replayed === null || difference === null) {
    row("session", false, "it now ends without this output");
    return lines.join("\n");
  }
  const { prompt, response, media, sampler, trainer, score } = difference;
  row("prompt", prompt === null, partingText(prompt, record.promptIds?.length ?? 0));
  if (media !== null || record.media) row("media", media === null, mediaText(media, record.media?.length ?? 0));
  row("response", response === null, partingText(response, record.mask.length, record, replayed));
  if (sampler && sampler.tokens > 0) row("sampler's log p", sampler.max <= TOLERANCE, logProbText(sampler));
  if (trainer && trainer.tokens > 0) row("trainer's log p", trainer.max <= TOLERANCE, logProbText(trainer));
  row("score", score.equal, score.equal ? `${score.recorded}` : `${score.recorded} recorded, ${score.replayed} now`);
  if (response !== null) {
    lines.push(
      "",
      `recorded: ${oneLine(record.responseText, 500)}`,
      `now:      ${oneLine(replayed.responseText, 500)}`,
    );
  }
  return lines.join("\n");
}

function partingText(parting: Parting | null, length: number, ...texts: TrajectoryRecord[]): string {
  if (parting === null) return `${length} token${length === 1 ? "" : "s"}`;
  const [was, is] = texts.map(({ tokens }) =>
    tokens[parting.at] === undefined ? "" : ` ${JSON.stringify(oneLine(tokens[parting.at], 40))}`,
  );
  const token = (id: number | null, text = "") => (id === null ? "nothing" : `${id}${text}`);
  return `from token ${parting.at} on: ${token(parting.recorded, was)} recorded, ${token(parting.replayed, is)} now`;
}

function mediaText(parting: MediaParting | null, count: number): string {
  if (parting === null) return `${count} medi${count === 1 ? "um" : "a"}`;
  const name = (placed: PlacedMedia | null) =>
    placed === null ? "nothing" : `${printable(mediaLabel(placed))} at token ${placed.offset}`;
  return `${name(parting.recorded)} recorded, ${name(parting.replayed)} now`;
}

function logProbText({ max, at, tokens }: LogProbDifference): string {
  return max === 0 ? `exact on ${tokens} tokens` : `by at most ${formatNumber(max)} nats, at token ${at} of ${tokens}`;
}
