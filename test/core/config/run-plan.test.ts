import { expect } from "chai";
import { makeConfig, planRun } from "../../../core/config/index.js";
import { codedError } from "./support.js";

const config = (values: { batch: number; epochs?: number; steps?: number }) =>
  makeConfig({
    data: { train_batch_size: values.batch },
    trainer: { total_epochs: values.epochs ?? 1, total_training_steps: values.steps ?? null },
  });

describe("core/config/run-plan", () => {
  it("counts whole batches of each pass", () => {
    expect(planRun(config({ batch: 8, epochs: 3 }), 60)).to.include({ stepsPerEpoch: 7, totalSteps: 21 });
    expect(planRun(config({ batch: 8, steps: 5 }), 60).totalSteps).to.equal(5);
  });

  it("refuses a run without a step", async () => {
    const error = await codedError(() => planRun(config({ batch: 64 }), 60));
    expect(error.code).to.equal("VERL_CONFIG_NO_STEPS");
    expect(error.why).to.equal("floor(60 / 64) = 0 steps per pass.");
  });
});
