import {
  type Awaitable,
  composeSandbox,
  type Program,
  type Sandbox,
  type SandboxFactory,
  type SandboxLimits,
  type SandboxOptions,
  type SandboxResult,
} from "../../core/plugin.js";

/** What a program does in the fake sandbox. What it leaves out of the result is that of a program that does nothing. */
export type FakeProgram = (program: Program, signal: AbortSignal) => Awaitable<Partial<SandboxResult>>;

export interface FakeSandboxOptions extends Partial<Pick<SandboxOptions, "maxConcurrent">> {
  /** Default `fake`. */
  readonly name?: string;
  /** Default `python`. */
  readonly languages?: readonly string[];
  readonly limits?: Partial<SandboxLimits>;
  readonly run?: FakeProgram;
}

export const FAKE_LIMITS: SandboxLimits = {
  wallMs: 10_000,
  cpuMs: 10_000,
  memoryMiB: 256,
  processes: 32,
  filesMiB: 16,
  outputBytes: 65_536,
};

const NOTHING: SandboxResult = {
  outcome: "ok",
  exitCode: 0,
  signal: null,
  stdout: "",
  stderr: "",
  truncated: { stdout: false, stderr: false },
  wallMs: 0,
  cpuMs: null,
  files: {},
};

/** A sandbox that runs no code: a function plays the program. Wall clock, output limit and aborts are real. */
export function createFakeSandbox(
  options: FakeSandboxOptions = {},
): Sandbox & { readonly programs: readonly Program[] } {
  const { name = "fake", languages = ["python"], run = () => ({}), maxConcurrent = 4 } = options;
  const programs: Program[] = [];
  const sandbox = composeSandbox(
    {
      name,
      languages,
      async execute(program, signal) {
        programs.push(program);
        const started = performance.now();
        const result = { ...NOTHING, ...(await withinLimits(run, program, signal)) };
        return { ...result, wallMs: performance.now() - started };
      },
    },
    { limits: { ...FAKE_LIMITS, ...options.limits }, maxConcurrent },
  );
  return { ...sandbox, programs };
}

/** The same, to register. */
export function fakeSandboxFactory(options: Omit<FakeSandboxOptions, "limits" | "maxConcurrent"> = {}): SandboxFactory {
  return {
    name: options.name ?? "fake",
    mechanism: "none: a function plays the program",
    probe: async () => ({ available: true, languages: options.languages ?? ["python"] }),
    create: ({ limits, maxConcurrent }) => createFakeSandbox({ ...options, limits, maxConcurrent }),
  };
}

async function withinLimits(run: FakeProgram, program: Program, signal: AbortSignal): Promise<Partial<SandboxResult>> {
  const { wallMs, outputBytes } = program.limits;
  const deadline = AbortSignal.timeout(wallMs);
  const end = AbortSignal.any([signal, deadline]);
  const ended = new Promise<Partial<SandboxResult>>((resolve, reject) => {
    const stop = () =>
      signal.aborted ? reject(signal.reason) : resolve({ outcome: "timeout", exitCode: null, signal: null });
    if (end.aborted) stop();
    else end.addEventListener("abort", stop, { once: true });
  });
  const result = await Promise.race([run(program, end), ended]);
  const { stdout = "" } = result;
  if (stdout.length <= outputBytes) return result;
  const cut = { stdout: stdout.slice(0, outputBytes), truncated: { stdout: true, stderr: false } };
  return { ...result, ...cut, outcome: "output-limit", exitCode: null };
}
