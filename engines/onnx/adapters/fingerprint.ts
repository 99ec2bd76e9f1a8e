import { createHash } from "node:crypto";
import type { ParameterStore } from "../backend/parameter-store.js";

/** Elements of each parameter that are looked at. */
const SAMPLES = 64;

/** Tells models apart by names, shapes and some values of their parameters. */
export function fingerprint(store: ParameterStore): string {
  const hash = createHash("sha256");
  for (const parameter of store.parameters) {
    const values = store.values(parameter);
    const step = Math.max(1, Math.floor(values.length / SAMPLES));
    const sample = Float32Array.from({ length: Math.min(SAMPLES, values.length) }, (_, i) => values[i * step]);
    hash.update(`${parameter.name} ${parameter.shape}`).update(new Uint8Array(sample.buffer));
  }
  return hash.digest("hex").slice(0, 32);
}
