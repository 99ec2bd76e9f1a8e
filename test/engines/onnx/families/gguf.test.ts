import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { packSequences } from "../../../../core/plugin.js";
import { OnnxBackend } from "../../../../engines/onnx/backend/onnx-backend.js";
import { tinyOptions } from "../backend/fixtures.js";

const FOLDER = "test/fixtures/formats/gguf";

/** What llama.cpp computes along a sequence, `[T, vocab]`; made by test/peers/gguf_models.py. */
const cases: Readonly<Record<string, { ids: number[]; logProbs: number[][] }>> = JSON.parse(
  readFileSync(join(FOLDER, "log-probs.json"), "utf8"),
);

describe("engines/onnx GGUF models against llama.cpp", () => {
  for (const [name, { ids, logProbs }] of Object.entries(cases)) {
    it(`log-probabilities of ${name}`, async () => {
      const path = join(FOLDER, `${name}.gguf`);
      const backend = new OnnxBackend({ ...tinyOptions(), model: { path }, optimizer: null });
      await backend.load();
      const batch = packSequences([{ promptIds: ids.slice(0, 1), responseIds: ids.slice(1) }]);
      const { logProb } = await backend.forward(batch, ["logProb"]);
      await backend.dispose();
      const expected = ids.slice(1).map((id, i) => logProbs[i][id]);
      const differences = expected.map((value, i) => Math.abs(value - (logProb as Float32Array)[i]));
      // llama.cpp looks GELU up in a table of float16.
      const tolerance = /^g/.test(name) ? 3e-3 : 1e-5;
      expect(Math.max(...differences)).to.be.below(tolerance);
    });
  }
});
