import { openBindingRuntime } from "./binding/binding-runtime.js";
import { openCApiRuntime } from "./capi/capi-runtime.js";
import { locateOrtPackage } from "./locate.js";
import type { OrtRuntime } from "./ort-runtime.js";

/** Open one implementation without testing it. */
export async function openRuntimeOfKind(kind: OrtRuntime["kind"]): Promise<OrtRuntime> {
  const located = locateOrtPackage();
  if (kind === "binding") return openBindingRuntime(located.version);
  if (located.libraryPath === null) {
    throw new Error(`onnxruntime-node ${located.version} ships no library for ${process.platform}-${process.arch}`);
  }
  return openCApiRuntime(located.libraryPath);
}
