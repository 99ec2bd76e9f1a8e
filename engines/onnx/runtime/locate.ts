import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { errors } from "../errors.js";

export interface OrtPackage {
  readonly version: string;
  readonly directory: string;
  /** The shared library that the package ships for this machine; null where it ships none. */
  readonly libraryPath: string | null;
}

const LIBRARY_NAMES: Readonly<Record<string, string>> = {
  linux: "libonnxruntime.so.1",
  darwin: "libonnxruntime.1.dylib",
  win32: "onnxruntime.dll",
};

/** Find the optional dependency onnxruntime-node without loading it, as seen from a module's URL. */
export function locateOrtPackage(from = import.meta.url): OrtPackage {
  let manifest: string;
  try {
    manifest = createRequire(from).resolve("onnxruntime-node/package.json");
  } catch (cause) {
    throw errors.VERL_ONNX_NOT_INSTALLED({ what: "onnxruntime-node is not installed", cause });
  }
  const directory = path.dirname(manifest);
  const { version } = JSON.parse(readFileSync(manifest, "utf8")) as { version: string };
  const name = LIBRARY_NAMES[process.platform];
  const libraryPath = path.join(directory, "bin", "napi-v6", process.platform, process.arch, name ?? "");
  return { version, directory, libraryPath: name && existsSync(libraryPath) ? libraryPath : null };
}
