import { type LosslessJson, parseLosslessJson } from "../../../data/lossless-json.js";
import { dumpsLikePython } from "../../../data/python-json.js";
import type { JsonValue } from "../../../host/types.js";

/** One thing to try. */
export interface TestCase {
  /** Standard input; of a function, its arguments as JSON, one a line. */
  readonly input: string;
  /** What is to come out; null: it is enough that the program ends well. */
  readonly expected: LosslessJson;
  /** Python statements to run after the program. */
  readonly assertion: string | null;
}

/** The test cases of a problem. */
export interface TestSuite {
  /** The function, or method of `Solution`, to call; null for programs that read and print. */
  readonly functionName: string | null;
  readonly cases: readonly TestCase[];
}

/**
 * Reads a gold answer: `{inputs, outputs, fn_name?, assert_case?}`, or its JSON text. Inputs and outputs of programs are
 * texts or lists of lines; arguments of functions are lists, or texts with one JSON value a line. With `assert_case` inputs
 * and outputs may be absent. Null where it is anything else, or empty: such a problem cannot be judged.
 */
export function readTestSuite(groundTruth: JsonValue): TestSuite | null {
  const suite = asMap(readGroundTruth(groundTruth));
  if (suite === null) return null;
  const assertions = suite.get("assert_case") ?? null;
  if (assertions !== null && !isListOfTexts(assertions)) return null;
  const count = assertions?.length;
  const inputs = suite.get("inputs") ?? (count === undefined ? null : new Array<string>(count).fill(""));
  const outputs = suite.get("outputs") ?? (count === undefined ? null : new Array<null>(count).fill(null));
  if (!Array.isArray(inputs) || !Array.isArray(outputs)) return null;
  if (inputs.length === 0 || inputs.length !== outputs.length || inputs.length !== (count ?? inputs.length))
    return null;
  const functionName = suite.get("fn_name") ?? null;
  if (functionName !== null && (typeof functionName !== "string" || functionName === "")) return null;
  const cases: TestCase[] = [];
  for (const [i, raw] of inputs.entries()) {
    const input = functionName === null ? lines(raw) : argumentLines(raw);
    const expected = functionName === null && outputs[i] !== null ? lines(outputs[i]) : outputs[i];
    if (input === null || (expected === null && outputs[i] !== null)) return null;
    cases.push({ input, expected, assertion: assertions?.[i] ?? null });
  }
  return { functionName, cases };
}

function readGroundTruth(groundTruth: JsonValue): LosslessJson {
  const text = typeof groundTruth === "string" ? groundTruth : JSON.stringify(groundTruth);
  return parsed(text) ?? null;
}

/** Undefined where a text is no JSON. */
export function parsed(text: string): LosslessJson | undefined {
  try {
    return parseLosslessJson(text);
  } catch {
    return undefined;
  }
}

/** A text, a number, or a list of lines; null for anything else. */
function lines(value: LosslessJson): string | null {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.every(isScalar) ? value.map(scalarText).join("\n") : null;
  return isScalar(value) ? scalarText(value) : null;
}

/** Arguments as JSON, one a line; null where they cannot be read. */
function argumentLines(value: LosslessJson): string | null {
  if (Array.isArray(value)) return value.map((argument) => dumpsLikePython(argument)).join("\n");
  if (typeof value !== "string") return null;
  const texts = value.split("\n").filter((line) => line.trim() !== "");
  return texts.every((line) => parsed(line) !== undefined) ? texts.join("\n") : null;
}

const isScalar = (value: LosslessJson) =>
  value !== null && typeof value !== "boolean" && !Array.isArray(value) && !(value instanceof Map);

const scalarText = (value: LosslessJson) => (typeof value === "string" ? value : dumpsLikePython(value));

const asMap = (value: LosslessJson) => (value instanceof Map ? value : null);

const isListOfTexts = (value: LosslessJson): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === "string");
