import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { reasonOf } from "../../../core/plugin.js";
import { errors } from "../errors.js";
import { type CApiProvider, cudaProvider, webGpuProvider } from "../runtime/capi/provider.js";
import { locateOrtPackage, type OrtPackage, type OrtRuntime, openCApiRuntime } from "../runtime/index.js";
import { testInChild } from "./test-in-child.js";

/** Devices beside the processor that the engine computes on, through a provider of onnxruntime. */
export type OnnxDevice = "cuda" | "webgpu";

const PROVIDERS: Readonly<Record<OnnxDevice, CApiProvider>> = { cuda: cudaProvider, webgpu: webGpuProvider };

/** What a device lacks on this machine. */
export interface MissingPart {
  readonly what: string;
  /** The command that installs it; null where nothing does. */
  readonly install: string | null;
}

/** Libraries alone: whether there is a device is the platform's to say. Null where nothing is missing. */
export function missingPart(device: OnnxDevice, vendor: string): MissingPart | null {
  if (device === "cuda" && vendor !== "nvidia") {
    return { what: `onnxruntime's CUDA provider is for NVIDIA's chips, not for ${vendor}`, install: null };
  }
  let located: OrtPackage;
  try {
    located = locateOrtPackage();
  } catch (error) {
    return { what: reasonOf(error).split("\n")[0], install: "npm install onnxruntime-node@1.30.0 --ignore-scripts" };
  }
  const { libraryPath, directory, version } = located;
  const machine = `${process.platform}-${process.arch}`;
  if (libraryPath === null) {
    return { what: `onnxruntime-node ${version} ships no library for ${machine}`, install: null };
  }
  if (!isInstalled("koffi"))
    return { what: "koffi, through which devices are used, is not installed", install: "npm install koffi" };
  if (device === "webgpu") return null;
  if (machine !== "linux-x64") {
    return {
      what: `onnxruntime-node ${version} has CUDA for linux-x64 alone, and this is ${machine}`,
      install: null,
    };
  }
  const libraries = ["libonnxruntime_providers_shared.so", "libonnxruntime_providers_cuda.so"];
  const missing = libraries.filter((name) => !existsSync(path.join(path.dirname(libraryPath), name)));
  if (missing.length === 0) return null;
  return {
    what: `onnxruntime's CUDA libraries are not installed (no ${missing.join(", ")} in ${path.dirname(libraryPath)})`,
    install: `ONNXRUNTIME_NODE_INSTALL=cuda12 node ${path.join(directory, "script", "install.js")}`,
  };
}

/** onnxruntime on a device, once another process has computed right gradients there. */
export async function openDevice(device: OnnxDevice, vendor: string): Promise<OrtRuntime> {
  const missing = missingPart(device, vendor);
  if (missing) {
    const { what, install } = missing;
    throw errors.VERL_ONNX_DEVICE_MISSING({ what, ...(install ? { fix: install } : {}) });
  }
  await tested(device);
  return openUntested(device);
}

/** For the process that tests it. */
export function openUntested(device: OnnxDevice): Promise<OrtRuntime> {
  return openCApiRuntime(locateOrtPackage().libraryPath as string, PROVIDERS[device]);
}

/** Tests of this process by device: actor, critic and reference need one. A failure is not remembered. */
const tests = new Map<OnnxDevice, Promise<void>>();

function tested(device: OnnxDevice): Promise<void> {
  let test = tests.get(device);
  if (!test) {
    test = testInChild(device);
    test.catch(() => tests.delete(device));
    tests.set(device, test);
  }
  return test;
}

function isInstalled(name: string): boolean {
  try {
    createRequire(import.meta.url).resolve(name);
    return true;
  } catch {
    return false;
  }
}
