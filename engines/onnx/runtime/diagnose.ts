import { type Diagnosis, isVerlError, reasonOf } from "../../../core/plugin.js";
import { openOrtRuntime } from "./select-runtime.js";

/** For `verl doctor`: whether onnxruntime is there and how it is called. Runs the self-test if nobody did before. */
export async function diagnoseOrt(): Promise<readonly Diagnosis[]> {
  const name = "onnxruntime";
  try {
    const { kind, version } = await openOrtRuntime();
    if (kind === "capi") return [{ name, status: "ok", detail: `${version} through its C API, self-test passed` }];
    const detail = `${version} through the Node binding, which copies what it computes with; the C API (package koffi) is not installed or failed its self-test`;
    return [{ name, status: "warning", detail, fix: "npm install koffi" }];
  } catch (error) {
    const { what, fix } = isVerlError(error) ? error : { what: reasonOf(error), fix: undefined };
    return [{ name, status: "failed", detail: what, fix }];
  }
}
