import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { expect } from "chai";
import { isVerlError } from "../../../../core/plugin.js";
import { OnnxBackend } from "../../../../engines/onnx/backend/onnx-backend.js";
import { raggedBatch, tinyBackend, tinyOptions } from "./fixtures.js";

describe("engines/onnx/backend checkpoints", () => {
  let dir: string;
  beforeEach(async () => {
    dir = await mkdtemp(path.join(os.tmpdir(), "verl-onnx-"));
  });
  afterEach(() => rm(dir, { recursive: true }));

  for (const tied of [true, false]) {
    it(`exports a Hugging Face folder that a forward-only engine loads, ${tied ? "tied" : "untied"}`, async () => {
      const backend = await tinyBackend({ tied });
      await backend.save(dir, ["hf_model"]);
      const exported = path.join(dir, "huggingface");
      const config = JSON.parse(await readFile(path.join(exported, "config.json"), "utf8"));
      expect(config).to.include({ model_type: "llama", torch_dtype: "float32", tie_word_embeddings: tied });
      const reloaded = new OnnxBackend({ ...tinyOptions(), model: { path: exported }, optimizer: null });
      await reloaded.load();
      const batch = raggedBatch();
      expect(await reloaded.forward(batch, ["logProb"])).to.deep.equal(await backend.forward(batch, ["logProb"]));
      const refused = await reloaded.gradNorm().catch((e) => e);
      expect(isVerlError(refused) && refused.code).to.equal("VERL_ONNX_FORWARD_ONLY");
      await Promise.all([backend.dispose(), reloaded.dispose()]);
    });
  }

  it("exports in the precision that is asked for", async () => {
    const backend = await tinyBackend({ kwargs: { exportDtype: "bf16" } });
    await backend.save(dir, ["hf_model"]);
    const config = JSON.parse(await readFile(path.join(dir, "huggingface", "config.json"), "utf8"));
    expect(config.torch_dtype).to.equal("bfloat16");
    await backend.dispose();
  });

  it("exports in files of at most the size that is asked for, and restores them", async () => {
    const backend = await tinyBackend({ kwargs: { exportShardMiB: 0.001 } });
    await backend.save(dir, ["hf_model"]);
    const files = await readdir(path.join(dir, "huggingface"));
    expect(files).to.include("model.safetensors.index.json").and.not.include("model.safetensors");
    const other = new OnnxBackend({ ...tinyOptions(), model: { ...tinyOptions().model, initSeed: 8 } as never });
    await other.load();
    await other.restore(dir, ["hf_model"]);
    const batch = raggedBatch();
    expect(await other.forward(batch, ["logProb"])).to.deep.equal(await backend.forward(batch, ["logProb"]));
    await Promise.all([backend.dispose(), other.dispose()]);
  });

  it("refuses weights that are not finite, by name, unless they are allowed", async () => {
    const backend = await tinyBackend();
    await backend.save(dir, ["model"]);
    const file = path.join(dir, "model.safetensors");
    const bytes = await readFile(file);
    bytes.writeFloatLE(Number.NaN, bytes.length - 4);
    await writeFile(file, bytes);
    const refused = await backend.restore(dir, ["model"]).catch((error) => error);
    expect(refused.code).to.equal("VERL_FORMATS_NOT_FINITE");
    expect(refused.message).to.include("lm_head.weight").and.include(dir);
    expect(refused.fix).to.include("earlier checkpoint").and.not.include("download");
    const lenient = await tinyBackend({ kwargs: { allowNonFinite: true } });
    await lenient.restore(dir, ["model"]);
    await Promise.all([backend.dispose(), lenient.dispose()]);
  });

  it("refuses the optimizer's numbers that are not finite, by file, unless they are allowed", async () => {
    const backend = await tinyBackend();
    await backend.save(dir, ["optimizer"]);
    const file = path.join(dir, "optimizer.safetensors");
    const bytes = await readFile(file);
    bytes.writeFloatLE(Number.NaN, bytes.length - 4);
    await writeFile(file, bytes);
    const refused = await backend.restore(dir, ["optimizer"]).catch((error) => error);
    expect(refused).to.include({ code: "VERL_FORMATS_NOT_FINITE", where: file });
    expect(refused.fix).to.include("earlier checkpoint").and.not.include("download");
    const lenient = await tinyBackend({ kwargs: { allowNonFinite: true } });
    await lenient.restore(dir, ["optimizer"]);
    await Promise.all([backend.dispose(), lenient.dispose()]);
  });

  it("refuses a checkpoint of another model, and one without the part that is asked for", async () => {
    const backend = await tinyBackend();
    await backend.save(dir, ["model"]);
    const other = await tinyBackend({ vocabSize: 12 });
    const code = (work: Promise<unknown>) =>
      work.then(() => "none").catch((e) => (isVerlError(e) ? e.code : String(e)));
    expect(await code(other.restore(dir, ["model"]))).to.match(/^VERL_(ONNX_BAD_CHECKPOINT|FORMATS_TENSOR_SHAPE)$/);
    expect(await code(backend.restore(dir, ["optimizer"]))).to.equal("VERL_ONNX_BAD_CHECKPOINT");
    await Promise.all([backend.dispose(), other.dispose()]);
  });
});
