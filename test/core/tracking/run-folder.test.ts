import { appendFile, cp, mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import fc from "fast-check";
import {
  cutTrajectories,
  parseTrajectories,
  RunFolder,
  readTrajectories,
  type TrajectoryRecord,
  trajectoryLine,
  writeRunFiles,
} from "../../../core/tracking/index.js";
import { fakeTrajectory } from "../../../testing/index.js";
import { rejection } from "../data/support.js";

const full = (over: Partial<TrajectoryRecord> = {}): TrajectoryRecord =>
  fakeTrajectory({
    promptIds: [5, 6],
    responseIds: [7, 8, 9],
    trainerLogProbs: [-0.1, -2.25, -0.01],
    advantages: [1, 1, 1],
    stopReason: "stop",
    weightVersions: [2, 3],
    numTurns: 2,
    rewardMessage: null,
    origin: "train.jsonl:4",
    ...over,
  });

describe("core/tracking/run-folder", () => {
  let dir = "";
  beforeEach(async () => {
    dir = await mkdtemp(path.join(tmpdir(), "verl-folder-"));
  });
  afterEach(() => rm(dir, { recursive: true }));
  const at = (...parts: string[]) => path.join(dir, ...parts);
  const read = async (file: string) => {
    const records: TrajectoryRecord[] = [];
    for await (const record of readTrajectories(file)) records.push(record);
    return records;
  };

  describe("a line with a trajectory", () => {
    it("is read as it was written, 32-bit numbers exactly", () => {
      const float = fc.float({ noNaN: true, noDefaultInfinity: true }).map((x) => x + 0);
      fc.assert(
        fc.property(fc.tuple(float, float, float), (logProbs) => {
          const record = full({ logProbs, trainerLogProbs: [...logProbs].reverse() });
          const [again] = parseTrajectories(trajectoryLine(record), "x:1");
          expect(again.logProbs?.map(Math.fround)).to.deep.equal(logProbs);
          expect({ ...again, logProbs: null, trainerLogProbs: null }).to.deep.equal({
            ...record,
            logProbs: null,
            trainerLogProbs: null,
          });
        }),
      );
    });

    it("keeps the place of a number that JSON cannot write", () => {
      const [record] = parseTrajectories(trajectoryLine(full({ logProbs: [-1, Number.NaN, -2] })), "x:1");
      expect(record.logProbs).to.deep.equal([-1, Number.NaN, -2]);
    });

    it("may be of verl, with texts alone and the reward's values beside them", () => {
      const line = { input: "2+2=", output: "4", gts: "4", score: 1, step: 3, acc: true };
      const [record] = parseTrajectories(JSON.stringify(line), "x:1");
      expect(record).to.deep.include({ promptText: "2+2=", responseText: "4", tokens: [], score: 1, step: 3 });
      expect(record.extra).to.deep.equal({ acc: true });
    });

    it("may be of `verl generate`, with several responses", () => {
      const line = {
        prompt: [{ role: "user", content: "hi" }],
        responses: ["a", "b"],
        stop_reasons: ["stop", "length"],
      };
      const records = parseTrajectories(JSON.stringify(line), "out.jsonl:7");
      expect(records.map(({ responseText, stopReason }) => [responseText, stopReason])).to.deep.equal([
        ["a", "stop"],
        ["b", "length"],
      ]);
    });

    it("is refused with its place when it is something else", async () => {
      for (const text of ["{", "[]", '{"step":1,"data":{}}']) {
        await writeFile(at("bad.jsonl"), `${trajectoryLine(full())}\n${text}\n`);
        const error = await rejection(read(at("bad.jsonl")));
        expect(error).to.include({ code: "VERL_TRACKING_BAD_FILE", where: `${at("bad.jsonl")}:2` });
      }
      const short = trajectoryLine(full()).replace('"mask":[1,1,1]', '"mask":[1,1]');
      expect(() => parseTrajectories(short, "x:1")).to.throw("trajectory.mask has 2 values for 3 tokens");
    });
  });

  it("leaves out a last line that a crash cut off", async () => {
    await writeFile(at("a.jsonl"), `${trajectoryLine(full())}\n{"input":"2`);
    expect(await read(at("a.jsonl"))).to.have.length(1);
  });

  it("cuts samples to where a resumed run goes on", async () => {
    const file = at("samples.jsonl");
    const steps = [1, 2, 3].flatMap((step) => [full({ step }), full({ step, split: "val" })]);
    const places = async () => (await read(file)).map(({ step, split }) => `${step} ${split}`);
    const write = () => writeFile(file, steps.map((record) => `${trajectoryLine(record)}\n`).join(""));
    await write();
    await cutTrajectories(file, 2);
    expect(await places()).to.deep.equal(["1 train", "1 val", "2 train", "2 val"]);
    await write();
    await cutTrajectories(file, 2, true);
    expect(await places()).to.deep.equal(["1 train", "1 val", "2 train"]);
    await cutTrajectories(file, 0);
    expect(await places()).to.deep.equal([]);
  });

  describe("a run's folder", () => {
    const config = "trainer:\n  output_dir: run\n  rollout_data_dir: run/rollouts\n  validation_data_dir: null\n";
    const note = () => ({ version: "0.1.0", cwd: dir, startedAt: "2026-01-01T00:00:00.000Z" });

    beforeEach(async () => {
      await writeRunFiles(at("run"), config, note());
      await mkdir(at("run/rollouts"));
      for (const step of [10, 9]) await writeFile(at("run/rollouts", `${step}.jsonl`), `${trajectoryLine(full())}\n`);
      await writeFile(at("run/samples.jsonl"), `${trajectoryLine(full({ split: "val" }))}\n`);
    });

    it("has dumps of one split by step, and samples for the other", async () => {
      const files = await (await RunFolder.open(at("run"))).trajectoryFiles();
      expect(files).to.deep.equal([
        { file: at("run/rollouts/9.jsonl"), split: "train", step: 9 },
        { file: at("run/rollouts/10.jsonl"), split: "train", step: 10 },
        { file: at("run/samples.jsonl"), split: "val", step: null },
      ]);
    });

    it("finds its dumps when it has moved", async () => {
      await rename(at("run"), at("artifact"));
      const run = await RunFolder.open(at("artifact"));
      expect(await run.locate("run/rollouts")).to.equal(at("artifact/rollouts"));
      expect(run.note).to.deep.equal(note());
    });

    it("is called as its configuration says, and as the folder once that has another name", async () => {
      const named = config.replace("trainer:\n", "trainer:\n  experiment_name: M1\n");
      await writeRunFiles(at("run"), named, note());
      expect((await RunFolder.open(at("run"))).experimentName).to.equal("M1");
      await rename(at("run"), at("old"));
      expect((await RunFolder.open(at("old"))).experimentName).to.equal("old");
    });

    it("of which there is a copy is not looked at in its place", async () => {
      await cp(at("run"), at("copy"), { recursive: true });
      const files = await (await RunFolder.open(at("copy"))).trajectoryFiles();
      expect(files.map(({ file }) => file)).to.deep.equal(
        ["rollouts/9.jsonl", "rollouts/10.jsonl", "samples.jsonl"].map((name) => at("copy", name)),
      );
    });

    it("whose files cannot be read is a coded error that names the file", async () => {
      await mkdir(at("run/metrics.jsonl"));
      const run = await RunFolder.open(at("run"));
      const code = "VERL_TRACKING_BAD_FILE";
      expect(await rejection(run.metrics())).to.include({ code, where: at("run/metrics.jsonl") });
      await rm(at("run/config.yaml"));
      await mkdir(at("run/config.yaml"));
      expect(await rejection(RunFolder.open(at("run")))).to.include({ code, where: at("run/config.yaml") });
    });

    it("is told from another folder, with the run that may have been meant", async () => {
      await appendFile(at("run/metrics.jsonl"), "");
      const error = (await rejection(RunFolder.open(dir))) as { code?: string; why?: string };
      expect(error).to.include({ code: "VERL_TRACKING_NO_RUN" });
      expect(error.why).to.include(at("run"));
      expect(await rejection(RunFolder.open(at("none")))).to.include({ code: "VERL_TRACKING_NO_RUN" });
    });
  });
});
