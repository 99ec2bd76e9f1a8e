import fs from "node:fs";
import os from "node:os";
import { z } from "zod";
import { composeSandbox, reasonOf, type SandboxFactory, sandboxErrors } from "../../../core/plugin.js";
import { encodeRequest, execute, type Machine, resultOf } from "./execute.js";
import { explainFailure, machineFacts, type Refusal } from "./explain.js";
import { fileTree } from "./file-tree.js";
import { findInterpreters, LANGUAGE_NAMES } from "./languages.js";
import { launch, PERL } from "./launch.js";

const NAME = "namespaces";
/** Since 5.14 the limit on processes counts those of the namespace, not all of the user. */
const MIN_KERNEL = [5, 14] as const;

const absolute = z.string().startsWith("/");
/** Where the sandbox has something of its own, which would hide what is shown. */
const TAKEN = /^\/(|dev|proc|sandbox|tmp)($|\/)/;
const schema = z.strictObject({
  /** Interpreters by language, in place of the usual ones. */
  interpreters: z.partialRecord(z.enum(LANGUAGE_NAMES as [string, ...string[]]), absolute).default({}),
  /** Further files and folders that programs see, read-only: those of an interpreter outside of /usr, libraries, data. */
  show: z.array(absolute.refine((path) => !TAKEN.test(path), "is a place of the sandbox's own")).default([]),
});

/** Linux only, as root or as an ordinary user. What is enforced, and how, is in docs/Guide/sandbox.md. */
export const namespacesSandbox: SandboxFactory = {
  name: NAME,
  mechanism: "Linux namespaces, resource limits and seccomp",
  async probe({ extra } = { extra: {} }) {
    try {
      const machine = await inspect(extra);
      if ("reason" in machine) return { available: false, ...machine };
      return { available: true, languages: [...machine.interpreters.keys()] };
    } catch (error) {
      return { available: false, reason: reasonOf(error) };
    }
  },
  async create(options) {
    const machine = await inspect(options.extra);
    if ("reason" in machine) {
      throw sandboxErrors.VERL_SANDBOX_UNAVAILABLE({
        what: `the sandbox "${NAME}" cannot be used on this machine`,
        why: machine.reason,
        ...(machine.fix ? { fix: machine.fix } : {}),
      });
    }
    return composeSandbox(
      {
        name: NAME,
        languages: [...machine.interpreters.keys()],
        execute: (program, signal) => execute(program, machine, signal),
      },
      options,
    );
  },
};

/** What programs are run with, after one run of nothing has shown that the mechanism works; else why it does not. */
export async function inspect(
  extra: Readonly<Record<string, unknown>>,
  user?: Machine["user"],
): Promise<Machine | Refusal> {
  const { interpreters, show } = readOptions(extra);
  const unfit = unfitMachine();
  if (unfit) return unfit;
  const machine = {
    architecture: process.arch as Machine["architecture"],
    tree: fileTree(show),
    interpreters: findInterpreters(interpreters as Record<string, string>),
    user,
  };
  const limits = { wallMs: 10_000, cpuMs: 10_000, memoryMiB: 64, processes: 4, filesMiB: 1, outputBytes: 1024 };
  const request = encodeRequest({ limits, stdin: new Uint8Array(), collect: [] }, machine, {
    files: [],
    command: [PERL, PERL, "-e", "exit 0"],
  });
  const answer = await launch(request, { user, deadlineMs: 60_000 });
  if (answer.kind === "failed") return explainFailure(answer, machineFacts());
  const { outcome, stderr } = resultOf(answer);
  return outcome === "ok" ? machine : { reason: `a program that does nothing ends with ${outcome} in it: ${stderr}` };
}

function unfitMachine(): Refusal | null {
  if (process.platform !== "linux") return { reason: `it needs Linux, and this is ${process.platform}` };
  if (process.arch !== "x64" && process.arch !== "arm64")
    return { reason: `it knows x64 and arm64, not ${process.arch}` };
  const [major, minor] = os.release().split(".").map(Number.parseFloat);
  if (major < MIN_KERNEL[0] || (major === MIN_KERNEL[0] && minor < MIN_KERNEL[1])) {
    return { reason: `it needs Linux ${MIN_KERNEL.join(".")} or newer, and this is ${os.release()}` };
  }
  if (!fs.existsSync(PERL)) return { reason: `${PERL} does not exist`, fix: "install the package perl-base or perl" };
  return null;
}

function readOptions(extra: Readonly<Record<string, unknown>>): z.infer<typeof schema> {
  const parsed = schema.safeParse(extra);
  if (parsed.success) return parsed.data;
  throw sandboxErrors.VERL_SANDBOX_BAD_OPTION({
    what: z.prettifyError(parsed.error),
    where: "reward.sandbox.options",
    fix: `known options: ${Object.keys(schema.shape).join(", ")}`,
  });
}
