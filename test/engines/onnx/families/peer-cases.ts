import { readFileSync } from "node:fs";
import type { HeadKind } from "../../../../core/formats/index.js";
import type { AdapterConfig, OutputName } from "../../../../core/plugin.js";

/** What `transformers` computes for a small random model; made by `test/peers/model_families.py`. */
export interface PeerCase {
  readonly name: string;
  readonly head: HeadKind;
  readonly config: Readonly<Record<string, unknown>>;
  readonly sequences: readonly { readonly promptIds: number[]; readonly responseIds: number[] }[];
  /** float32 as base64; so is every string below. */
  readonly outputs: Readonly<Partial<Record<OutputName, string>>>;
  /** Norm and some entries, evenly spaced, of every parameter's gradient. */
  readonly gradients: Readonly<Record<string, readonly [norm: number, sample: string]>>;
  /** Along the first sequence, [T, vocab]; with a language-model head. */
  readonly logits?: string;
}

export function peerCases(family: string): PeerCase[] {
  return JSON.parse(readFileSync(`test/fixtures/models/${family}.json`, "utf8"));
}

/** What PEFT computes for a model with an adapter; made by `test/peers/adapters.py`. Gradients are those of the adapter. */
export interface AdapterCase extends PeerCase {
  readonly adapter: Exclude<AdapterConfig, { path: string }>;
}

export function adapterCases(): AdapterCase[] {
  return JSON.parse(readFileSync("test/fixtures/adapters.json", "utf8"));
}

export function floats(base64: string): Float32Array {
  return new Float32Array(Uint8Array.from(Buffer.from(base64, "base64")).buffer);
}

/** ‖a − b‖ / ‖b‖ */
export function relativeError(actual: ArrayLike<number>, expected: ArrayLike<number>): number {
  if (actual.length !== expected.length) return Number.POSITIVE_INFINITY;
  let [difference, norm] = [0, 0];
  for (let i = 0; i < expected.length; i++) {
    difference += (actual[i] - expected[i]) ** 2;
    norm += expected[i] ** 2;
  }
  return Math.sqrt(difference / norm);
}
