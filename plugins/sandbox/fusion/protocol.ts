import { type Program, type SandboxOutcome, type SandboxResult, sandboxErrors } from "../../../core/plugin.js";

/** Our names of languages, where the service has others. */
const LANGUAGES: Readonly<Record<string, string>> = { javascript: "nodejs" };

/** What the service says about one of the two steps. */
interface Step {
  readonly status?: "Finished" | "Error" | "TimeLimitExceeded";
  readonly stdout?: string | null;
  readonly stderr?: string | null;
  readonly return_code?: number | null;
  /** Seconds. */
  readonly execution_time?: number | null;
}

/** The body of a `run_code` response, as far as it is read here. */
export interface FusionAnswer {
  readonly status?: "Success" | "Failed" | "SandboxError";
  readonly message?: string;
  readonly compile_result?: Step | null;
  readonly run_result?: Step | null;
  /** Base64 by path. */
  readonly files?: Readonly<Record<string, string>> | null;
}

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

/** Null where the answer says nothing about the program: the service is broken. */
export function fusionResult(answer: FusionAnswer, outputBytes: number): SandboxResult | null {
  const { compile_result: compiled, run_result: ran, files } = answer;
  if (answer.status !== "Success" && answer.status !== "Failed") return null;
  const failedToCompile = compiled && !endedWell(compiled);
  const step = failedToCompile ? compiled : ran;
  if (!step) return null;
  const [stdout, stderr] = [step.stdout ?? "", step.stderr ?? ""].map((text) => Buffer.from(text));
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
    files: Object.fromEntries(
      Object.entries(files ?? {}).map(([path, text]) => [path, new Uint8Array(Buffer.from(text, "base64"))]),
    ),
  };
}

const endedWell = ({ status, return_code }: Step) => status === "Finished" && (return_code ?? 0) === 0;

function outcomeOf(step: Step): SandboxOutcome | null {
  if (endedWell(step)) return "ok";
  if (step.status === "TimeLimitExceeded") return "timeout";
  return step.status === "Finished" || step.status === "Error" ? "exit" : null;
}
