import { PassThrough } from "node:stream";
import type { RunInfo, TrajectoryRecord } from "../../core/plugin.js";

/** A run to show to trackers: not a terminal, no colour, output collected by `text()`. */
export function fakeRunInfo(over: Partial<RunInfo> & Pick<RunInfo, "outputDir">): RunInfo & { text(): string } {
  const output = new PassThrough();
  const chunks: string[] = [];
  output.on("data", (chunk: Buffer) => chunks.push(chunk.toString()));
  return {
    projectName: "project",
    experimentName: "experiment",
    totalSteps: 10,
    startStep: 0,
    config: { trainer: { total_training_steps: 10 } },
    logger: { debug() {}, info() {}, warn() {}, error() {} },
    output,
    isTTY: false,
    color: false,
    json: false,
    ...over,
    text: () => chunks.join(""),
  };
}

/** A sampled trajectory to show to trackers. */
export function fakeTrajectory(over: Partial<TrajectoryRecord> = {}): TrajectoryRecord {
  return {
    key: "u1_0_0",
    step: 1,
    split: "train",
    dataSource: "arithmetic",
    promptText: "6*7=",
    responseText: "42.",
    tokens: ["4", "2", "."],
    mask: [1, 1, 1],
    logProbs: [-0.1, -2.5, -0.01],
    groundTruth: "42",
    score: 1,
    extra: { acc: 1 },
    ...over,
  };
}
