import { existsSync } from "node:fs";
import { expect } from "chai";
import type { PolicyLossFactory, VerlError } from "../../../../core/plugin.js";
import { LostUpdates, requireNumbers } from "../../../../core/trainer/step/divergence.js";
import { verl } from "../support/child.js";
import { ToyFolder } from "../support/toy-run.js";
import { ONNX_OVERRIDES, TOY_OVERRIDES } from "../support/toy-task.js";

const NAN = { loss: Number.NaN, gradNorm: Number.NaN, skipped: true };
const FINE = { loss: 1, gradNorm: 1, skipped: false };

function thrown(body: () => void): VerlError | null {
  try {
    body();
    return null;
  } catch (error) {
    return error as VerlError;
  }
}

describe("core/trainer/step/divergence: skipped updates", () => {
  it("end the run once more of a model than allowed are skipped in a row", () => {
    const lost = new LostUpdates(2);
    for (const result of [NAN, NAN, FINE, NAN, NAN]) lost.count("actor", 1, result);
    lost.count("critic", 1, NAN);
    const error = thrown(() => lost.count("actor", 7, NAN));
    expect(error?.code).to.equal("VERL_TRAINER_DIVERGED");
    expect(error?.what).to.include("3 updates of the actor in a row").and.include("NaN");
    expect(error?.where).to.equal("step 7");
    expect(error?.why).to.include("trainer.max_skipped_updates is 2");
  });

  it("count where the gradient is finite and the loss is not", () => {
    const lost = new LostUpdates(0);
    expect(thrown(() => lost.count("actor", 1, { ...FINE, loss: Number.POSITIVE_INFINITY }))).not.to.equal(null);
  });

  it("end a run at its end that had nothing else, or ends in them", () => {
    const lost = new LostUpdates(10);
    const all = (...results: (typeof FINE)[]) => {
      for (const result of results) lost.count("actor", 1, result);
      return thrown(() => lost.report(3))?.what ?? null;
    };
    expect(all(NAN)).to.equal("all 1 updates of the actor were skipped");
    expect(all(FINE)).to.equal(null);
    expect(all(NAN)).to.equal(null);
    expect(all(NAN)).to.equal("the last 2 of 4 updates of the actor were skipped");
  });

  it("are nobody's business where no limit is set", () => {
    const lost = new LostUpdates(null);
    for (let step = 1; step <= 50; step++) lost.count("actor", step, NAN);
    lost.report(50);
  });
});

describe("core/trainer/step/divergence: outputs of a model", () => {
  const check = (values: number[], mask = values.map(() => 1)) =>
    thrown(() => requireNumbers(values, mask, { model: "actor", output: "log-probabilities", step: 4 }));

  it("most of which are no numbers end the run", () => {
    for (const bad of [Number.NaN, Number.NEGATIVE_INFINITY, -1e7]) {
      const error = check([-1, bad, bad]);
      expect(error?.code).to.equal("VERL_TRAINER_DIVERGED");
      expect(error?.what).to.include("2 of 3 log-probabilities");
      expect(error?.where).to.equal("step 4");
    }
  });

  it("may hold a few, and count only where the mask is set", () => {
    expect(check([-1, -1, Number.NaN, -20])).to.equal(null);
    expect(check([-1, Number.NaN, Number.NaN], [1, 0, 0])).to.equal(null);
    expect(check([])).to.equal(null);
  });

  it("of a reference are advised on as a matter of its files", () => {
    const error = thrown(() =>
      requireNumbers([Number.NaN], [1], { model: "reference", output: "log-probabilities", step: 1 }),
    );
    expect(error?.fix).to.include("verl doctor");
  });
});

describe("core/trainer: a run whose training has come to nothing", () => {
  let folder: ToyFolder;
  beforeEach(async () => {
    folder = await ToyFolder.create();
  });
  afterEach(() => folder[Symbol.asyncDispose]());

  /** A loss that is no number, or only so from the given update on. */
  const nanLoss = (from = 1): PolicyLossFactory => ({
    name: "broken",
    create: () => {
      let updates = 0;
      return {
        kind: "opaque",
        name: "broken",
        scope: "token",
        outputs: ["logProb"],
        compute({ responseMask }) {
          const value = ++updates >= from ? Number.NaN : 0.001;
          return {
            loss: value,
            metrics: {},
            gradients: { logProb: Float32Array.from(responseMask, () => value) },
          };
        },
      };
    },
  });
  const LOSS = "actor_rollout_ref.actor.policy_loss.loss_mode=broken";

  it("ends with an error where every update was skipped, few as they are", async () => {
    const { error, tracker, log } = await folder.fail({
      overrides: [LOSS],
      register: (host) => host.policyLosses.register(nanLoss()),
    });
    expect(error.code).to.equal("VERL_TRAINER_DIVERGED");
    expect(error.what).to.include("all 3 updates of the actor were skipped");
    expect(tracker.outcomes[0].exitCode).to.equal(1);
    expect(log.filter((line) => line.includes("trainer.health.skipped_updates"))).to.have.length(1);
  });

  it("ends at once where as many in a row were skipped as are allowed, and what was saved stays", async () => {
    const { error } = await folder.fail({
      overrides: [LOSS, "trainer.max_skipped_updates=1", "trainer.save_freq=1", "trainer.total_training_steps=9"],
      register: (host) => host.policyLosses.register(nanLoss(3)),
    });
    expect(error.what).to.include("2 updates of the actor in a row were skipped");
    expect(error.where).to.equal("step 4");
    expect([2, 3, 4].map((step) => existsSync(folder.at("run", `global_step_${step}`)))).to.deep.equal([
      true,
      true,
      false,
    ]);
  });

  it("goes to its end where that is asked for", async () => {
    const { reason, alarms } = await folder.train({
      overrides: [LOSS, "trainer.max_skipped_updates=null"],
      register: (host) => host.policyLosses.register(nanLoss()),
    });
    expect(reason).to.equal("completed");
    expect(alarms?.map(({ kind }) => kind)).to.include("skipped_updates");
  });
});

/** Whole processes with the built-in engine. */
describe("a learning rate that destroys the model", function () {
  this.timeout(60_000);
  const RUN = [...TOY_OVERRIDES, ...ONNX_OVERRIDES, "trainer.save_freq=1", "trainer.val_before_train=false"];
  const train = (folder: ToyFolder, ...overrides: string[]) =>
    verl(["train", ...RUN, ...overrides], { cwd: folder.dir });

  for (const rate of ["1e9", "1e30"]) {
    const RATE = `actor_rollout_ref.actor.optim.lr=${rate}`;
    it(`of ${rate} ends the run with an error, and no checkpoint is written over the good one`, async () => {
      await using folder = await ToyFolder.create();
      const good = await train(folder, "trainer.total_training_steps=1");
      expect(good.code, good.stderr).to.equal(0);
      const bad = await train(folder, "trainer.total_training_steps=4", RATE, "trainer.max_actor_ckpt_to_keep=1");
      expect(bad.stderr).to.include("error VERL_TRAINER_DIVERGED\n").and.include("actor_rollout_ref.actor.optim.lr");
      expect(bad.stderr).to.include("The newest checkpoint is that of step 1");
      expect(bad.code).to.equal(1);
      expect(existsSync(folder.at("run", "global_step_2"))).to.equal(false);
      const again = await train(folder, "trainer.total_training_steps=2");
      expect(again.stderr).to.include("resumed step 1");
      expect(again.code, again.stderr).to.equal(0);
    });

    it(`of ${rate} ends a run with an error that saves nothing, also one of a single step`, async () => {
      await using folder = await ToyFolder.create();
      const { code, stderr } = await train(folder, "trainer.save_freq=-1", "trainer.total_training_steps=1", RATE);
      expect(stderr).to.include("error VERL_TRAINER_DIVERGED\n");
      expect(code).to.equal(1);
    });
  }
});
