import { expect } from "chai";
import { agentSettings } from "../../../core/agent/index.js";
import { configOf } from "./harness.js";

describe("agent settings", () => {
  it("samples greedily where do_sample is false", () => {
    const { sampling } = agentSettings(
      configOf({ rollout: { do_sample: false }, val_kwargs: { temperature: 1, do_sample: false } }),
    );
    for (const params of [sampling.train, sampling.val]) {
      expect(params).to.deep.include({ temperature: 0, topP: 1, topK: -1 });
    }
  });

  it("lets a validation temperature take effect by itself", () => {
    expect(agentSettings(configOf({ val_kwargs: { temperature: 1 } })).sampling.val.temperature).to.equal(1);
  });

  it("carries what the server must know", () => {
    const { sampling } = agentSettings(
      configOf({
        rollout: { min_p: 0.1, stop: ["\n"], ignore_eos: true, repetition_penalty: 1.2, calculate_log_probs: false },
      }),
    );
    expect(sampling.train).to.deep.equal({
      temperature: 1,
      topP: 0.9,
      topK: -1,
      minP: 0.1,
      stop: ["\n"],
      ignoreEos: true,
      repetitionPenalty: 1.2,
      logProbs: false,
    });
  });
});
