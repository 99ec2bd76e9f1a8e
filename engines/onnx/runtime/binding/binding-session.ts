import type { InferenceSession, Tensor } from "onnxruntime-node";
import { type OrtSessionOptions, spinConfig } from "../ort-runtime.js";

/** The binding's module. */
export type Ort = typeof import("onnxruntime-node");

/** Options of a session as they travel between threads. */
export type SessionSettings = Pick<OrtSessionOptions, "threads" | "spin" | "memoryPattern" | "tracePath"> & {
  readonly external: readonly { readonly path: string; readonly data: Uint8Array }[];
};

/** Loads the binding on this thread; rejects where it is missing or cannot be loaded. */
export async function loadBinding(): Promise<Ort> {
  const module = (await import("onnxruntime-node")) as Ort & { default?: Ort };
  return module.default ?? module;
}

/** A session of the binding, on this thread. */
export function createNative(ort: Ort, model: Uint8Array, settings: SessionSettings): Promise<InferenceSession> {
  const { threads = 0, spin, memoryPattern = false, tracePath, external } = settings;
  return ort.InferenceSession.create(model, {
    logSeverityLevel: 4,
    intraOpNumThreads: threads,
    enableMemPattern: memoryPattern,
    ...(tracePath === undefined ? {} : { enableProfiling: true, profileFilePrefix: tracePath }),
    externalData: [...external],
    extra: { session: { intra_op: spinConfig(spin) } },
  });
}

/** Views of the external initializers, not copies. */
export function settingsOf(options: OrtSessionOptions): SessionSettings {
  const { threads, spin, memoryPattern, tracePath, externalInitializers = {} } = options;
  const external = Object.entries(externalInitializers).map(([path, { data }]) => ({
    path,
    data: new Uint8Array(data.buffer as ArrayBuffer, data.byteOffset, data.byteLength),
  }));
  return { threads, spin, memoryPattern, tracePath, external };
}

export type NativeTensors = Record<string, Tensor>;
