import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { PassThrough } from "node:stream";
import fc from "fast-check";
import { compareCommand } from "../../../cli/compare/compare-command.js";
import { inspectCommand } from "../../../cli/inspect/inspect-command.js";
import { cutTrajectories } from "../../../core/tracking/trajectory-file.js";
import { type FuzzReader, textOf } from "../fuzz-reader.js";
import { withOddMember } from "./odd-json.js";
import { nested } from "./soup.js";

/** Between the files of {@link FILES}. */
export const CUT = "\n%%\n";
const FILES = ["config.yaml", "run.json", "metrics.jsonl", "samples.jsonl"];
const CONFIG =
  "trainer:\n  output_dir: . # default\n  total_training_steps: 3\n  rollout_data_dir: dump # config.yaml:3:5\nactor_rollout_ref: {rollout: {multi_turn: {format: hermes}}}\n";
const NOTE = { version: "0.1.0", cwd: ".", startedAt: "2026-01-02T03:04:05.000Z" };
const METRICS = { step: 1, data: { loss: 0.5, kl: "NaN" } };
const SAMPLE = {
  input: "2+2?",
  output: "4 <tool_call>",
  gts: { a: [1] },
  score: 0.5,
  step: 1,
  uid: "r_0_0",
  trajectory: {
    split: "val",
    data_source: "toy",
    tokens: ["4", " ", "<tool", "_call>"],
    mask: [1, 1, 0, 1],
    log_probs: [-0.1, null, 0, -2],
    trainer_log_probs: [-0.2, 0, 0, -2],
    advantages: null,
    prompt_ids: [1, 2],
    response_ids: [3, 4, 5, 6],
    stop_reason: "stop",
    weight_versions: [1, 2],
    num_turns: 2,
    reward: { acc: 1 },
    reward_message: "fine",
    origin: "a.jsonl:1",
  },
};
const GENERATED = {
  prompt: [{ role: "user", content: "2+2?" }],
  responses: ["4", "5"],
  stop_reasons: ["stop", "length"],
  reward_model: { ground_truth: "4" },
};

const folderOf = (sample: unknown, metrics: unknown = METRICS, note: unknown = NOTE, config = CONFIG) =>
  [
    config,
    JSON.stringify(note),
    `${JSON.stringify(metrics)}\n`,
    `${typeof sample === "string" ? sample : JSON.stringify(sample)}\n`,
  ].join(CUT);

/** Makes the folder of an input; gives what follows the files in it. */
export function writeRunFolder(text: string, folder: string): string[] {
  const contents = text.split(CUT);
  for (const [i, name] of FILES.entries()) writeFileSync(path.join(folder, name), contents[i] ?? "");
  mkdirSync(path.join(folder, "dump"));
  return contents.slice(FILES.length);
}

/** What a run keeps, as `verl inspect`, `verl compare` and a resumed run read it. */
export const runFolder: FuzzReader = {
  name: "run-folder",
  seeds: () => [folderOf(SAMPLE), folderOf(GENERATED)],
  words: [
    '"trajectory":',
    '"tokens":',
    '"mask":',
    '"responses":',
    "null",
    "[]",
    "{}",
    "1e999",
    "-1",
    '"\\u001b[31m"',
    '"</script>"',
    CUT,
  ],
  generated: fc.oneof(
    withOddMember(SAMPLE).map((odd) => folderOf(odd)),
    withOddMember(GENERATED).map((odd) => folderOf(odd)),
    withOddMember(METRICS).map((odd) => folderOf(SAMPLE, odd)),
    withOddMember(NOTE).map((odd) => folderOf(SAMPLE, METRICS, odd ?? null)),
  ),
  hostile: {
    "a deep line": () => folderOf(nested("[", "]", 100_000)),
    "deep values": () => folderOf(`{"input":"a","output":"b","gts":${nested("[", "]", 100_000)}}`),
    "100,000 lines that are no trajectories": () => folderOf("x\n".repeat(100_000)),
    "2,000 trajectories": () => folderOf(`${JSON.stringify({ input: "a", output: "b" })}\n`.repeat(2_000)),
    "20,000 tokens": () => folderOf({ ...SAMPLE, trajectory: { tokens: Array(20_000).fill("ab") } }),
    "20,000 responses": () => folderOf({ prompt: "a", responses: Array(20_000).fill("b") }),
    "a note that is null": () => folderOf(SAMPLE, METRICS, null),
    "a folder that is no text": () => folderOf(SAMPLE, METRICS, { ...NOTE, cwd: 5 }),
    "a folder with NUL": () =>
      folderOf(SAMPLE, METRICS, { ...NOTE, cwd: "a\0b" }, 'trainer: {output_dir: "a\\0", rollout_data_dir: "b\\0"}'),
    "3,000 metrics": () =>
      folderOf(SAMPLE, { step: 1, data: Object.fromEntries(Array.from({ length: 3_000 }, (_, i) => [`m${i}`, i])) }),
    "metrics called __proto__": () =>
      folderOf(SAMPLE, JSON.parse('{"step": 1, "data": {"__proto__": 1, "constructor": 2}}')),
  },
  async read(input, folder) {
    writeRunFolder(textOf(input), folder);
    const io = {
      stdout: new PassThrough(),
      stderr: new PassThrough(),
      env: {},
      cwd: folder,
      color: { stdout: true, stderr: false },
    };
    const inspect = {
      place: ".",
      step: null,
      split: null,
      uid: null,
      source: null,
      stop: null,
      sort: "worst" as const,
      limit: null,
      heat: null,
      toolFormat: null,
    };
    const shown = { list: false, tokens: true, html: null, spans: false, json: false };
    await inspectCommand({ ...inspect, ...shown }, io);
    await inspectCommand({ ...inspect, ...shown, list: true }, io);
    await inspectCommand({ ...inspect, ...shown, html: path.join(folder, "page.html") }, io);
    await compareCommand({ runs: [".", "."], metrics: [], json: false, html: path.join(folder, "compared.html") }, io);
    await cutTrajectories(path.join(folder, "samples.jsonl"), 1, true);
  },
};
