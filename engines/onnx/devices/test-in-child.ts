import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { errors } from "../errors.js";
import type { OnnxDevice } from "./devices.js";

/** Drivers compile every kernel the first time; on an emulated device that takes long. */
const DEADLINE_MS = 300_000;

/**
 * Computes gradients on a device in a process of its own, because a driver may end the process that uses it. Every time: a verdict of
 * yesterday would not know of a new driver.
 */
export async function testInChild(device: OnnxDevice): Promise<void> {
  const script = fileURLToPath(new URL("./test-main.js", import.meta.url));
  try {
    await promisify(execFile)(process.execPath, [script, device], { timeout: DEADLINE_MS, killSignal: "SIGKILL" });
  } catch (cause) {
    const { killed, signal, stderr } = cause as { killed?: boolean; signal?: string; stderr?: string };
    const said = stderr?.split("\n").find((line) => line.startsWith("failed: "));
    const how = killed
      ? `it did not end within ${DEADLINE_MS / 1000} s`
      : signal
        ? `the process died of ${signal}`
        : "it ended";
    throw errors.VERL_ONNX_RUNTIME_UNUSABLE({
      what: `onnxruntime on device "${device}" failed the test of its gradients`,
      why: said?.slice("failed: ".length) ?? how,
      fix: "Use the processor (trainer.device=cpu), or update the device's driver.",
      cause,
    });
  }
}
