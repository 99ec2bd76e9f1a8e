import { expect } from "chai";
import { parseModelConfig } from "../../../core/formats/index.js";
import { trainingMemory } from "../../../engines/onnx/index.js";

describe("engines/onnx training memory", () => {
  const config = parseModelConfig({
    model_type: "llama",
    vocab_size: 8192,
    hidden_size: 512,
    intermediate_size: 1408,
    num_hidden_layers: 8,
    num_attention_heads: 8,
  });
  const shape = { tokens: 1024, longest: 128, trains: true, logitsMemoryMiB: 512, attentionMemoryMiB: 1024 };
  const MiB = 2 ** 20;

  it("counts weights, gradients and moments, activations, attention and logits", () => {
    const memory = trainingMemory(config, shape);
    expect(memory.parameters / MiB).to.be.closeTo(520, 1);
    expect(memory.activations / MiB).to.equal(200);
    expect(memory.attention / MiB).to.equal(32);
    expect(memory.logits / MiB).to.equal(128);
    expect(memory.total).to.equal(memory.parameters + memory.activations + memory.attention + memory.logits);
  });

  it("keeps to the engine's bounds, and needs little for a forward pass alone", () => {
    const bounded = trainingMemory(config, { ...shape, logitsMemoryMiB: 16, attentionMemoryMiB: 8 });
    expect([bounded.logits / MiB, bounded.attention / MiB]).to.deep.equal([16, 4]);
    const forward = trainingMemory(config, { ...shape, trains: false });
    expect(forward.parameters * 4).to.equal(trainingMemory(config, shape).parameters);
    expect(forward.activations * 8).to.equal(trainingMemory(config, shape).activations);
  });

  it("counts one block of attention where sequences are long", () => {
    const at = (longest: number) => trainingMemory(config, { ...shape, tokens: longest, longest });
    expect(at(4096).attention / MiB).to.equal(64);
    expect(at(8192).attention / at(4096).attention).to.equal(2);
    expect(at(8192).total - at(8192).parameters).to.be.below(2 * (at(4096).total - at(4096).parameters) + 1);
  });
});
