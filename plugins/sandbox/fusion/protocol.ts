import { z } from "zod";
import {
  type Program,
  type SandboxLimits,
  type SandboxOutcome,
  type SandboxResult,
  sandboxErrors,
} from "../../../core/plugin.js";

/** Our names of languages, where the service has others. */
const LANGUAGES: Readonly<Record<string, string>> = { javascript: "nodejs" };

/** One of the two steps. */
const step = z.object({
  /** Finished, Error or TimeLimitExceeded. */
  status: z.string().nullish(),
  stdout: z.string().nullish(),
  stderr: z.string().nullish(),
  return_code: z.int().nullish(),
  /** Seconds. */
  execution_time: z.number().nullish(),
});

/** The body of a `run_code` response, as far as it is read here. */
const answer = z.object({
  /** Success, Failed or SandboxError. */
  status: z.string().nullish(),
  message: z.string().nullish(),
  compile_result: step.nullish(),
  run_result: step.nullish(),
  /** Base64 by path. */
  files: z.record(z.string(), z.string()).nullish(),
});

type Step = z.infer<typeof step>;
export type FusionAnswer = z.infer<typeof answer>;

/** The body of a `run_code` request. @throws `VERL_SANDBOX_BAD_REQUEST` for arguments, which the service does not take */
export function fusionRequest({ language, code, argv, files, stdin, limits, collect }: Program): object {
  if (argv.length > 0) {
    throw sandboxErrors.VERL_SANDBOX_BAD_REQUEST({ what: "a SandboxFusion service takes no arguments (argv)" });
  }
  const seconds = limits.wallMs / 1000;
  return {
    compile_timeout: seconds,
    run_timeout: seconds,
    memory_limit_MB: limits.memoryMiB,
    language: LANGUAGES[language] ?? language,
    code,
    stdin: Buffer.from(stdin).toString(),
    files: Object.fromEntries([...files].map(([path, bytes]) => [path, Buffer.from(bytes).toString("base64")])),
    fetch_files: collect,
  };
}

/** Of an answer beside output and files. */
const ENVELOPE_BYTES = 2 ** 16;

/** Bytes of the longest answer about a program that kept to its limits. */
export function longestAnswer({ outputBytes, filesMiB }: SandboxLimits): number {
  // JSON writes a control character in six bytes.
  return ENVELOPE_BYTES + 2 * 6 * outputBytes + Math.ceil((filesMiB * 2 ** 20 * 4) / 3);
}

/** Throws a SyntaxError for anything else than an answer. */
export function readFusionAnswer(text: string): FusionAnswer {
  const { data, error } = answer.safeParse(JSON.parse(text));
  if (data) return data;
  const [{ path, message }] = error.issues;
  throw new SyntaxError([...(path.length > 0 ? [path.join(".")] : []), message].join(": "));
}

/** Null where the answer says nothing about the program: the service is broken. */
export function fusionResult(answer: FusionAnswer, { limits, collect }: Program): SandboxResult | null {
  const { compile_result: compiled, run_result: ran } = answer;
  if (answer.status !== "Success" && answer.status !== "Failed") return null;
  const failedToCompile = compiled && !endedWell(compiled);
  const step = failedToCompile ? compiled : ran;
  if (!step) return null;
  const [stdout, stderr] = [step.stdout ?? "", step.stderr ?? ""].map((text) => Buffer.from(text));
  const { outputBytes } = limits;
  const truncated = { stdout: stdout.length > outputBytes, stderr: stderr.length > outputBytes };
  const outcome: SandboxOutcome | null = failedToCompile
    ? "compile-error"
    : truncated.stdout || truncated.stderr
      ? "output-limit"
      : outcomeOf(step);
  if (outcome === null) return null;
  return {
    outcome,
    exitCode: outcome === "ok" || outcome === "exit" ? (step.return_code ?? null) : null,
    signal: null,
    stdout: stdout.subarray(0, outputBytes).toString(),
    stderr: stderr.subarray(0, outputBytes).toString(),
    truncated,
    wallMs: 1000 * (step.execution_time ?? 0),
    cpuMs: null,
    files: filesOf(answer, collect, limits.filesMiB * 2 ** 20),
  };
}

/** What is left of a program whose answer is longer than the {@link longestAnswer}. */
export const ENDLESS_OUTPUT: SandboxResult = {
  outcome: "output-limit",
  exitCode: null,
  signal: null,
  stdout: "",
  stderr: "",
  truncated: { stdout: true, stderr: true },
  wallMs: 0,
  cpuMs: null,
  files: {},
};

/** Those that were asked for, as far as `room` in bytes reaches. */
function filesOf({ files }: FusionAnswer, collect: readonly string[], room: number): Record<string, Uint8Array> {
  const found: [string, Uint8Array][] = [];
  for (const path of new Set(collect)) {
    if (!files || !Object.hasOwn(files, path)) continue;
    const bytes = new Uint8Array(Buffer.from(files[path], "base64"));
    if (bytes.length > room) continue;
    room -= bytes.length;
    found.push([path, bytes]);
  }
  return Object.fromEntries(found);
}

const endedWell = ({ status, return_code }: Step) => status === "Finished" && (return_code ?? 0) === 0;

function outcomeOf(step: Step): SandboxOutcome | null {
  if (endedWell(step)) return "ok";
  if (step.status === "TimeLimitExceeded") return "timeout";
  return step.status === "Finished" || step.status === "Error" ? "exit" : null;
}
