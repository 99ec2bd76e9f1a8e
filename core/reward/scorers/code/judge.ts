import { randomUUID } from "node:crypto";
import { dumpsLikePython } from "../../../data/python-json.js";
import type { Sandbox, SandboxOutcome, SandboxRequest, SandboxResult } from "../../../sandbox/sandbox.js";
import { ASSERTION_HARNESS, FUNCTION_HARNESS, likeVerl, SOLUTION_FILE } from "./python-harness.js";
import { sameText, sameTextLikeVerl, sameValue } from "./same-output.js";
import { parsed, type TestCase, type TestSuite } from "./test-suite.js";

/**
 * How a program did on one case: right or wrong output, or a number of verl's: −1 the sandbox broke, −2 the program failed
 * (exit code, signal, too much memory or output), −3 it took too long, −4 it did not compile.
 */
export type CaseCode = boolean | -1 | -2 | -3 | -4;

export interface JudgeOptions {
  readonly language: string;
  readonly tolerance: number;
  readonly likeVerl: boolean;
  readonly signal: AbortSignal;
}

/** Try a program on one case. Rejects if the sandbox breaks. */
export async function judge(
  sandbox: Sandbox,
  code: string,
  { functionName }: Pick<TestSuite, "functionName">,
  test: TestCase,
  options: JudgeOptions,
): Promise<{ readonly code: CaseCode; readonly wallMs: number }> {
  const token = randomUUID();
  const request = options.likeVerl
    ? requestLikeVerl(code, functionName, test)
    : requestFor(code, functionName, test, token);
  const result = await sandbox.run({ language: options.language, ...request }, { signal: options.signal });
  const isRight = () =>
    options.likeVerl
      ? test.expected === null || sameTextLikeVerl(result.stdout, textOf(test))
      : isExpected(result, functionName, test, token, options.tolerance);
  return { code: FAILURES[result.outcome] ?? isRight(), wallMs: result.wallMs };
}

const FAILURES: Readonly<Partial<Record<SandboxOutcome, CaseCode>>> = {
  exit: -2,
  signal: -2,
  memory: -2,
  "output-limit": -2,
  timeout: -3,
  "compile-error": -4,
};

type Request = Pick<SandboxRequest, "code" | "files" | "stdin">;

function requestFor(code: string, functionName: string | null, test: TestCase, token: string): Request {
  const files = { [SOLUTION_FILE]: code };
  if (test.assertion !== null) {
    const first = JSON.stringify([token, test.assertion]);
    return { code: ASSERTION_HARNESS, files, stdin: `${first}\n${test.input}` };
  }
  if (functionName !== null) return { code: FUNCTION_HARNESS, files, stdin: `${functionName}\n${test.input}` };
  return { code, stdin: test.input };
}

function requestLikeVerl(code: string, functionName: string | null, { input, assertion }: TestCase): Request {
  const program = functionName === null ? code : likeVerl(code, functionName);
  return { code: assertion === null ? program : `${program}\n\n${assertion}`, stdin: input };
}

function isExpected(
  { stdout }: SandboxResult,
  functionName: string | null,
  test: TestCase,
  token: string,
  tolerance: number,
): boolean {
  const { expected, assertion } = test;
  if (assertion !== null) {
    const end = stdout.lastIndexOf(`\n${token}`);
    return end >= 0 && (expected === null || sameText(stdout.slice(0, end), textOf(test), tolerance));
  }
  if (expected === null) return true;
  if (functionName === null) return sameText(stdout, textOf(test), tolerance);
  const result = parsed(stdout);
  if (result === undefined) return false;
  if (sameValue(result, expected, tolerance)) return true;
  // Data sets wrap the one result of a function in a list, or write it as text.
  if (Array.isArray(expected)) return expected.length === 1 && sameValue(result, expected[0], tolerance);
  const value = typeof expected === "string" ? parsed(expected) : undefined;
  return value !== undefined && sameValue(result, value, tolerance);
}

const textOf = ({ expected }: TestCase): string =>
  typeof expected === "string" ? expected : dumpsLikePython(expected);
