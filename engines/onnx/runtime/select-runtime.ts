import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { isVerlError, reasonOf } from "../../../core/plugin.js";
import { errors } from "../errors.js";
import { locateOrtPackage } from "./locate.js";
import { openRuntimeOfKind } from "./open-runtime.js";
import type { OrtRuntime } from "./ort-runtime.js";
import { readVerdict, type SelfTestVerdict, selfTestKey, writeVerdict } from "./self-test-cache.js";

export interface OrtRuntimeOptions {
  /** `auto` (default): the C API if it passes its self-test, else the official binding. A named one skips the test. */
  readonly kind?: "auto" | OrtRuntime["kind"];
}

const SELF_TEST_TIMEOUT_MS = 60_000;

/** Runtimes of this process by kind asked for; opening one twice would load and test it twice. */
const opened = new Map<string, Promise<OrtRuntime>>();

export function openOrtRuntime(options: OrtRuntimeOptions = {}): Promise<OrtRuntime> {
  const kind = options.kind ?? "auto";
  let runtime = opened.get(kind);
  if (!runtime) {
    runtime = kind === "auto" ? openTrusted() : openNamed(kind);
    runtime.catch(() => opened.delete(kind));
    opened.set(kind, runtime);
  }
  return runtime;
}

async function openNamed(kind: OrtRuntime["kind"]): Promise<OrtRuntime> {
  try {
    return await openRuntimeOfKind(kind);
  } catch (cause) {
    if (isVerlError(cause)) throw cause;
    throw errors.VERL_ONNX_RUNTIME_UNUSABLE({
      what:
        kind === "capi" ? "onnxruntime's C API could not be opened" : "onnxruntime's Node binding could not be loaded",
      why: reasonOf(cause),
      ...(kind === "capi" ? { fix: "npm install koffi" } : {}),
      cause,
    });
  }
}

async function openTrusted(): Promise<OrtRuntime> {
  const located = locateOrtPackage();
  const failures: string[] = [];
  for (const kind of ["capi", "binding"] as const) {
    const verdict = await verdictOf(kind, await selfTestKey(located, kind));
    if (!verdict.trusted) {
      failures.push(`${kind}: ${verdict.reason}`);
      continue;
    }
    try {
      return await openRuntimeOfKind(kind);
    } catch (error) {
      failures.push(`${kind}: ${reasonOf(error)}`);
    }
  }
  throw errors.VERL_ONNX_RUNTIME_UNUSABLE({
    what: `onnxruntime ${located.version} failed its self-test on ${process.platform}-${process.arch}`,
    where: located.directory,
    why: failures.join("; "),
  });
}

async function verdictOf(kind: OrtRuntime["kind"], key: string): Promise<SelfTestVerdict> {
  const known = await readVerdict(key);
  if (known) return known;
  const verdict = await testInChild(kind);
  if (!verdict.timedOut) await writeVerdict(key, verdict);
  return verdict;
}

/** A wrong pointer ends a process; so it is not ours. */
async function testInChild(kind: OrtRuntime["kind"]): Promise<SelfTestVerdict & { readonly timedOut: boolean }> {
  const script = fileURLToPath(new URL("./self-test-main.js", import.meta.url));
  try {
    await promisify(execFile)(process.execPath, [script, kind], { timeout: SELF_TEST_TIMEOUT_MS });
    return { trusted: true, reason: "", timedOut: false };
  } catch (error) {
    const { stderr, signal, killed } = error as { stderr?: string; signal?: string; killed?: boolean };
    const lines = stderr?.split("\n").filter((line) => /\w*Error\b/.test(line)) ?? [];
    const reason = lines[0] ?? (signal ? `the process died of ${signal}` : reasonOf(error));
    return { trusted: false, reason, timedOut: killed === true };
  }
}
