import { closeSync, openSync } from "node:fs";
import os from "node:os";
import { type Program, type SandboxOutcome, type SandboxResult, sandboxErrors } from "../../../core/plugin.js";
import type { FileTree } from "./file-tree.js";
import { encodeFields, type Field } from "./frames.js";
import { interpreterArguments, programFile, reservedMiB } from "./languages.js";
import { type Answer, type LaunchOptions, launch } from "./launch.js";
import { seccompFilter } from "./seccomp.js";
import { type Architecture, type SyscallName, syscallNumber } from "./syscalls.js";

const MIB = 2 ** 20;
/** Longest set-up and take-down of a run, on a machine that is busy with other things. */
const PATIENCE_MS = 60_000;
const OPEN_FILES = 256;
const FILES = 4096;

const ENVIRONMENT = {
  PATH: "/usr/local/bin:/usr/bin:/bin",
  HOME: "/sandbox",
  TMPDIR: "/tmp",
  LANG: "C.UTF-8",
  // The order of a Python set must not decide about a reward.
  PYTHONHASHSEED: "0",
};

/** Calls that the launcher itself makes. */
const LAUNCHER_CALLS: readonly SyscallName[] = [
  ...(["capset", "clock_gettime", "clone", "close_range", "kill", "mount", "mount_setattr", "pidfd_open"] as const),
  ...(["pivot_root", "prctl", "prlimit64", "setgroups", "sethostname", "setresgid", "setresuid", "setsid"] as const),
  "umount2",
];

/** Numbers of Linux' resource limits. */
const RLIMIT = { fileSize: 1, data: 2, stack: 3, core: 4, processes: 6, openFiles: 7, messageQueues: 12 } as const;

export interface Machine {
  readonly architecture: Architecture;
  readonly tree: FileTree;
  readonly interpreters: ReadonlyMap<string, string>;
  readonly user?: LaunchOptions["user"];
}

/** Run a program by its interpreter. */
export async function execute(program: Program, machine: Machine, signal: AbortSignal): Promise<SandboxResult> {
  const { language, limits, code, argv } = program;
  const interpreter = machine.interpreters.get(language)!;
  // An interpreter from a place that is not shown, such as a version manager's, is handed over as an open file.
  const descriptor = machine.tree.shows(interpreter) ? undefined : openSync(interpreter, "r");
  try {
    const path = descriptor === undefined ? interpreter : "/proc/self/fd/3";
    const answer = await launch(
      encodeRequest(program, machine, {
        files: [programFile(language), code, ...[...program.files].flat()],
        command: [path, interpreter, ...interpreterArguments(language, limits), ...argv],
        reservedMiB: reservedMiB(language),
      }),
      { signal, descriptor, user: machine.user, deadlineMs: limits.wallMs + PATIENCE_MS },
    );
    return resultOf(answer);
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** What a program is started with: its files, and the file to execute with its whole argument list. */
interface Start {
  readonly files: Field[];
  readonly command: Field[];
  /** Memory that is reserved beside what the program uses; default none. */
  readonly reservedMiB?: number;
}

/** The fields that the launcher reads. */
export function encodeRequest(
  { limits, stdin, collect }: Pick<Program, "limits" | "stdin" | "collect">,
  { architecture, tree }: Pick<Machine, "architecture" | "tree">,
  { files, command, reservedMiB: reserved = 0 }: Start,
): Buffer {
  // What the program is given must not use up what it may write.
  const given = encodeFields([...files, stdin]).length;
  const memory = limits.memoryMiB * MIB;
  const fileBytes = Math.ceil(limits.filesMiB * MIB);
  const bound = (resource: number, soft: number, hard = soft) => [resource, Math.ceil(soft), Math.ceil(hard)];
  return encodeFields([
    LAUNCHER_CALLS.flatMap((name) => [name, syscallNumber(name, architecture)!]),
    [
      collect,
      limits.wallMs,
      limits.cpuMs,
      limits.memoryMiB * 1024,
      fileBytes + given + files.length * 4096,
      FILES,
      Math.ceil(limits.outputBytes),
    ],
    tree.mounts,
    tree.links,
    tree.texts,
    files,
    stdin,
    [
      ...bound(RLIMIT.fileSize, fileBytes),
      // Bounds what a burst can take between two looks; untouched stacks of threads need room too.
      ...bound(RLIMIT.data, 2 * memory + reserved * MIB),
      ...bound(RLIMIT.stack, Math.min(8 * MIB, memory), memory),
      ...bound(RLIMIT.core, 0),
      // One more for the launcher, which is in the namespace too.
      ...bound(RLIMIT.processes, limits.processes + 1),
      ...bound(RLIMIT.openFiles, OPEN_FILES),
      ...bound(RLIMIT.messageQueues, 0),
    ],
    Object.entries(ENVIRONMENT).flat(),
    command,
    seccompFilter(architecture),
  ]);
}

/** @throws `VERL_SANDBOX_FAILED` where the set-up failed */
export function resultOf(answer: Answer): SandboxResult {
  if (answer.kind === "failed") {
    throw sandboxErrors.VERL_SANDBOX_FAILED({
      what: `the sandbox "namespaces" could not be set up: ${answer.step}: ${answer.text}`,
    });
  }
  const [outcome, status, wallMs, cpuMs, stdout, stdoutCut, stderr, stderrCut, ...collected] = answer.fields;
  return {
    ...endOf(outcome.toString() as SandboxOutcome | "", Number(status)),
    stdout: stdout.toString(),
    stderr: stderr.toString(),
    truncated: { stdout: stdoutCut.toString() === "1", stderr: stderrCut.toString() === "1" },
    wallMs: Number(wallMs),
    cpuMs: Number(cpuMs),
    files: Object.fromEntries(pairs(collected).map(([path, bytes]) => [path.toString(), new Uint8Array(bytes)])),
  };
}

const pairs = (fields: readonly Buffer[]) =>
  fields.flatMap((field, i) => (i % 2 === 0 ? [[field, fields[i + 1]] as const] : []));

const SIGNALS = new Map(Object.entries(os.constants.signals).map(([name, number]) => [number, name]));

/** `status` is what `waitpid` says: the signal in the lowest bits, else the exit code above them. */
function endOf(limit: SandboxOutcome | "", status: number): Pick<SandboxResult, "outcome" | "exitCode" | "signal"> {
  const number = status & 0x7f;
  if (limit !== "") return { outcome: limit, exitCode: null, signal: null };
  if (number !== 0) return { outcome: "signal", exitCode: null, signal: SIGNALS.get(number) ?? `signal ${number}` };
  const exitCode = status >> 8;
  return { outcome: exitCode === 0 ? "ok" : "exit", exitCode, signal: null };
}
