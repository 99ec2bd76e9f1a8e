import { open } from "node:fs/promises";
import { contentText, idOfReference, MEDIA_KINDS, type PlacedMedia } from "../data/index.js";
import { reasonOf } from "../host/errors.js";
import type { JsonValue } from "../host/types.js";
import { parseOutsideJson } from "../host/util/outside-json.js";
import { parsedLines } from "../host/util/parsed-lines.js";
import { isJsonObject } from "../host/util/plain-object.js";
import { shown } from "../host/util/shown.js";
import { trackingErrors } from "./errors.js";
import { completeLines, replaceLines } from "./line-file.js";
import type { TrajectoryRecord } from "./tracker.js";

type Json = Readonly<Record<string, JsonValue>>;

/** What a line holds beside verl's `input`, `output`, `gts`, `score`, `step` and `uid`, under the name `trajectory`. */
export function trajectoryFields(record: TrajectoryRecord): Json {
  return {
    split: record.split,
    data_source: record.dataSource,
    tokens: record.tokens,
    mask: record.mask,
    log_probs: floats(record.logProbs),
    trainer_log_probs: floats(record.trainerLogProbs),
    advantages: floats(record.advantages),
    prompt_ids: record.promptIds ?? null,
    response_ids: record.responseIds ?? null,
    ...(record.media ? { media: record.media.map((placed) => ({ ...placed })) } : {}),
    stop_reason: record.stopReason ?? null,
    weight_versions: record.weightVersions ?? null,
    num_turns: record.numTurns ?? null,
    reward: record.extra,
    reward_message: record.rewardMessage ?? null,
    origin: record.origin ?? null,
  };
}

/** A trajectory as one line of a file, without line feed. */
export function trajectoryLine(record: TrajectoryRecord): string {
  const { promptText: input, responseText: output, groundTruth: gts, score, step, key: uid } = record;
  return JSON.stringify({ input, output, gts, score, step, uid, trajectory: trajectoryFields(record) });
}

/**
 * Cut `samples.jsonl` to what a resumed run goes on from, as `cutMetrics` does. What was trained on at the step itself was
 * written before the step was saved, so with `logsStartStepAgain` the validation of that step alone is written anew.
 */
export async function cutTrajectories(file: string, startStep: number, logsStartStepAgain = false): Promise<void> {
  const lines = startStep > 0 ? await completeLines(file) : [];
  const isKept = ({ step, split }: TrajectoryRecord) =>
    step < startStep || (step === startStep && !(logsStartStepAgain && split === "val"));
  await replaceLines(
    file,
    lines.filter((line, i) => parseTrajectories(line, `${file}:${i + 1}`).some(isKept)),
  );
}

/**
 * The trajectories of a file, one after the other; memory does not grow with the file. A last line without a line feed
 * that cannot be read was cut off by a crash and is left out.
 */
export async function* readTrajectories(file: string): AsyncGenerator<TrajectoryRecord> {
  const handle = await open(file, "r").catch((cause: unknown) => {
    throw bad(`the file cannot be read: ${reasonOf(cause)}`, file, cause);
  });
  try {
    yield* parsedLines(
      handle,
      (line, number) => parseTrajectories(line, `${file}:${number}`),
      () => endsInLineFeed(file),
    );
  } finally {
    await handle.close();
  }
}

async function endsInLineFeed(file: string): Promise<boolean> {
  await using handle = await open(file, "r");
  const { size } = await handle.stat();
  const { buffer } = await handle.read({ buffer: Buffer.alloc(1), position: Math.max(0, size - 1) });
  return buffer[0] === 0x0a;
}

/**
 * The trajectories of a line: one for a line of a dump or of `samples.jsonl` (the reference's dumps have no tokens), one per
 * response for a line of `verl generate`. Any other line is `VERL_TRACKING_BAD_FILE` with its place.
 */
export function parseTrajectories(text: string, where: string): TrajectoryRecord[] {
  let line: JsonValue;
  try {
    line = parseOutsideJson(text);
  } catch (cause) {
    throw bad("the line is no JSON", where, cause);
  }
  if (!isJsonObject(line)) throw bad("the line is no JSON object", where);
  if (Array.isArray(line.responses)) return generated(line, line.responses, where);
  if (typeof line.input !== "string" || typeof line.output !== "string") {
    throw bad("the line has neither `input` and `output` nor `responses`", where);
  }
  return [dumped(line, line.input, line.output, where)];
}

function dumped(line: Json, input: string, output: string, where: string): TrajectoryRecord {
  const { gts, score, step, uid, trajectory, input: _input, output: _output, ...rest } = line;
  const fields = isJsonObject(trajectory) ? trajectory : {};
  const own = <T extends JsonValue>(name: string, isItem: (item: JsonValue) => item is T) =>
    list(fields[name], isItem, `trajectory.${name}`, where);
  const tokens = own("tokens", isText) ?? [];
  const perToken = (name: string, values = own(name, isNumberOrNull)) => {
    if (values && values.length !== tokens.length) {
      throw bad(`trajectory.${name} has ${values.length} values for ${tokens.length} tokens`, where);
    }
    return values?.map((value) => value ?? Number.NaN) ?? null;
  };
  const versions = own("weight_versions", isNumber);
  const media = own("media", isPlacedMedia);
  return {
    key: typeof uid === "string" ? uid : "",
    step: typeof step === "number" ? step : 0,
    split: fields.split === "val" ? "val" : "train",
    dataSource: textOf(fields.data_source) ?? "unknown",
    promptText: input,
    responseText: output,
    tokens,
    mask: perToken("mask") ?? tokens.map(() => 1),
    logProbs: perToken("log_probs"),
    groundTruth: gts ?? null,
    score: typeof score === "number" ? score : null,
    extra: isJsonObject(fields.reward) ? fields.reward : rest,
    promptIds: own("prompt_ids", isNumber) ?? undefined,
    responseIds: perToken("response_ids") ?? undefined,
    ...(media ? { media: media as unknown as readonly PlacedMedia[] } : {}),
    trainerLogProbs: perToken("trainer_log_probs"),
    advantages: perToken("advantages"),
    stopReason: textOf(fields.stop_reason) ?? undefined,
    weightVersions: versions?.length === 2 ? [versions[0], versions[1]] : undefined,
    numTurns: typeof fields.num_turns === "number" ? fields.num_turns : undefined,
    rewardMessage: textOf(fields.reward_message),
    origin: textOf(fields.origin) ?? undefined,
  };
}

function generated(line: Json, responses: readonly JsonValue[], where: string): TrajectoryRecord[] {
  const { prompt, data_source, reward_model } = line;
  const reasons = list(line.stop_reasons, isText, "stop_reasons", where);
  const messages = Array.isArray(prompt) ? prompt.filter(isJsonObject) : [];
  const promptText = messages.map(({ role, content }) => `${textOf(role)}: ${contentText(content)}`).join("\n");
  return responses.map((response, i) => ({
    key: `${where.slice(where.lastIndexOf(":") + 1)}-${i}`,
    step: 0,
    split: "val",
    dataSource: textOf(data_source) ?? "unknown",
    promptText: messages.length > 0 ? promptText : asText(prompt ?? ""),
    responseText: asText(response),
    tokens: [],
    mask: [],
    logProbs: null,
    groundTruth: isJsonObject(reward_model) ? (reward_model.ground_truth ?? null) : null,
    score: null,
    extra: {},
    stopReason: reasons?.[i],
  }));
}

/** The shortest number that is the same 32-bit float; JSON writes NaN as null. */
const floats = (values: readonly number[] | null | undefined): JsonValue =>
  values ? values.map((value) => (Number.isFinite(value) ? Number(value.toPrecision(9)) : null)) : null;

const isText = (value: JsonValue): value is string => typeof value === "string";
const isNumber = (value: JsonValue): value is number => typeof value === "number";
const isPlacedMedia = (value: JsonValue): value is Json =>
  isJsonObject(value) &&
  MEDIA_KINDS.some((kind) => kind === value.kind) &&
  idOfReference(`sha256:${value.id}`) !== null &&
  typeof value.mimeType === "string" &&
  [value.byteLength, value.offset, value.length, value.width ?? 0, value.height ?? 0].every(
    (n) => Number.isSafeInteger(n) && Number(n) >= 0,
  );
const isNumberOrNull = (value: JsonValue): value is number | null => value === null || isNumber(value);

/** Null for what is no list; a list with items of another kind is damaged. */
function list<T extends JsonValue>(
  value: JsonValue | undefined,
  isItem: (item: JsonValue) => item is T,
  name: string,
  where: string,
): T[] | null {
  if (!Array.isArray(value)) return null;
  if (value.every(isItem)) return value;
  throw bad(`${name} holds ${shown(value.find((item) => !isItem(item)))}`, where);
}

const textOf = (value: JsonValue | undefined): string | null => (typeof value === "string" ? value : null);
const asText = (value: JsonValue): string => (typeof value === "string" ? value : JSON.stringify(value));

const bad = (what: string, where: string, cause?: unknown) =>
  trackingErrors.VERL_TRACKING_BAD_FILE({ what, where, cause });
