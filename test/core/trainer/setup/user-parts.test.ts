import { expect } from "chai";
import { fakeEngineFactory } from "../../../../testing/engine/index.js";
import { createFakeReplica } from "../../../../testing/rollout/index.js";
import { ToyFolder } from "../support/toy-run.js";
import { scriptedLoop, trajectory } from "../support/trajectory.js";

describe("core/trainer parts from user files", () => {
  let folder: ToyFolder;
  beforeEach(async () => {
    folder = await ToyFolder.create();
  });
  afterEach(() => folder[Symbol.asyncDispose]());

  const ONE_STEP = "trainer.total_training_steps=1";

  it("a data set: a function, a class, or an object with create", async () => {
    const rows = `Array.from({ length: 6 }, (_, i) => ({
      messages: [{ role: "user", content: "abcdef"[i] }],
      row: { data_source: "toy", extra_info: { index: i } },
      origin: "made up, row " + i,
    }))`;
    await folder.write(
      "data.mjs",
      `const rows = ${rows};
       export const made = async ({ split }) => ({ length: rows.length, at: (i) => rows[i], report: { files: [split], rows: 6, overlong: 0 } });
       export class Made {
         constructor({ split }) { this.report = { files: [split], rows: 6, overlong: 0 }; this.length = rows.length; }
         at(i) { return rows[i]; }
       }
       export const factory = { create: made };`,
    );
    for (const name of ["made", "Made", "factory"]) {
      const { log } = await folder.train({
        overrides: [ONE_STEP, "data.custom_cls.path=data.mjs", `data.custom_cls.name=${name}`],
      });
      expect(log.join("\n")).to.include("training data: 6 of 6 rows");
    }
  });

  it("a data set that is none is refused, as is a file without a name", async () => {
    await folder.write("data.mjs", "export const made = () => [1, 2];");
    const bad = await folder.fail({ overrides: ["data.custom_cls.path=data.mjs", "data.custom_cls.name=made"] });
    expect(bad.error.code).to.equal("VERL_TRAINER_USER_PART");
    const nameless = await folder.fail({ overrides: ["data.custom_cls.path=data.mjs"] });
    expect(nameless.error.what).to.include("data.custom_cls.name");
  });

  describe("a data set with odd members is refused by class and file, before anything starts:", () => {
    const ROW = `{ messages: [{ role: "user", content: "a" }], row: { data_source: "toy" }, origin: "made" }`;
    const REPORT = "{ files: [], rows: 6, overlong: 0 }";
    const made = (length: string, at = `() => (${ROW})`, report = REPORT) =>
      `export const odd = () => ({ length: ${length}, at: ${at}, report: ${report} });`;
    const cases: readonly [name: string, source: string, says: string][] = [
      ["no number as length", made("NaN"), "NaN"],
      ["a length below one", made("-1"), "-1"],
      ["no rows", made("0"), "length is 0"],
      ["half a row", made("1.5"), "1.5"],
      ["more rows than can be looked at", made("1e15"), "1000000000000000"],
      ["a length as text", made('"6"'), '"6"'],
      [
        "a length that throws",
        `export const odd = () => ({ get length() { throw null; }, at() {}, report: ${REPORT} });`,
        "threw",
      ],
      ["a report without numbers", made("6", undefined, '{ files: [], rows: "many" }'), "report"],
      ["null as a row", made("6", "() => null"), "at(0)"],
      ["a text as a row", made("6", '() => "abc"'), '"abc"'],
      ["a list as a row", made("6", "() => [1]"), "a list"],
      ["a promise as a row", made("6", `async () => (${ROW})`), "promise"],
      ["null thrown", made("6", "() => { throw null; }"), "at(0)"],
      ["a row without messages", made("6", '() => ({ row: {}, origin: "x" })'), "messages"],
      ["a message that is none", made("6", '() => ({ messages: ["hi"], row: {}, origin: "x" })'), "messages[0]"],
      [
        "a row without columns",
        made("6", '() => ({ messages: [{ role: "user", content: "a" }], origin: "x" })'),
        "(row)",
      ],
      [
        "a column that throws",
        made("6", `() => ({ ...${ROW}, row: { get data_source() { throw new Error("gone"); } } })`),
        "at(0)",
      ],
    ];
    for (const [name, source, says] of cases) {
      it(name, async () => {
        await folder.write("odd.mjs", source);
        const { error } = await folder.fail({
          overrides: ["data.custom_cls.path=odd.mjs", "data.custom_cls.name=odd"],
        });
        expect(error.code).to.equal("VERL_TRAINER_USER_PART");
        expect(error.message).to.include("odd.mjs").and.include('"odd"').and.include(says);
      });
    }
  });

  it("a data set of a plugin's, which needs no files", async () => {
    const dataset = {
      name: "made",
      create: async () => ({
        length: 6,
        at: (i: number) => ({
          messages: [{ role: "user", content: "abcdef"[i] }],
          row: { data_source: "toy" },
          origin: `made ${i}`,
        }),
        report: { files: [], rows: 6, overlong: 0 },
      }),
    };
    const { log } = await folder.train({
      overrides: [ONE_STEP, "data.dataset=made", "data.train_files=[]"],
      register: (host) => host.datasets.register(dataset),
    });
    expect(log.join("\n")).to.include("training data: 6 of 6 rows");
    const unknown = await folder.fail({
      overrides: ["data.dataset=maid"],
      register: (host) => host.datasets.register(dataset),
    });
    expect(unknown.error.message).to.include("data.dataset").and.include("made");
  });

  describe("a sampler", () => {
    // Prefers the row that was worth most; what it was told is its state.
    const BEST = `export class Best {
      #worth = {}; #draws = 0;
      epoch = 0;
      constructor({ dataset, kwargs }) { this.rows = dataset.length; this.explore = kwargs.explore ?? 2; }
      next() {
        const best = Object.entries(this.#worth).sort((a, b) => b[1] - a[1])[0];
        return this.#draws++ % this.explore === 0 || !best ? this.#draws % this.rows : Number(best[0]);
      }
      update(outcomes) { for (const { index, scores } of outcomes) this.#worth[index] = scores.reduce((sum, x) => sum + x, 0); }
      state() { return { worth: { ...this.#worth }, draws: this.#draws }; }
      restore({ worth, draws }) { this.#worth = { ...worth }; this.#draws = draws; }
    }`;
    const OWN = [
      "data.sampler.class_path=best.mjs",
      "data.sampler.class_name=Best",
      "data.sampler.kwargs={explore: 3}",
    ];
    const origins = ({ tracker }: { tracker: { trajectories: readonly { origin?: string }[] } }) =>
      tracker.trajectories.map(({ origin }) => origin);

    beforeEach(() => folder.write("best.mjs", BEST));

    it("decides on the rows, goes by their scores, and its state is in the checkpoint", async () => {
      const steps = (n: number) => ["trainer.save_freq=2", `trainer.total_training_steps=${n}`];
      const whole = await folder.train({ overrides: [...OWN, ...steps(4)] });
      expect(origins(whole)).not.to.deep.equal(
        origins(await folder.train({ overrides: [...steps(4), "trainer.default_local_dir=plain"] })),
      );
      const other = [...OWN, "trainer.default_local_dir=other"];
      await folder.train({ overrides: [...other, ...steps(2)] });
      const resumed = await folder.train({ overrides: [...other, ...steps(4)] });
      expect(resumed.log.join("\n")).to.include("whatever row the sampler chooses");
      expect(origins(resumed)).to.deep.equal(origins(whole).slice(-origins(resumed).length));
      expect(resumed.metrics["critic/rewards/mean"]).to.equal(whole.metrics["critic/rewards/mean"]);
    });

    it("is refused by a checkpoint of another order", async () => {
      await folder.train({ overrides: [...OWN, ONE_STEP, "trainer.save_freq=1"] });
      const { error } = await folder.fail({ overrides: ["trainer.total_training_steps=2"] });
      expect(error.code).to.equal("VERL_DATA_STATE_MISMATCH");
      expect(error.what).to.include("best.mjs#Best");
    });

    it("that is odd is refused by its class and file", async () => {
      const cases: readonly [members: string, says: string][] = [
        ["next: () => undefined", "row undefined"],
        ["next: () => '1'", 'the text "1"'],
        ["next: async () => 1", "a promise"],
        ["next: () => { throw null; }", "next()"],
        ["epoch: NaN", "epoch is NaN"],
        ["update() { throw 'oh'; }", "oh"],
        ["state() {}", "undefined"],
        ["state: () => 1n", "state()"],
      ];
      for (const [i, [members, says]] of cases.entries()) {
        const usual = "epoch: 0, next: () => 1, state: () => 0, restore() {}";
        await folder.write(`odd${i}.mjs`, `export const odd = () => ({ ${usual}, ${members} });`);
        const { error } = await folder.fail({
          overrides: [
            ...[`data.sampler.class_path=odd${i}.mjs`, "data.sampler.class_name=odd", "trainer.save_freq=1"],
            ...["trainer.resume_mode=disable", ONE_STEP],
          ],
        });
        expect(error.code, members).to.equal("VERL_DATA_SAMPLER");
        expect(error.message).to.include(`odd${i}.mjs#odd`).and.include(says);
      }
    });

    it("of a plugin's is found by its name; two of them, or one without a name, are a mistake", async () => {
      const only = { epoch: 0, next: () => 5, state: () => 0, restore() {} };
      const { tracker } = await folder.train({
        overrides: [ONE_STEP, "data.sampler.name=only"],
        register: (host) => host.samplers.register({ name: "only", create: () => only }),
      });
      expect(new Set(origins({ tracker })).size).to.equal(1);
      const both = await folder.fail({ overrides: [...OWN, "data.sampler.name=random"] });
      expect(both.error.message).to.include("data.sampler.name");
      const nameless = await folder.fail({ overrides: ["data.sampler.class_path=best.mjs"] });
      expect(nameless.error.message).to.include("data.sampler.class_name");
    });
  });

  it("a replay buffer", async () => {
    await folder.write(
      "sampler.mjs",
      `export const lastFirst = ({ queue, samplerKwargs }) => ({
         async sample({ partition, groups, signal }) {
           for (let revision = queue.revision(); ; revision = await queue.changed(revision, { signal })) {
             const entries = await queue.list(partition);
             const done = entries.filter(({ key, tag }) => !key.includes("_") && tag.status === "finished");
             if (done.length < groups) continue;
             const uids = done.map(({ key }) => key).reverse();
             const rows = entries.filter(({ key }) => uids.some((uid) => key.startsWith(uid + "_")));
             await queue.clear(partition, uids);
             return {
               batch: { keys: rows.map(({ key }) => key), tags: rows.map(({ tag }) => tag), partition },
               metrics: { [samplerKwargs.name]: groups },
               failedGroups: [],
             };
           }
         },
         async sampleableCount() { return 0; },
       });`,
    );
    const { metrics } = await folder.train({
      overrides: [
        ONE_STEP,
        "trainer.v1.sampler.custom_sampler.path=sampler.mjs",
        "trainer.v1.sampler.custom_sampler.name=lastFirst",
        "+trainer.v1.sampler.sampler_kwargs.name=mine/groups",
      ],
    });
    expect(metrics["mine/groups"]).to.equal(4);
  });

  it("agent loops of a list, picked by name", async () => {
    await folder.write(
      "loop.mjs",
      `export class Greedy {
         constructor(context) { this.context = context; }
         async run({ messages }) {
           const { client, encodePrompt, trajectoryId, seed, options } = this.context;
           const promptIds = encodePrompt(messages);
           const sampling = { temperature: options.heat, topP: 1, topK: -1, logProbs: true };
           const drawn = await client.generate({ requestId: trajectoryId, promptIds, sampling, seed });
           return {
             promptIds, responseIds: drawn.tokenIds, responseMask: drawn.tokenIds.map(() => 1), responseLogProbs: drawn.logProbs,
             numTurns: 2, stopReason: drawn.stopReason, minWeightVersion: drawn.minWeightVersion, maxWeightVersion: drawn.maxWeightVersion,
             metrics: { generateSequences: 0, toolCalls: 0, computeScore: 0, numPreempted: -1 }, extraFields: {},
           };
         }
       }`,
    );
    await folder.write("loops.yaml", "- name: greedy\n  _target_: ./loop.mjs#Greedy\n  heat: 0\n");
    const rows = (await folder.read("train.jsonl")).replaceAll('"data_source"', '"agent_name":"greedy","data_source"');
    await folder.write("train.jsonl", rows);
    const { metrics } = await folder.train({
      overrides: [ONE_STEP, "actor_rollout_ref.rollout.agent.agent_loop_config_path=loops.yaml"],
    });
    expect(metrics["training/uniform_groups"], "greedy samples are all the same").to.equal(4);
  });

  it("may name a loop of the list as the default, and says early that it is in none", async () => {
    await folder.write("loop.mjs", "export class Broken { async run() { throw new Error('reached'); } }");
    await folder.write("loops.yaml", "- name: broken\n  _target_: ./loop.mjs#Broken\n");
    const list = "actor_rollout_ref.rollout.agent.agent_loop_config_path=loops.yaml";
    const named = (name: string) => [ONE_STEP, list, `actor_rollout_ref.rollout.agent.default_agent_loop=${name}`];
    expect((await folder.fail({ overrides: named("broken") })).log.join("\n")).to.include("reached");
    expect((await folder.fail({ overrides: named("brocken") })).error.code).to.equal("VERL_AGENT_UNKNOWN_LOOP");
  });

  it("refuses an engine whose weights are no stream before it loads them", async () => {
    let isLoaded = false;
    const { error } = await folder.fail({
      overrides: ["actor_rollout_ref.actor.strategy=hosted"],
      register(host) {
        const fake = fakeEngineFactory();
        host.engines.register({
          ...fake,
          backends: ["hosted"],
          async create(options) {
            const engine = await fake.create(options);
            return Object.create(engine, {
              capabilities: { value: { ...engine.capabilities, weights: "handle" } },
              initialize: {
                value: async () => {
                  isLoaded = true;
                },
              },
              dispose: { value: () => engine.dispose() },
            });
          },
        });
      },
    });
    expect(error.code).to.equal("VERL_WEIGHTS_NO_STREAM");
    expect(isLoaded).to.equal(false);
  });

  describe("a sampler without log-probabilities", () => {
    it("is refused where they are switched off", async () => {
      const { error } = await folder.fail({ overrides: ["actor_rollout_ref.rollout.calculate_log_probs=false"] });
      expect(error.code).to.equal("VERL_TRAINER_NO_LOG_PROBS");
    });

    it("is refused where the server cannot give them", async () => {
      const { error } = await folder.fail({
        overrides: ["actor_rollout_ref.rollout.name=mute"],
        register(host) {
          host.rollouts.register({
            name: "mute",
            createReplica(options) {
              const replica = createFakeReplica(options);
              return Object.create(replica, {
                capabilities: { value: { ...replica.capabilities, logProbs: false } },
              }) as typeof replica;
            },
          });
          host.serverAdapters.register({
            name: "mute",
            createAdapter: () => ({ resume: async () => {}, updateWeights: async () => {}, release: async () => {} }),
          });
        },
      });
      expect(error.code).to.equal("VERL_TRAINER_NO_LOG_PROBS");
      expect(error.message).to.include("mute");
    });
  });

  it("replaces groups without any trajectory where sync_refill_failed_groups asks for it", async () => {
    const { metrics, tracker } = await folder.train({
      overrides: [
        ONE_STEP,
        "trainer.v1.sampler.sync_refill_failed_groups=true",
        "actor_rollout_ref.rollout.agent.default_agent_loop=shaky",
        "trainer.rollout_data_dir=dump",
      ],
      register: (host) =>
        host.agentLoops.register(
          scriptedLoop("shaky", ({ draw }) =>
            draw === 1 ? Promise.reject(new Error("tool broke")) : trajectory({ version: 0 }),
          ),
        ),
    });
    expect(metrics["training/rollout_failure/evicted_samples"]).to.equal(1);
    const uids = new Set(
      (await folder.read("dump", "1.jsonl"))
        .trim()
        .split("\n")
        .map((line) => Number((JSON.parse(line) as { uid: string }).uid.slice(0, 10))),
    );
    expect([...uids]).to.deep.equal([0, 2, 3, 4]);
    expect(tracker.steps).to.have.length(1);
  });

  it("hands an engine the options under its name", async () => {
    const given: unknown[] = [];
    const run = (...overrides: string[]) =>
      folder.train({
        overrides: [
          ONE_STEP,
          "trainer.resume_mode=disable",
          "+actor_rollout_ref.actor.engine_kwargs.usual.depth=3",
          "+actor_rollout_ref.actor.engine_kwargs.other.depth=4",
          ...overrides,
        ],
        register(host) {
          for (const name of ["usual", "other"]) {
            host.engines.register({
              ...fakeEngineFactory(),
              backends: [name],
              create(options) {
                given.push(options.extra);
                return fakeEngineFactory().create(options);
              },
            });
          }
        },
      });
    await run("actor_rollout_ref.actor.strategy=other");
    await run("actor_rollout_ref.actor.strategy=usual");
    expect(given).to.deep.equal([{ depth: 4 }, { depth: 3 }]);
  });

  it("hands the queue its memory and its options", async () => {
    let given: unknown;
    await folder.train({
      overrides: [
        ONE_STEP,
        "transfer_queue.backend.storage_backend=noted",
        "transfer_queue.backend.capacity_megabytes=7",
        "+transfer_queue.backend.engine_kwargs.noted.shards=3",
      ],
      register(host) {
        host.transferQueues.register({
          name: "noted",
          async create(options) {
            given = options;
            const { inProcessQueueFactory } = await import("../../../../core/transfer/index.js");
            return inProcessQueueFactory.create(options);
          },
        });
      },
    });
    expect(given).to.deep.equal({ capacityBytes: 7 * 2 ** 20, extra: { shards: 3 } });
  });
});
