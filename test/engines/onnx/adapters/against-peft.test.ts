import { join } from "node:path";
import { expect } from "chai";
import { type AdapterConfig, type EngineOptions, type OutputName, packSequences } from "../../../../core/plugin.js";
import { OnnxBackend } from "../../../../engines/onnx/backend/onnx-backend.js";
import { HEAD_OUTPUTS } from "../../../../engines/onnx/models/head.js";
import { tinyOptions } from "../backend/fixtures.js";
import { checkTraining, MODEL_TYPES } from "../families/parity.js";
import { adapterCases, relativeError } from "../families/peer-cases.js";
import { withCase } from "./adapter-folders.js";

describe("engines/onnx adapters against PEFT", () => {
  for (const [i, peer] of adapterCases().entries()) {
    const layout = i % 2 === 0 ? "packed" : "padded";
    const [output]: readonly OutputName[] = HEAD_OUTPUTS[peer.head];
    const batch = packSequences(peer.sequences);

    const open = async (path: string, adapter: AdapterConfig | null, changes: Partial<EngineOptions> = {}) => {
      const extra = { packAbovePadding: layout === "packed" ? 0 : 1 };
      const modelType = MODEL_TYPES[peer.head];
      const backend = new OnnxBackend({ ...tinyOptions(), modelType, model: { path }, adapter, extra, ...changes });
      await backend.load();
      return backend;
    };
    const compute = async (backend: OnnxBackend) => (await backend.forward(batch, [output]))[output] as Float32Array;

    it(`outputs and gradients, ${layout} rows: ${peer.name}`, () =>
      withCase(peer, async ({ model, adapter }) => {
        const backend = await open(model, { path: adapter });
        await checkTraining(peer, backend);
        await backend.dispose();
      }));

    it(`merged into a model of its own, and the model without it: ${peer.name}`, () =>
      withCase(peer, async ({ model, adapter, root }) => {
        const backend = await open(model, { path: adapter });
        const adapted = await compute(backend);
        await backend.save(root, ["hf_model"]);
        const merged = await open(join(root, "huggingface"), null, { optimizer: null });
        expect(relativeError(await compute(merged), adapted)).to.be.below(1e-5);

        const plain = await open(model, null, { optimizer: null });
        await backend.adapters?.enable(false);
        expect(await compute(backend)).to.deep.equal(await compute(plain));
        expect(relativeError(await compute(plain), adapted)).to.be.above(1e-3);
        await backend.adapters?.enable(true);
        expect(await compute(backend)).to.deep.equal(adapted);
        await Promise.all([backend, merged, plain].map((engine) => engine.dispose()));
      }));
  }
});
