import { spawn } from "node:child_process";
import { sandboxErrors } from "../../../core/plugin.js";
import { decodeFields } from "./frames.js";
import { LAUNCHER } from "./launcher.js";

export const PERL = "/usr/bin/perl";

/** What the launcher answers with: the fields after `done`, or the step that failed before the program ran. */
export type Answer =
  | { readonly kind: "done"; readonly fields: readonly Buffer[] }
  | { readonly kind: "failed"; readonly step: string; readonly errno: number; readonly text: string };

export interface LaunchOptions {
  readonly signal?: AbortSignal;
  /** After this long the launcher itself is taken to be stuck. */
  readonly deadlineMs: number;
  /** An open file for the launcher's descriptor 3. */
  readonly descriptor?: number;
  /** User and group of the launcher, where this process may choose. */
  readonly user?: { readonly uid: number; readonly gid: number };
}

/**
 * One run of the launcher. It settles when all of its processes are gone.
 * @throws `VERL_SANDBOX_FAILED` if the launcher breaks; the signal's reason after an abort
 */
export async function launch(request: Buffer, { signal, ...options }: LaunchOptions): Promise<Answer> {
  signal?.throwIfAborted();
  const { output, why } = await runLauncher(request, { signal, ...options });
  signal?.throwIfAborted();
  const answer = readAnswer(output);
  if (answer) return answer;
  throw sandboxErrors.VERL_SANDBOX_FAILED({ what: 'the launcher of the sandbox "namespaces" gave no answer', why });
}

/** What the launcher wrote, and how it ended, in words. */
function runLauncher(
  request: Buffer,
  { signal, deadlineMs, descriptor, user }: LaunchOptions,
): Promise<{ readonly output: Buffer; readonly why: string }> {
  return new Promise((resolve) => {
    const child = spawn(PERL, ["-e", LAUNCHER, String(process.pid)], {
      // A terminal's Ctrl-C is for the run to handle, so the launcher leaves its process group.
      detached: true,
      cwd: "/",
      env: {},
      stdio: ["pipe", "pipe", "pipe", ...(descriptor === undefined ? [] : [descriptor])],
      ...user,
    });
    const output: Buffer[] = [];
    let complaint = "";
    let late = "";
    const end = () => child.kill("SIGKILL");
    const timer = setTimeout(() => {
      late = `it took longer than ${deadlineMs / 1000} s`;
      end();
    }, deadlineMs);
    signal?.addEventListener("abort", end, { once: true });
    const settle = (why: string) => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      resolve({ output: Buffer.concat(output), why: [late || why, complaint.trim()].filter(Boolean).join(": ") });
    };
    child.stdout?.on("data", (chunk: Buffer) => output.push(chunk));
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      if (complaint.length < 1000) complaint += text;
    });
    // A launcher that is gone reads nothing; how it ended says more.
    child.stdin?.on("error", () => {});
    child.stdin?.end(request);
    child.once("error", (error) => settle(error.message));
    child.once("close", (code, killer) => settle(`it ended with ${killer ?? `exit code ${code}`}`));
  });
}

function readAnswer(output: Buffer): Answer | null {
  const [kind, ...fields] = decodeFields(output) ?? [];
  if (kind?.toString() === "done" && fields.length >= 8) return { kind: "done", fields };
  if (kind?.toString() !== "failed" || fields.length !== 3) return null;
  const [step, errno, text] = fields.map(String);
  return { kind: "failed", step, errno: Number(errno), text };
}
