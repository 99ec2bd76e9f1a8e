import type { PlacedMedia } from "../../data/media/media.js";
import { shown } from "../../host/util/shown.js";
import type { VersionRun } from "../../rollout/rollout.js";
import type { AgentLoopOutput } from "../agent-loop.js";
import { agentErrors } from "../errors.js";
import { placeProblem } from "../loops/check-media.js";
import { TOKEN_ID_FIX, tokenIdProblem } from "../prompts/token-ids.js";
import { cutRuns, runProblem } from "../trajectories/version-runs.js";
import { PLAIN_FIX, plainProblem } from "./plain-output.js";

/** A trajectory in the form that is stored: lists of one length, cut to the response limit. */
export interface CheckedOutput {
  readonly promptIds: Int32Array;
  readonly responseIds: Int32Array;
  readonly responseMask: Int32Array;
  /** 0 where the mask is 0; null when the server gave none. */
  readonly logProbs: Float32Array | null;
  readonly weightVersions: readonly VersionRun[] | null;
  readonly media: readonly PlacedMedia[];
  readonly stopReason: string;
}

export interface OutputLimits {
  readonly promptLength: number;
  readonly responseLength: number;
  /** Of the model; left out or null where it is not known. */
  readonly vocabSize?: number | null;
}

/** What a log-probability may be above 0, in nats: sums of float32 round. */
const ROUNDING = 1e-4;
const LOG_PROB_FIX = "return the natural logarithms that the server gave, one for each token";

/** Checks what a loop returned; a contradiction is an error, for it would train on the wrong tokens. */
export function checkOutput(output: AgentLoopOutput, limits: OutputLimits, where: string): CheckedOutput {
  const fail = (what: string, fix?: string) =>
    agentErrors.VERL_AGENT_BAD_OUTPUT({ what, where, ...(fix === undefined ? {} : { fix }) });
  const badShape = shapeProblem(output);
  if (badShape !== null) throw fail(badShape);
  const badField = plainProblem({ ...output });
  if (badField !== null) throw fail(badField, PLAIN_FIX);
  const { promptIds, responseIds, responseMask, responseLogProbs } = output;
  if (promptIds.length === 0) throw fail("the prompt is empty");
  if (responseMask.length !== responseIds.length) {
    throw fail(`${responseIds.length} response tokens but ${responseMask.length} mask values`);
  }
  if (responseLogProbs && responseLogProbs.length !== responseIds.length) {
    throw fail(`${responseIds.length} response tokens but ${responseLogProbs.length} log-probabilities`);
  }
  const badId = tokenIdProblem(output, limits.vocabSize ?? null);
  if (badId !== null) throw fail(badId, TOKEN_ID_FIX);
  const badMask = responseMask.find((value) => value !== 0 && value !== 1);
  if (badMask !== undefined) throw fail(`the mask holds ${badMask}, not 0 or 1`);
  const badLogProb =
    responseLogProbs?.findIndex((p, t) => responseMask[t] === 1 && !(Number.isFinite(p) && p <= ROUNDING)) ?? -1;
  if (badLogProb >= 0) {
    const value = responseLogProbs?.[badLogProb];
    const why = Number.isFinite(value) ? "; the logarithm of a probability is at most 0" : "";
    throw fail(`the log-probability of response token ${badLogProb} is ${named(value)}${why}`, LOG_PROB_FIX);
  }
  const badRun = output.weightVersions ? runProblem(output, output.weightVersions) : null;
  if (badRun !== null) throw fail(badRun);

  const media = output.multiModalData ?? [];
  const badMedium = placeProblem(media, promptIds.length + responseIds.length);
  if (badMedium !== null) throw fail(badMedium);

  const length = wholeMedia(media, promptIds.length, Math.min(responseIds.length, limits.responseLength));
  const longest = limits.promptLength + limits.responseLength;
  if (promptIds.length + length > longest) {
    throw fail(`prompt and response have ${promptIds.length + length} tokens, the limit of both is ${longest}`);
  }
  const mask = Int32Array.from(responseMask.slice(0, length));
  return {
    promptIds: Int32Array.from(promptIds),
    responseIds: Int32Array.from(responseIds.slice(0, length)),
    responseMask: mask,
    logProbs: responseLogProbs && Float32Array.from(mask, (m, t) => (m === 1 ? responseLogProbs[t] : 0)),
    weightVersions: output.weightVersions ? cutRuns(output.weightVersions, length) : null,
    media: media.filter(({ offset }) => offset < promptIds.length + length),
    stopReason: length < responseIds.length ? "length" : output.stopReason,
  };
}

/** The length of a response that is cut so that no medium is cut in two. */
function wholeMedia(media: readonly PlacedMedia[], promptLength: number, length: number): number {
  const end = promptLength + length;
  const cut = media.find((placed) => placed.offset < end && placed.offset + placed.length > end);
  return cut ? Math.max(0, cut.offset - promptLength) : length;
}

/** The first thing that keeps what a loop returned from being a trajectory at all: types cannot be trusted in JavaScript. */
function shapeProblem(output: unknown): string | null {
  if (!isSection(output)) return `it returned ${output === undefined ? "nothing" : shown(output)}, not a trajectory`;
  const lists = [
    "promptIds",
    "responseIds",
    "responseMask",
    ...(output.responseLogProbs == null ? [] : ["responseLogProbs"]),
  ];
  const optional = ["weightVersions", "multiModalData"].filter((name) => output[name] != null);
  const noList = [...lists, ...optional].find((name) => !isList(output[name]));
  if (noList !== undefined) return `${noList} is ${named(output[noList])}, not a list`;
  if (!Number.isInteger(output.numTurns)) return `numTurns is ${named(output.numTurns)}, not a whole number`;
  if (typeof output.stopReason !== "string") return `stopReason is ${named(output.stopReason)}, not a text`;
  const noSection = ["metrics", "extraFields"].find((name) => !isSection(output[name]));
  if (noSection !== undefined) return `${noSection} is ${named(output[noSection])}, not an object`;
  const { rewardScore: score } = output;
  // NaN is a score that failed, for which there is reward.on_error.
  if (score !== undefined && typeof score !== "number") return `rewardScore is ${shown(score)}, not a number`;
  const { minWeightVersion: oldest, maxWeightVersion: newest } = output;
  if (Number.isInteger(oldest) && Number.isInteger(newest) && Number(oldest) <= Number(newest)) return null;
  return `the weights that sampled it are of versions ${String(oldest)} to ${String(newest)}; take both from the server's outputs`;
}

const isList = (value: unknown): boolean => Array.isArray(value) || ArrayBuffer.isView(value);

const isSection = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !isList(value);

const named = (value: unknown): string => (typeof value === "number" ? String(value) : shown(value));
