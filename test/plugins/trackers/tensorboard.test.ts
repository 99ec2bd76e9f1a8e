import { appendFile, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import { tensorBoardTracker } from "../../../plugins/trackers/index.js";
import { crc32c } from "../../../plugins/trackers/tensorboard/crc32c.js";
import { fakeRunInfo, fakeTrajectory, runConformance, trackerConformance } from "../../../testing/index.js";
import { readEvents, scalarsOf, wire } from "./event-reader.js";

describe("TensorBoard tracker", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "verl-tensorboard-"));
  });
  afterEach(() => rm(folder, { recursive: true }));

  const logs = () => path.join(folder, "logs");
  const settings = { valGenerations: 2, python: null, proxy: null };
  const create = () => tensorBoardTracker.create({ env: { TENSORBOARD_DIR: logs() }, settings });
  type Run = Partial<Parameters<typeof fakeRunInfo>[0]>;
  const runInfo = (over: Run = {}) => fakeRunInfo({ outputDir: path.join(folder, "run"), ...over });

  async function train(run: Run, steps: readonly number[], exitCode = 0) {
    const tracker = await create();
    await tracker.start(runInfo(run));
    for (const step of steps) await tracker.log({ "actor/loss": step / 2 }, step);
    await tracker.finish({ exitCode });
  }

  it("has a step on the disk when log returns", async () => {
    const tracker = await create();
    await tracker.start(runInfo());
    await tracker.begin?.();
    await tracker.log({ "actor/loss": 0.5, "critic/nan": Number.NaN, inf: Number.POSITIVE_INFINITY }, 3);
    await tracker.log({ "actor/loss": 0.25 }, 4, new Date(1_700_000_000_500));
    const events = await readEvents(logs());
    expect(events[0].fileVersion).to.equal("brain.Event:2");
    expect(scalarsOf(events)).to.deep.equal([
      ["actor/loss", 3, 0.5],
      ["critic/nan", 3, Number.NaN],
      ["inf", 3, Number.POSITIVE_INFINITY],
      ["actor/loss", 4, 0.25],
    ]);
    expect(events.at(-1)?.wallTime).to.equal(1_700_000_000.5);
    expect(events.at(-2)?.wallTime).to.be.closeTo(Date.now() / 1000, 60);
    await tracker.finish({ exitCode: 0 });
  });

  it("shows validation samples as a table whose texts are shown as they are", async () => {
    const tracker = await create();
    await tracker.start(runInfo());
    await tracker.begin?.();
    const sample = { split: "val", promptText: "# no\n  heading", responseText: "<b>", score: null } as const;
    await tracker.logTrajectories?.([fakeTrajectory(sample), fakeTrajectory()], 2);
    await tracker.finish({ exitCode: 0 });
    const table = (await readEvents(logs())).flatMap(({ step, values }) =>
      values.flatMap((value) => (value.tag === "val/generations" ? [{ step, ...value }] : [])),
    );
    expect(table).to.have.length(1);
    expect(table[0]).to.deep.include({ step: 2, plugin: "text", shape: [2, 4] });
    expect(table[0].texts?.slice(4)).to.deep.equal(["    # no\n      heading", "    <b>", "    42", ""]);
  });

  it("shows no samples where none are asked for", async () => {
    const tracker = await tensorBoardTracker.create({ env: { TENSORBOARD_DIR: logs() } });
    await tracker.start(runInfo());
    await tracker.begin?.();
    await tracker.logTrajectories?.([fakeTrajectory({ split: "val" })], 2);
    await tracker.finish({ exitCode: 0 });
    expect((await readEvents(logs())).flatMap(({ values }) => values.map(({ tag }) => tag))).not.to.include(
      "val/generations",
    );
  });

  it("keeps the configuration as a text and as hyperparameters, and how the run ended", async () => {
    const config = { trainer: { steps: 10, resume: null, on: true }, data: { files: ["a"], none: [] }, lr: 1e-6 };
    await train({ config }, [1], 1);
    const values = (await readEvents(logs())).flatMap((event) => event.values);
    const of = (tag: string) => values.find((value) => value.tag === tag);
    expect(of("config")?.texts?.[0]).to.include('    "lr": 0.000001');
    const start = of("_hparams_/session_start_info");
    expect(start?.plugin).to.equal("hparams");
    const settings = wire(start?.content?.get(3)?.[0] as Buffer).get(1) as Buffer[];
    expect(settings.map((entry) => String(wire(entry).get(1)?.[0]))).to.deep.equal([
      "trainer.steps",
      "trainer.on",
      "data.files",
      "lr",
    ]);
    const FAILURE = 2n;
    expect(wire(of("_hparams_/session_end_info")?.content?.get(4)?.[0] as Buffer).get(1)?.[0]).to.equal(FAILURE);
  });

  it("goes on after a resume without a step twice, also after the step that is logged again", async () => {
    await train({}, [1, 2, 3, 4, 5], 1);
    await train({ startStep: 3 }, [4, 5, 6]);
    await train({ startStep: 6, logsStartStepAgain: true }, [6, 7]);
    const events = await readEvents(logs());
    expect(scalarsOf(events).map(([, step]) => step)).to.deep.equal([1, 2, 3, 4, 5, 6, 7]);
    const tags = events.flatMap(({ values }) => values.map(({ tag }) => tag));
    for (const tag of ["_hparams_/session_start_info", "_hparams_/session_end_info"]) {
      expect(tags.filter((known) => known === tag)).to.deep.equal([tag]);
    }
  });

  it("goes on after a kill that tore a record", async () => {
    await train({}, [1, 2]);
    const [name] = await readdir(logs());
    await appendFile(path.join(logs(), name), (await readFile(path.join(logs(), name))).subarray(0, 30));
    await train({ startStep: 2 }, [3]);
    expect(scalarsOf(await readEvents(logs())).map(([, step]) => step)).to.deep.equal([1, 2, 3]);
  });

  it("starts over with a new run in the same folder, and leaves what others wrote there", async () => {
    const other = path.join(logs(), "events.out.tfevents.1700000000.elsewhere");
    await train({}, [1, 2, 3]);
    await writeFile(other, "");
    await train({ outputDir: path.join(folder, "second") }, [7]);
    await train({}, [1]);
    expect(scalarsOf(await readEvents(logs())).map(([, step]) => step)).to.have.members([7, 1]);
    expect(await readFile(other, "utf8")).to.equal("");
  });

  it("writes below the working directory where no folder is named", async () => {
    const before = process.cwd();
    process.chdir(folder);
    try {
      const tracker = await tensorBoardTracker.create({ env: {} });
      await tracker.start(runInfo());
      await tracker.begin?.();
      await tracker.finish({ exitCode: 0 });
    } finally {
      process.chdir(before);
    }
    expect(await readdir(path.join(folder, "tensorboard_log", "project", "experiment"))).to.have.length(1);
  });

  it("checks records by the checksum of RFC 3720", () => {
    expect(crc32c(Buffer.from("123456789"))).to.equal(0xe3069283);
    expect(crc32c(Buffer.alloc(32))).to.equal(0x8a9136aa);
  });
});

const shared = path.join(tmpdir(), `verl-tensorboard-${process.pid}`);
runConformance(
  "TensorBoard tracker",
  trackerConformance({
    factory: {
      name: "tensorboard",
      create: ({ env }) =>
        tensorBoardTracker.create({ env, settings: { valGenerations: 8, python: null, proxy: null } }),
    },
    env: { TENSORBOARD_DIR: shared },
  }),
  {
    describe(name, body) {
      describe(name, () => {
        after(() => rm(shared, { recursive: true, force: true }));
        body();
      });
    },
    it,
  },
);
