import { stat } from "node:fs/promises";
import path from "node:path";
import {
  fileExists,
  inspectWeights,
  type ScanResult,
  scanWeights,
  type WeightInspection,
  type WeightProblem,
} from "../../core/formats/index.js";
import { type Diagnosis, isVerlError, reasonOf } from "../../core/plugin.js";
import { bytesText } from "../../core/trainer/index.js";
import { type CommandIo, printLine } from "../program/io.js";
import type { Vocabulary } from "./tokenizer.js";

export interface WeightsOptions {
  /** Longest look at the values; 0: none. */
  readonly scanSeconds: number;
  /** The tokenizer that the model is used with; null where there is none. */
  readonly vocabulary: Vocabulary | null;
  readonly io: Pick<CommandIo, "stderr">;
}

const NAME = "weights";

/** Whether a model can be read: every file, every tensor by name and shape, and, as far as time allows, every value. */
export async function diagnoseWeights(model: string, options: WeightsOptions): Promise<Diagnosis[]> {
  const absent = await whyNotThere(model, options);
  if (absent) return [absent];
  let inspection: WeightInspection;
  try {
    inspection = await inspectWeights(model);
  } catch (error) {
    return [
      { name: NAME, status: "failed", detail: isVerlError(error) ? `${error.code}: ${error.what}` : reasonOf(error) },
    ];
  }
  try {
    return [
      ...describe(inspection),
      ...vocabularyFindings(inspection, options.vocabulary),
      ...(options.scanSeconds > 0 && inspection.tensors.length > 0 ? await scan(inspection, options) : []),
    ];
  } finally {
    await inspection.close();
  }
}

async function whyNotThere(model: string, { vocabulary }: WeightsOptions): Promise<Diagnosis | null> {
  const info = await stat(model).catch(() => null);
  if (info === null) return { name: NAME, status: "failed", detail: `there is no model at ${model}` };
  if (!info.isDirectory() || (await fileExists(path.join(model, "config.json")))) return null;
  // A folder for `model.tokenizer_path`.
  if (vocabulary) return { name: NAME, status: "warning", detail: "the folder has a tokenizer alone: no config.json" };
  return { name: NAME, status: "failed", detail: `${model} has no config.json` };
}

function describe({
  config,
  parameters,
  files,
  bytes,
  dtypes,
  problems,
  tensors,
  format,
}: WeightInspection): Diagnosis[] {
  const faults = problems.map(diagnosisOf);
  if (faults.some(({ status }) => status === "failed") || !config) return faults;
  const types = [...dtypes].map(([type, count]) => `${count} ${type}`).join(", ");
  const size = `${files} ${format === "gguf" ? "GGUF " : ""}${files === 1 ? "file" : "files"}, ${bytesText(bytes)}`;
  const detail =
    `${config.modelType} of ${millions(parameters)} parameters, ${config.maxPositions} positions; ${size}, ` +
    `${tensors.length} tensors (${types}), all that it needs`;
  return [{ name: NAME, status: "ok", detail }, ...faults];
}

function diagnosisOf({ level, what, where, fix }: WeightProblem): Diagnosis {
  const detail = where ? `${what} (${where})` : what;
  return { name: NAME, status: level === "problem" ? "failed" : "warning", detail, ...(fix ? { fix } : {}) };
}

/** Fewer tokens than embeddings is common: vocabularies are padded. More would be an id that the model does not have. */
function vocabularyFindings({ config }: WeightInspection, vocabulary: Vocabulary | null): Diagnosis[] {
  if (!config || !vocabulary || vocabulary.vocabSize <= config.vocabSize) return [];
  const first = JSON.stringify(vocabulary.tokenText(config.vocabSize));
  return [
    {
      name: NAME,
      status: "failed",
      detail: `the tokenizer has ${vocabulary.vocabSize} tokens and the model ${config.vocabSize}; the first that is too many is ${first}`,
      fix: "Use the tokenizer that belongs to the model (actor_rollout_ref.model.tokenizer_path).",
    },
  ];
}

async function scan(inspection: WeightInspection, { scanSeconds: seconds, io }: WeightsOptions): Promise<Diagnosis[]> {
  // Said before: nothing else shows that it is at work.
  const bytes = inspection.tensors.reduce((sum, tensor) => sum + tensor.bytes, 0);
  if (bytes > 2 ** 30) printLine(io.stderr, `looking at ${bytesText(bytes)} of weights, for ${seconds} s at most …`);
  let result: ScanResult;
  try {
    result = await scanWeights(inspection.tensors, { seconds });
  } catch (error) {
    return [{ name: "values", status: "failed", detail: reasonOf(error).split("\n")[0] }];
  }
  const { notFinite, zero, isComplete } = result;
  const findings: Diagnosis[] = notFinite.slice(0, SHOWN).map(({ name, where, count, first }) => ({
    name: "values",
    status: "failed",
    detail: `${count} values of tensor "${name}" are NaN or infinite, the first at ${first} (${where})`,
    fix: "Download or convert the model again; a checkpoint of a run that diverged is lost, take an earlier one.",
  }));
  if (notFinite.length > SHOWN) {
    const detail = `${notFinite.length - SHOWN} more tensors hold values that are NaN or infinite`;
    findings.push({ name: "values", status: "failed", detail });
  }
  if (zero.length > 0) {
    const names = zero.slice(0, SHOWN).map((name) => `"${name}"`);
    const more = zero.length > SHOWN ? ` and ${zero.length - SHOWN} more` : "";
    findings.push({ name: "values", status: "warning", detail: `all values of ${names.join(", ")}${more} are 0` });
  }
  const looked = isComplete
    ? `all ${bytesText(result.totalBytes)} looked at`
    : `${bytesText(result.bytes)} of ${bytesText(result.totalBytes)} looked at in ${seconds} s, the beginning of every tensor first`;
  const fix = isComplete ? {} : { fix: `--scan-seconds ${10 * seconds} looks for longer.` };
  if (notFinite.length === 0)
    return [...findings, { name: "values", status: "ok", detail: `${looked}; all are finite`, ...fix }];
  // Of values that are damaged none is said to be well.
  return isComplete ? findings : [...findings, { name: "values", status: "warning", detail: looked, ...fix }];
}

const SHOWN = 3;

const millions = (count: number): string =>
  count >= 1e9
    ? `${(count / 1e9).toPrecision(3)} B`
    : count >= 1e6
      ? `${(count / 1e6).toPrecision(3)} M`
      : String(count);
