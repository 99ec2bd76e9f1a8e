import { mkdir } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import { expect } from "chai";
import { HttpServer } from "../../reward/servers/http-server.js";
import { ToyFolder } from "../support/toy-run.js";

/** A reward function that does `body` first: `n` counts its calls from 0, `k` those for the same prompt. */
const nth = (body: string) => `let calls = 0;
const ofPrompt = {};
export const compute_score = async ({ solution, groundTruth, extraInfo, dataSource, signal, kwargs, judge }) => {
  const n = calls++;
  const k = (ofPrompt[extraInfo.index] = (ofPrompt[extraInfo.index] ?? -1) + 1);
  ${body}
  return solution.length / 4;
};`;

describe("core/trainer rewards", () => {
  let folder: ToyFolder;
  beforeEach(async () => {
    folder = await ToyFolder.create();
  });
  afterEach(() => folder[Symbol.asyncDispose]());

  const ONE_STEP = "trainer.total_training_steps=1";
  const run = async (body: string, ...overrides: string[]) => {
    await folder.write("reward.mjs", nth(body));
    return folder.train({ overrides: [ONE_STEP, ...overrides] });
  };
  const fail = async (body: string, ...overrides: string[]) => {
    await folder.write("reward.mjs", nth(body));
    return folder.fail({ overrides: [ONE_STEP, ...overrides] });
  };

  it("may be numbers here and objects there: missing values become null and shift no row", async () => {
    const { tracker } = await run(
      "if (n % 2) return { score: 1, acc: true, style: 'short' };",
      "data.val_files=[val.jsonl]",
      "trainer.test_freq=1",
      "trainer.validation_data_dir=dump",
    );
    const rows = (await folder.read("dump", "0.jsonl"))
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(rows.map(({ score, style }) => [score === 1, style ?? null])).to.deep.include([true, "short"]);
    expect(tracker.steps[0].metrics).to.include.keys("val-core/toy/acc/mean@1", "val-aux/toy/reward/mean@1");
  });

  it("say what to correct where a judge's server is at fault, and not the function", async () => {
    await using server = await HttpServer.start(({ method }) => ({ status: method === "GET" ? 404 : 401 }));
    const { error } = await fail(
      "await judge.chat({ messages: [] }, { signal });",
      "reward.reward_model.enable=true",
      `reward.reward_model.addresses=["${server.address}"]`,
      "reward.reward_model.model_name=large",
    );
    expect(error.code).to.equal("VERL_REWARD_FAILED");
    expect(error.why).to.contain("answered 401");
    expect(error.fix).to.contain("reward.reward_model.api_key_env").and.contain("reward.on_error");
  });

  it("get row, response and their own options", async () => {
    await run(
      "if (dataSource !== 'toy' || groundTruth !== 'a' || !('index' in extraInfo) || kwargs.bonus !== 2 || signal.aborted) throw new Error('wrong input');",
      "+reward.custom_reward_function.reward_kwargs.bonus=2",
    );
  });

  describe("that abstain", () => {
    it("T23: leave the group's statistics to the others", async () => {
      const { metrics, log } = await run("if (k === 0 || k === 3) return null; return k === 1 ? 1 : 0;");
      expect(metrics["training/untrainable/no_score"]).to.equal(8);
      expect(metrics["reward/abstained_ratio"]).to.equal(0.5);
      expect(metrics["critic/score/mean"]).to.equal(0.5);
      expect(metrics["critic/advantages/max"]).to.be.closeTo(Math.SQRT1_2, 1e-5);
      expect(log.filter((line) => line.includes("no score"))).to.have.length(1);
      expect(log.join("\n")).to.match(/train\.jsonl:\d+/);
    });

    it("T23: altogether in one group leave it out", async () => {
      const { metrics, log } = await run("if (extraInfo.index === 0) return null;", "data.shuffle=false");
      expect(metrics["training/untrainable/no_score"]).to.equal(4);
      expect(metrics["critic/score/mean"]).to.satisfy(Number.isFinite);
      expect(log.filter((line) => line.includes("no score"))).to.deep.equal([
        `warn: step 1: 4 trajectories have no score and are left out, e.g. ${folder.at("train.jsonl")}:1`,
      ]);
    });

    it("altogether end the run with a coded error", async () => {
      const { error } = await fail("return null;");
      expect(error.code).to.equal("VERL_TRAINER_NO_TRAINABLE");
      expect(error.why).to.include("16 have no score (abstained)");
    });

    it("in validation are skipped and counted", async () => {
      const { tracker } = await run("if (n === 0) return null;", "data.val_files=[val.jsonl]");
      expect(tracker.steps[0].metrics["validation/abstained_samples"]).to.equal(1);
      expect(tracker.steps[0].metrics["val-aux/toy/reward/mean@1"]).to.satisfy(Number.isFinite);
    });
  });

  for (const [what, body, words] of [
    ["throw", "throw new Error('judge is down');", "judge is down"],
    ["are NaN", "return NaN;", "NaN"],
    ["are texts", "return 'good';", "the text"],
    ["are too slow", "await new Promise((r) => setTimeout(r, 10_000));", "0.1 s"],
  ] as const) {
    it(`that ${what} end the run at once and name the dataset row`, async () => {
      const { error, tracker } = await fail(
        `if (extraInfo.index === 2) ${body}`,
        "reward.timeout=0.1",
        "data.shuffle=false",
      );
      expect(error.code).to.equal("VERL_REWARD_FAILED");
      expect(error.message).to.include("train.jsonl:3").and.include(words);
      expect(tracker.outcomes).to.deep.equal([{ exitCode: 1, error }]);
    });
  }

  const THROWS = "if (extraInfo.index === 2) throw new Error('judge is down');";

  it("T22: that throw count as 0 and are flagged under the policy zero", async () => {
    const { metrics, log } = await run(
      THROWS,
      "data.shuffle=false",
      "data.val_files=[val.jsonl]",
      "reward.on_error=zero",
      "trainer.rollout_data_dir=dump",
    );
    expect(metrics["critic/score/min"]).to.equal(0);
    expect(metrics["training/untrainable/no_score"]).to.equal(0);
    expect(metrics["reward/failed_ratio"]).to.equal(0.25);
    expect(log.filter((line) => line.includes("step 1: scoring failed for 4 of 16 trajectories"))).to.have.length(1);
    expect((await folder.read("dump", "1.jsonl")).trim().split("\n")).to.have.length(16);
  });

  it("that throw take their group out under the policy drop_group", async () => {
    const { metrics, log } = await run(THROWS, "data.shuffle=false", "reward.on_error=drop_group");
    expect(metrics["training/untrainable/no_score"]).to.equal(4);
    expect(metrics["training/rollout_failure/kept_samples"]).to.equal(1);
    const told = log.filter((line) => line.startsWith("warn:") && line.includes("judge is down"));
    expect(told, "one line a step, not one a prompt").to.have.length(1);
    expect(told[0]).to.include("train.jsonl:3").and.include("4 trajectories");
  });

  it("that fail are tried again as often as configured, and not more", async () => {
    const { error } = await fail(
      "globalThis.attempts = (globalThis.attempts ?? 0) + 1; throw new Error('attempt ' + globalThis.attempts);",
      "reward.on_error=retry",
      "reward.max_retries=2",
      "actor_rollout_ref.rollout.n=2",
      "data.train_batch_size=1",
      "algorithm.adv_estimator=gpg",
    );
    expect(error.code).to.equal("VERL_REWARD_FAILED");
    expect((globalThis as { attempts?: number }).attempts).to.be.oneOf([3, 4, 5, 6]);
  });

  it("that fail once are saved by a retry", async () => {
    const { metrics } = await run("if (n === 3) throw new Error('flaky');", "reward.on_error=retry");
    expect(metrics["training/untrainable/no_score"]).to.equal(0);
  });

  it("T24: for rows that no scorer knows are refused before an engine starts", async () => {
    const { error, tracker } = await folder.fail({ overrides: ["reward.custom_reward_function.path=null"] });
    expect(error.code).to.equal("VERL_REWARD_NO_SCORER");
    expect(error.message).to.include("toy").and.include("gsm8k").and.include("custom_reward_function");
    expect(tracker.runs).to.deep.equal([]);
  });

  describe("of loops that score themselves", () => {
    const NO_SCORER = [ONE_STEP, "reward.custom_reward_function.path=null"];
    const LIST = "actor_rollout_ref.rollout.agent.agent_loop_config_path=loops.yaml";
    const DEFAULT = "actor_rollout_ref.rollout.agent.default_agent_loop=own";
    const loop = (mark: string, score = "rewardScore: 0.5,") => `export class Own {
      ${mark}
      async run() {
        return { promptIds: [3], responseIds: [2, 1], responseMask: [1, 1], responseLogProbs: [-1, -1], ${score}
          numTurns: 2, stopReason: "stop", minWeightVersion: 0, maxWeightVersion: 0, extraFields: {},
          metrics: { generateSequences: 0, toolCalls: 0, computeScore: 0, numPreempted: -1 } };
      }
    }`;
    const entry = (more = "") => folder.write("loops.yaml", `- {name: own, _target_: "./own.mjs#Own"${more}}\n`);

    it("need no scorer", async () => {
      await folder.write("own.mjs", loop("static scoresItself = true;"));
      await entry();
      const { tracker } = await folder.train({ overrides: [...NO_SCORER, LIST, DEFAULT] });
      expect(tracker.steps[0].metrics["critic/score/mean"]).to.equal(0.5);
    });

    it("need none where the list of loops says so", async () => {
      await folder.write("own.mjs", loop(""));
      await entry(", scores_itself: true");
      const { tracker } = await folder.train({ overrides: [...NO_SCORER, LIST, DEFAULT] });
      expect(tracker.steps[0].metrics["critic/score/mean"]).to.equal(0.5);
    });

    it("need one where nothing says so, and for rows of other loops", async () => {
      await folder.write("own.mjs", loop("static scoresItself = true;"));
      await entry();
      const others = await folder.fail({ overrides: [...NO_SCORER, LIST] });
      expect(others.error.code).to.equal("VERL_REWARD_NO_SCORER");
      await entry(", scores_itself: false");
      const unmarked = await folder.fail({ overrides: [...NO_SCORER, LIST, DEFAULT] });
      expect(unmarked.error.code).to.equal("VERL_REWARD_NO_SCORER");
    });

    it("must bring a score", async () => {
      await folder.write("own.mjs", loop("static scoresItself = true;", ""));
      await entry();
      const { log } = await folder.fail({ overrides: [...NO_SCORER, LIST, DEFAULT] });
      expect(log.join("\n")).to.include("its last output has no rewardScore");
    });
  });

  it("run in threads of their own under the manager remote, and hold nothing up", async function () {
    this.timeout(60_000);
    await folder.write(
      "reward.mjs",
      `import { threadId } from "node:worker_threads";
       export const compute_score = ({ solution }) => ({ score: solution.length / 4, thread: threadId });`,
    );
    const { metrics } = await folder.train({
      overrides: [
        ONE_STEP,
        "reward.reward_manager.name=remote",
        "reward.num_workers=2",
        "data.val_files=[val.jsonl]",
        "trainer.test_freq=1",
      ],
    });
    expect(metrics["val-aux/toy/thread/mean@1"]).to.be.above(0);
    expect(metrics).to.include.keys("timing_s/reward_queue", "timing_s/reward_queue_max", "timing_s/compute_score");
  });

  it("that cannot be loaded in a thread end the run before it starts, naming worker and file", async function () {
    this.timeout(60_000);
    await folder.write(
      "reward.mjs",
      `import { isMainThread } from "node:worker_threads";
       if (!isMainThread) throw new Error("no licence for threads");
       export const compute_score = () => 1;`,
    );
    const { error, tracker } = await folder.fail({ overrides: ["reward.reward_manager.name=remote"] });
    expect(error.code).to.equal("VERL_REWARD_BAD_FUNCTION");
    expect(error.message).to.include("reward worker 1").and.include("reward.mjs").and.include("no licence");
    expect(tracker.runs).to.deep.equal([]);
  });

  it("come in lists under the manager batch", async () => {
    await folder.write(
      "reward.mjs",
      "export const compute_score = (samples) => samples.map(({ solution }) => ({ score: solution.length, list: samples.length }));",
    );
    const { metrics } = await folder.train({
      overrides: [
        ONE_STEP,
        "reward.reward_manager.name=batch",
        "reward.batch.max_size=4",
        "data.val_files=[val.jsonl]",
        "trainer.test_freq=1",
      ],
    });
    expect(metrics["val-aux/toy/list/mean@1"]).to.be.within(1, 4);
  });

  it("keep to a rate under the manager rate_limited, whose keys say so under another", async () => {
    const limits = ["reward.max_rpm=60000", "reward.max_tpm=60000000"];
    const told = ({ notices }: { notices: readonly string[] }) => notices.filter((text) => text.includes("max_rpm"));
    const limited = await run("", "reward.reward_manager.name=rate_limited", ...limits);
    expect(told(limited)).to.deep.equal([]);
    expect(told(await folder.train({ overrides: [ONE_STEP, ...limits] }))).to.deep.equal([
      "reward.max_rpm has no effect: the reward manager is naive, not rate_limited.",
    ]);
  });

  it("come from a manager of the user's own", async () => {
    await folder.write(
      "manager.mjs",
      `export class Fixed {
         constructor({ rewardKwargs }) { this.value = rewardKwargs.value; }
         supports() { return true; }
         async score(input) { return { outcome: "scored", score: this.value, extra: { length: input.responseIds.length } }; }
       }`,
    );
    const { metrics } = await folder.train({
      overrides: [
        ONE_STEP,
        "reward.reward_manager.source=importlib",
        "reward.reward_manager.module.path=manager.mjs",
        "reward.reward_manager.module.name=Fixed",
        "+reward.reward_kwargs.value=0.75",
      ],
    });
    expect(metrics["critic/score/mean"]).to.equal(0.75);
  });

  describe("from a module named by reward_manager.source=importlib", () => {
    const IMPORTED = [ONE_STEP, "reward.reward_manager.source=importlib"];
    const module = (path: string, name: string | null) => [
      ...IMPORTED,
      `reward.reward_manager.module.path=${path}`,
      ...(name === null ? [] : [`reward.reward_manager.module.name=${name}`]),
    ];
    const manager = (score: string) => `({ supports: () => true, score: async (input, { signal }) => ${score} })`;
    let files = 0;
    /** A file of its own for each: a module is loaded once. */
    const own = async (source: string) => {
      const file = `own-${files++}.mjs`;
      await folder.write(file, source);
      return file;
    };
    const HALF = manager('({ outcome: "scored", score: 0.5, extra: {} })');

    it("may be a class, a function, an object with create, and in TypeScript, CommonJS, a package or at a URL", async () => {
      await folder.write(
        "all.mjs",
        `const half = ${HALF};
         export const made = async () => half;
         export class Made { supports() { return true; } score(input, options) { return half.score(input, options); } }
         export const factory = { create: made };
         export const custom_reward_manager = made;`,
      );
      await folder.write(
        "all.cts",
        `exports.made = (options: unknown) => ${HALF};`.replace("(input, { signal })", "() "),
      );
      await mkdir(folder.at("node_modules", "half"), { recursive: true });
      await folder.write(
        "node_modules/half/package.json",
        '{"name": "half", "type": "module", "exports": "./index.js"}',
      );
      await folder.write("node_modules/half/index.js", `export const made = () => ${HALF};`);
      for (const [path, name] of [
        ["all.mjs", "made"],
        ["all.mjs", "Made"],
        ["./all.mjs", "factory"],
        ["all.mjs", null],
        ["all.cts", "made"],
        ["pkg://half", "made"],
        [pathToFileURL(folder.at("all.mjs")).href, "made"],
      ] as const) {
        const fresh = ["trainer.resume_mode=disable"];
        const { metrics } = await folder.train({ overrides: [...module(path, name), ...fresh] });
        expect(metrics["critic/score/mean"], `${path} ${name}`).to.equal(0.5);
      }
    });

    it("is refused before the run where there is no such file or package, it fails, or it exports no such thing", async () => {
      await folder.write("broken.mjs", "export const made = 1;\nthrow new Error('no licence');");
      await folder.write("all.mjs", "export const made = () => 1;");
      for (const [path, name, code, words] of [
        ["nowhere.mjs", "made", "VERL_USER_FILE_MISSING", "nowhere.mjs"],
        ["pkg://nowhere-at-all", "made", "VERL_USER_FILE_MISSING", "nowhere-at-all"],
        ["broken.mjs", "made", "VERL_USER_IMPORT_FAILED", "no licence"],
        ["all.mjs", "mode", "VERL_USER_EXPORT_MISSING", "made"],
        ["all.mjs", null, "VERL_USER_EXPORT_MISSING", "custom_reward_manager"],
        ["all.mjs", "null", "VERL_TRAINER_USER_PART", "reward.reward_manager.module.name is not"],
      ] as const) {
        const { error, tracker } = await folder.fail({ overrides: module(path, name) });
        expect(String(error), `${path} ${name}`).to.contain(code).and.contain(words);
        expect(tracker?.runs ?? []).to.deep.equal([]);
      }
    });

    it("is refused where it makes no reward manager, with what is missing, or throws", async () => {
      for (const [source, words] of [
        ["export const made = 7;", '"made" is a number'],
        ["export const made = () => 7;", "made nothing with a method score"],
        ["export const made = () => ({ score: async () => 1 });", "made nothing with a method supports"],
        ["export class made { score() {} }", "made nothing with a method supports"],
        ["export const made = { create: () => null };", "made nothing with a method score"],
        ["export const made = () => { throw new Error('no licence'); };", '"made" threw while it was made'],
      ]) {
        const file = await own(source);
        const { error } = await folder.fail({ overrides: module(file, "made") });
        expect(error.code, source).to.equal("VERL_TRAINER_USER_PART");
        expect(String(error), source).to.contain(words).and.contain(`${file} (reward.reward_manager.module)`);
      }
    });

    it("that throws, or gives what is no result, is handled by the error policy, which names the row", async () => {
      for (const [score, words] of [
        ["{ throw new Error('no judge'); }", "the reward manager threw: no judge"],
        ["0.5", "the reward manager gave no result: it gave 0.5"],
        ["undefined", "the reward manager gave no result: it gave undefined"],
        ["({ reward_score: 1 })", "its outcome is undefined"],
        ["({ outcome: 'scored', score: NaN, extra: {} })", "its score is NaN"],
        ["({ outcome: 'scored', score: null, extra: {} })", "has no score"],
        ["({ outcome: 'scored', score: 1 })", "its extra is undefined"],
      ]) {
        const file = await own(`export const made = () => ${manager(score)};`);
        const { error } = await folder.fail({ overrides: module(file, "made") });
        expect(error.code, score).to.equal("VERL_REWARD_FAILED");
        expect(error.message, score).to.contain(words).and.contain("train.jsonl:");
        const zero = ["reward.on_error=zero", "trainer.resume_mode=disable"];
        const { metrics } = await folder.train({ overrides: [...module(file, "made"), ...zero] });
        expect(metrics["reward/failed_ratio"], score).to.equal(1);
      }
    });
  });

  it("feed gdpo with their components", async () => {
    await folder.write(
      "reward.mjs",
      "export const compute_score = ({ solution }) => ({ score: 1, brief: solution.length < 4, letter: solution.includes('a') });",
    );
    const { tracker } = await folder.train({
      overrides: ["algorithm.adv_estimator=gdpo", "algorithm.gdpo_reward_keys=[brief, letter]"],
    });
    expect(tracker.series("training/uniform_groups")).to.deep.equal([4, 4, 4]);
    expect(Math.max(...tracker.series("actor/grad_norm"))).to.be.above(0);
  });
});
