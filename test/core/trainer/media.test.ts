import { access, readdir, readFile, writeFile } from "node:fs/promises";
import { expect } from "chai";
import type { TrajectoryRecord } from "../../../core/plugin.js";
import { readTrajectories } from "../../../core/tracking/index.js";
import { fakeEngineFactory, fakeRolloutFactory } from "../../../testing/index.js";
import { verl } from "./support/child.js";
import { reproducible } from "./support/compare.js";
import { asking, PICTURE_OVERRIDES, pictures, rollout, showing, VOCAB, WITH_TOOL } from "./support/pictures.js";
import { TOY_OVERRIDES } from "./support/toy-task.js";

describe("a run with media", function () {
  this.timeout(60_000);

  for (const [name, rows, overrides] of [
    ["images of the data", showing, PICTURE_OVERRIDES],
    ["images that a tool returns", asking, WITH_TOOL],
  ] as const) {
    it(`learns to tell the colour of ${name}, and trainer and server see the same`, async () => {
      await using folder = await pictures(rows);
      const { tracker } = await folder.train({
        overrides: [
          ...overrides,
          "data.val_files=[val.jsonl]",
          "trainer.test_freq=40",
          "trainer.val_before_train=true",
        ],
      });
      const accuracy = (step: number) =>
        tracker.steps.find((found) => found.step === step)?.metrics["val-core/toy/acc/mean@1"] ?? Number.NaN;
      expect(accuracy(40)).to.equal(1);
      expect(accuracy(0)).to.be.below(1);
      for (const { step, metrics } of tracker.steps) {
        const gap = metrics["training/sampler_gap/max"];
        if (step > 0) expect(gap, `step ${step}`).to.be.below(1e-4);
      }
    });
  }

  it("goes on from a checkpoint as if it had never stopped", async () => {
    await using whole = await pictures(asking);
    await using halves = await pictures(asking);
    const all = await whole.train({ overrides: [...WITH_TOOL, "trainer.total_training_steps=4"] });
    await halves.train({ overrides: [...WITH_TOOL, "trainer.total_training_steps=2", "trainer.save_freq=2"] });
    const rest = await halves.train({
      overrides: [...WITH_TOOL, "trainer.total_training_steps=4", "trainer.save_freq=2"],
    });
    expect(reproducible(rest.tracker)).to.deep.equal(reproducible(all.tracker).filter(({ step }) => step > 2));
  });

  it("trains on several processes as on one", async () => {
    await using one = await pictures(showing);
    await using two = await pictures(showing);
    const steps = [...PICTURE_OVERRIDES, "trainer.total_training_steps=2"];
    const [a, b] = [
      await one.train({ overrides: steps }),
      await two.train({ overrides: [...steps, "trainer.n_gpus_per_node=2"] }),
    ];
    const loss = ({ tracker }: typeof a) => tracker.steps.map(({ metrics }) => metrics["actor/grad_norm"]);
    expect(loss(b).length).to.equal(2);
    loss(b).forEach((norm, i) => {
      expect(norm).to.be.closeTo(loss(a)[i], 1e-5);
    });
  });

  it("writes dumps that are complete by themselves: what they show lies beside them, and they can be trained on", async () => {
    await using folder = await pictures(asking);
    const steps = [...WITH_TOOL, "trainer.total_training_steps=3"];
    await folder.train({ overrides: [...steps, "trainer.rollout_data_dir=dump"] });
    const records: TrajectoryRecord[] = [];
    for await (const record of readTrajectories(folder.at("dump", "3.jsonl"))) records.push(record);
    const media = records.flatMap((record) => record.media ?? []);
    expect(media).to.not.deep.equal([]);
    for (const { id } of media) await access(folder.at("dump", "media", `${id}.png`));
    const red = await readFile(folder.at("r.png"));
    const files = await readdir(folder.at("dump", "media"));
    const contents = await Promise.all(files.map((file) => readFile(folder.at("dump", "media", file))));
    expect(contents.some((content) => content.equals(red))).to.equal(true);
    const args = ["debug", "train", "--data", "dump", ...TOY_OVERRIDES, ...steps, "--json"];
    const { code, stdout, stderr } = await verl(args, { cwd: folder.dir });
    expect(code, stderr).to.equal(0);
    const lines = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { step: number; trajectories: number });
    expect(lines.map(({ step }) => step)).to.deep.equal([1, 2, 3]);
  });

  it("says of a file that the processor cannot decode which it is, and which row shows it", async () => {
    await using folder = await pictures(showing);
    const png = await readFile(folder.at("g.png"));
    // The picture's data, behind the header and the name of its chunk.
    png.fill(0, 41, 51);
    await writeFile(folder.at("g.png"), png);
    const { log } = await folder.train({ overrides: [...PICTURE_OVERRIDES, "trainer.total_training_steps=1"] });
    const told = log.filter((line) => line.includes("VERL_DATA_MEDIA")).join();
    expect(told).to.contain(folder.at("g.png")).and.contain("train.jsonl:2");
  });

  describe("is refused before anything is sampled", () => {
    it("where the model has no processor, with the row and the model", async () => {
      await using folder = await pictures(showing);
      const { error } = await folder.fail({
        overrides: [...PICTURE_OVERRIDES, `actor_rollout_ref.model.config={model_type: llama, vocab_size: ${VOCAB}}`],
      });
      expect(error.code).to.equal("VERL_DATA_NO_PROCESSOR");
      expect(error.message).to.contain("models of the type llama").and.contain("train.jsonl:1");
    });

    it("by a dry run as well", async () => {
      await using folder = await pictures(showing);
      const { code, stderr } = await verl(
        [
          "train",
          ...TOY_OVERRIDES,
          ...PICTURE_OVERRIDES,
          "actor_rollout_ref.model.config={model_type: llama}",
          "--dry-run",
        ],
        { cwd: folder.dir },
      );
      expect(code).to.not.equal(0);
      expect(stderr).to.contain("VERL_DATA_NO_PROCESSOR").and.contain("train.jsonl:1");
    });

    it("where the engine understands text alone", async () => {
      await using folder = await pictures(showing);
      const { error } = await folder.fail({
        overrides: [...PICTURE_OVERRIDES, "actor_rollout_ref.actor.strategy=letters"],
        register(host) {
          const fake = fakeEngineFactory();
          const config = { vocab_size: VOCAB };
          host.engines.register({
            ...fake,
            backends: ["letters"],
            create: (options) => fake.create({ ...options, model: { config, initSeed: 1 } }),
          });
        },
      });
      expect(error.code).to.equal("VERL_TRAINER_ENGINE_UNFIT");
      expect(error.message).to.contain("image").and.contain("train.jsonl:1");
    });

    it("where the rollout takes text alone", async () => {
      await using folder = await pictures(showing);
      const { error } = await folder.fail({
        overrides: [...PICTURE_OVERRIDES, `${rollout}.name=letters`],
        register(host) {
          host.rollouts.register({
            name: "letters",
            createReplica: (options) =>
              fakeRolloutFactory.createReplica({ ...options, model: { config: { vocab_size: VOCAB } } }),
          });
          host.serverAdapters.register({
            name: "letters",
            createAdapter: () => {
              throw new Error("not to be reached");
            },
          });
        },
      });
      expect(error.code).to.equal("VERL_ROLLOUT_NO_MEDIA");
      expect(error.message).to.contain("letters").and.contain("train.jsonl:1");
    });

    it("where files were cut off, by a row that says which", async () => {
      await using folder = await pictures(showing);
      const png = await readFile(folder.at("g.png"));
      await writeFile(folder.at("g.png"), png.subarray(0, -20));
      const { error } = await folder.fail({ overrides: PICTURE_OVERRIDES });
      expect(error.code).to.equal("VERL_DATA_BAD_ROW");
      expect(error.message).to.contain("train.jsonl:2").and.contain("cut off").and.contain(folder.at("g.png"));
    });

    it("where files are missing or lie elsewhere, all rows in one message", async () => {
      await using folder = await pictures((colour) => ({ ...showing(colour), images: [`../${colour}.gif`] }));
      const { error } = await folder.fail({ overrides: PICTURE_OVERRIDES });
      expect(error.code).to.equal("VERL_DATA_BAD_ROW");
      expect(error.message).to.contain("train.jsonl:1").and.contain("train.jsonl:3").and.contain("r.gif");
    });
  });
});
