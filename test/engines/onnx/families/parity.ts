import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { parseModelConfig, writeHfFolder } from "../../../../core/formats/index.js";
import { type EngineModelType, type ModelOutputs, type OutputName, packSequences } from "../../../../core/plugin.js";
import { OnnxBackend } from "../../../../engines/onnx/backend/onnx-backend.js";
import { canShareCache } from "../../../../engines/onnx/rollout/shared-cache-attention.js";
import { tinyOptions } from "../backend/fixtures.js";
import { forcedLogits } from "./forced-logits.js";
import { floats, type PeerCase, peerCases, relativeError } from "./peer-cases.js";
import { peerWeights } from "./peer-weights.js";

export const MODEL_TYPES: Readonly<Record<PeerCase["head"], EngineModelType>> = {
  languageModel: "language_model",
  values: "value_model",
  scores: "reward_model",
};

/** Tests that a family computes what `transformers` does: outputs and gradients in training, logits in decoding. */
export function describeParity(family: string): void {
  describe(`engines/onnx ${family} against transformers`, () => {
    for (const [i, peer] of peerCases(family).entries()) {
      // The two layouts of rows in turn.
      const layout = i % 2 === 0 ? "packed" : "padded";
      it(`outputs and gradients, ${layout} rows: ${peer.name}`, () =>
        withTrainer(peer, layout, async (backend) => checkTraining(peer, backend)));
      if (peer.logits === undefined) continue;
      const config = parseModelConfig(peer.config);
      for (const attention of canShareCache(config) ? (["shared", "plain"] as const) : (["plain"] as const)) {
        it(`logits along a sequence, ${attention} attention: ${peer.name}`, async () => {
          const { promptIds, responseIds } = peer.sequences[0];
          const expected = floats(peer.logits as string).subarray((promptIds.length - 1) * config.vocabSize);
          // The prompt at once, and in pieces.
          for (const maxPiece of [32, 3]) {
            const rows = await forcedLogits(config, peerWeights(config), attention, promptIds, responseIds, maxPiece);
            expect(relativeError(rows, expected)).to.be.below(1e-5);
          }
        });
      }
    }
  });
}

async function withTrainer(
  peer: PeerCase,
  layout: "packed" | "padded",
  body: (backend: OnnxBackend) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "verl-family-"));
  try {
    const config = parseModelConfig(peer.config, { head: peer.head });
    await writeHfFolder(folder, { config, tensors: peerWeights(config), tokenizerFiles: null, dtype: "f32" });
    const modelType = MODEL_TYPES[peer.head];
    const extra = { packAbovePadding: layout === "packed" ? 0 : 1 };
    const backend = new OnnxBackend({ ...tinyOptions(), modelType, model: { path: folder }, extra });
    await backend.load();
    await body(backend);
    await backend.dispose();
  } finally {
    await rm(folder, { recursive: true });
  }
}

export async function checkTraining(peer: PeerCase, backend: OnnxBackend): Promise<void> {
  const batch = packSequences(peer.sequences);
  const names = Object.keys(peer.outputs) as OutputName[];
  const outputs = await backend.forward(batch, names);
  for (const name of names) {
    const expected = floats(peer.outputs[name] as string);
    expect(relativeError(outputs[name] as Float32Array, expected), name).to.be.below(1e-5);
  }
  const [first] = names;
  const factors = (outputs[first] as Float32Array).map((_, i) => Math.sin(3 * i + 1));
  await backend.backward(batch, { [first]: factors } as ModelOutputs);
  const compared: string[] = [];
  for await (const { name, data } of backend.gradients()) {
    const [norm, sample] = peer.gradients[name];
    const values = data as Float32Array;
    const expected = floats(sample);
    const step = Math.ceil(values.length / 24);
    const found = values.filter((_, i) => i % step === 0);
    const scale = norm * Math.sqrt(expected.length / values.length);
    const difference = Math.hypot(...found.map((x, i) => x - expected[i]));
    expect(difference / scale, name).to.be.below(1e-5);
    expect(Math.abs(Math.hypot(...values) / norm - 1), name).to.be.below(1e-5);
    compared.push(name);
  }
  expect(compared).to.have.members(Object.keys(peer.gradients));
}
