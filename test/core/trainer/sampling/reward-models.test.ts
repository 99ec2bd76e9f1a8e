import { cp } from "node:fs/promises";
import { expect } from "chai";
import { loadTokenizer, packSequences } from "../../../../core/data/index.js";
import { createOnnxEngine } from "../../../../engines/onnx/index.js";
import { type RecordedSpan, RecordingTracer } from "../../../../testing/index.js";
import { completion, deadAddress, HttpServer } from "../../reward/servers/http-server.js";
import { ToyFolder } from "../support/toy-run.js";
import { writeToyModel, writeToyRewardModel } from "../support/toy-task.js";

const ONE_STEP = "trainer.total_training_steps=1";
const BY_MODEL = ["reward.custom_reward_function.path=null", "reward.reward_model.enable=true"];

describe("core/trainer reward models", function () {
  this.timeout(60_000);
  let folder: ToyFolder;
  beforeEach(async () => {
    folder = await ToyFolder.create();
  });
  afterEach(() => folder[Symbol.asyncDispose]());

  const scoresOf = async (step: string) =>
    (await folder.read("dump", step))
      .trim()
      .split("\n")
      .map(
        (line) =>
          JSON.parse(line) as { input: string; output: string; score: number; trajectory: { tokens: string[] } },
      );

  describe("on the engine", () => {
    beforeEach(() => writeToyRewardModel(folder.at("rm")));
    const ENGINE = [...BY_MODEL, "reward.reward_model.model_path=rm", "trainer.rollout_data_dir=dump"];

    it("score trajectories after sampling or as they arrive, with the same result", async () => {
      const late = await folder.train({ overrides: [ONE_STEP, ...ENGINE] });
      const afterwards = await scoresOf("1.jsonl");
      expect(afterwards).to.have.length(16);
      expect(new Set(afterwards.map(({ score }) => score)).size).to.be.above(1);
      expect(late.metrics).to.include.keys("timing_s/compute_score");
      await folder.write("one.txt", "");
      const streamed = await folder.train({
        overrides: [
          ONE_STEP,
          ...ENGINE,
          "reward.reward_model.enable_resource_pool=true",
          "trainer.default_local_dir=run2",
          "trainer.resume_mode=disable",
        ],
      });
      const arriving = await scoresOf("1.jsonl");
      expect(arriving.map(({ output }) => output)).to.deep.equal(afterwards.map(({ output }) => output));
      arriving.forEach(({ score }, i) => {
        expect(score).to.be.closeTo(afterwards[i].score, 1e-5);
      });
      expect(streamed.metrics["critic/score/mean"]).to.be.closeTo(late.metrics["critic/score/mean"], 1e-5);
    });

    it("score validation, greedy baselines, and several batches of validation with one model", async () => {
      const { tracker } = await folder.train({
        overrides: [
          ...ENGINE,
          "algorithm.adv_estimator=remax",
          "data.val_files=[val.jsonl]",
          "data.val_batch_size=1",
          "trainer.test_freq=1",
        ],
      });
      expect(tracker.steps[0].metrics["val-core/toy/reward/mean@1"]).to.satisfy(Number.isFinite);
      expect(tracker.series("training/untrainable/no_score")).to.deep.equal([0, 0, 0]);
      expect(tracker.series("training/untrainable/no_baseline")).to.deep.equal([0, 0, 0]);
    });

    it("handle what cannot be scored by the error policy, late as well", async () => {
      // Conversations of more than 16 tokens.
      await writeToyRewardModel(folder.at("rm"), {
        chatTemplate:
          "{{ messages[0]['content'] }}{% if messages[0]['content'] == 'c' %}llllllllllllllll{% endif %}{{ messages[1]['content'] }}",
      });
      const shuffled = "data.shuffle=false";
      const { error } = await folder.fail({ overrides: [ONE_STEP, ...ENGINE, shuffled] });
      expect(error.code).to.equal("VERL_REWARD_FAILED");
      expect(error.message).to.contain("VERL_REWARD_TOO_LONG").and.contain("train.jsonl:3");
      const fresh = ["trainer.resume_mode=disable", "trainer.default_local_dir=run2"];
      const dropped = await folder.train({
        overrides: [ONE_STEP, ...ENGINE, shuffled, ...fresh, "reward.on_error=drop_group"],
      });
      expect(dropped.metrics["training/untrainable/no_score"]).to.equal(4);
      const zero = await folder.train({
        overrides: [ONE_STEP, ...ENGINE, shuffled, ...fresh, "reward.on_error=zero", "trainer.default_local_dir=run3"],
      });
      expect(zero.metrics["training/untrainable/no_score"]).to.equal(0);
      expect(zero.metrics["reward/failed_ratio"]).to.equal(0.25);
    });

    it("are read before the run starts: a folder without template or weights is refused", async () => {
      await writeToyRewardModel(folder.at("plain"), { chatTemplate: null });
      const plain = await folder.fail({ overrides: [...BY_MODEL, "reward.reward_model.model_path=plain"] });
      expect(plain.error.code).to.equal("VERL_REWARD_MODEL_UNFIT");
      const missing = await folder.fail({ overrides: [...BY_MODEL, "reward.reward_model.model_path=nowhere"] });
      expect(missing.error.message).to.contain("nowhere");
      expect(missing.tracker.runs).to.deep.equal([]);
    });

    it("are refused where the folder holds something else: a language model, a token classifier, a foreign tokenizer", async () => {
      const refused = async (path: string) => {
        const { error, tracker } = await folder.fail({
          overrides: [...BY_MODEL, `reward.reward_model.model_path=${path}`],
        });
        expect(tracker.runs).to.deep.equal([]);
        return error.message;
      };
      await writeToyModel(folder.at("lm"));
      expect(await refused("lm"))
        .to.contain("VERL_ONNX_NO_HEAD")
        .and.contain("score.weight");

      await cp(folder.at("rm"), folder.at("tokens"), { recursive: true });
      const config = JSON.parse(await folder.read("rm", "config.json")) as object;
      const architectures = ["LlamaForTokenClassification"];
      await folder.write("tokens/config.json", JSON.stringify({ ...config, architectures }));
      expect(await refused("tokens"))
        .to.contain(architectures[0])
        .and.contain("LlamaForSequenceClassification");

      await writeToyRewardModel(folder.at("foreign"), { alphabet: "abcdefghijklmnop" });
      expect(await refused("foreign"))
        .to.contain("VERL_REWARD_MODEL_UNFIT")
        .and.contain("18 tokens and its weights are of 14")
        .and.contain('"m"');
    });

    it("give what the engine gives alone, and a resumed run has the scores of a whole one", async () => {
      const run = (dir: string, dump: string, steps: number) =>
        folder.train({
          overrides: [
            ...ENGINE,
            `trainer.total_training_steps=${steps}`,
            "trainer.save_freq=1",
            `trainer.default_local_dir=${dir}`,
            `trainer.rollout_data_dir=${dump}`,
          ],
        });
      const whole = await run("whole", "dump", 2);
      const rows = [...(await scoresOf("1.jsonl")), ...(await scoresOf("2.jsonl"))];
      const engine = createOnnxEngine({
        ...{ modelType: "reward_model", model: { path: folder.at("rm") }, optimizer: null, threads: 1, seed: 1 },
        ...{ topology: { rank: 0, size: 1, isOutputSource: true }, extra: {} },
      });
      await engine.initialize();
      const tokenizer = await loadTokenizer(folder.at("rm"));
      await engine.evalMode();
      for (const { input, trajectory, score } of rows) {
        // Whatever the policy drew, but for the end.
        const answer = trajectory.tokens.join("").replaceAll(".", "");
        const promptIds = tokenizer.encode(`${input}l${answer}l`);
        const { scores } = await engine.inferBatch(packSequences([{ promptIds, responseIds: [] }]), ["scores"]);
        expect(score).to.be.closeTo(scores?.[0] ?? Number.NaN, 1e-5);
      }
      await engine.dispose();
      await run("parts", "dump-parts", 1);
      const resumed = await run("parts", "dump-parts", 2);
      expect(resumed.metrics["critic/score/mean"]).to.equal(whole.metrics["critic/score/mean"]);
      expect(await folder.read("dump-parts", "2.jsonl")).to.equal(await folder.read("dump", "2.jsonl"));
    });

    const HYBRID = [
      "reward.reward_manager.name=hybrid",
      "reward.hybrid=[{data_source: toy, function: 0.5, model: 0.001}]",
      "reward.reward_model.enable=true",
      "reward.reward_model.model_path=rm",
      "trainer.rollout_data_dir=dump",
    ];

    it("are weighed with rules and functions by the manager hybrid, resident or loaded after sampling", async () => {
      const seen = "({ score: 100, turns: extraInfo.num_turns, index: extraInfo.index })";
      await folder.write("reward.mjs", `export const compute_score = ({ extraInfo }) => ${seen};`);
      const scores: Record<string, number[]> = {};
      for (const resident of ["true", "false"]) {
        const own = [
          `reward.reward_model.enable_resource_pool=${resident}`,
          `trainer.default_local_dir=run-${resident}`,
        ];
        await folder.train({
          overrides: [ONE_STEP, ...HYBRID, ...own, "data.val_files=[val.jsonl]", "trainer.test_freq=1"],
        });
        const rows = await scoresOf("1.jsonl");
        scores[resident] = rows.map(({ score }) => score);
        for (const { score } of rows) expect(score).to.be.closeTo(50, 0.5).and.not.equal(50);
      }
      expect(scores.false).to.have.length(16);
      scores.false.forEach((score, i) => {
        expect(score).to.be.closeTo(scores.true[i], 1e-5);
      });
    });

    it("in hybrid, loaded after sampling, are not asked where another part has failed", async () => {
      await folder.write("reward.mjs", "export const compute_score = () => { throw new Error('no judge'); };");
      const { error } = await folder.fail({ overrides: [ONE_STEP, ...HYBRID] });
      expect(error.code).to.equal("VERL_REWARD_FAILED");
      expect(error.message).to.contain("no judge");
      const fresh = ["trainer.default_local_dir=zero", "reward.on_error=zero"];
      const zero = await folder.train({ overrides: [ONE_STEP, ...HYBRID, ...fresh] });
      expect(zero.metrics["reward/failed_ratio"]).to.equal(1);
      expect(zero.metrics["critic/score/mean"]).to.equal(0);
    });
  });

  describe("on servers", () => {
    const reply = ({ path, body }: { path: string; body: { input: string } }) =>
      path === "/v1/models"
        ? { body: { data: [{ id: "rm" }] } }
        : { body: { data: [{ probs: [body.input.length / 10] }] } };

    it("score what their own template renders, as it arrives", async () => {
      await using server = await HttpServer.start(reply);
      await writeToyRewardModel(folder.at("rm"));
      await folder.train({
        overrides: [
          ONE_STEP,
          ...BY_MODEL,
          "reward.reward_model.rollout.name=vllm",
          `reward.reward_model.addresses=["${server.address}"]`,
          "reward.reward_model.model_name=rm",
          "reward.reward_model.tokenizer_path=rm",
          "trainer.rollout_data_dir=dump",
        ],
      });
      expect(server.count("/v1/models")).to.equal(1);
      const inputs = server.received.filter(({ path }) => path === "/classify").map(({ body }) => body.input as string);
      for (const input of inputs) expect(input).to.match(/^[a-l]l[a-l_]*l$/);
      const scores = (await scoresOf("1.jsonl")).map(({ score }) => score);
      expect(scores.sort()).to.deep.equal(inputs.map(({ length }) => length / 10).sort());
    });

    it("are looked for before anything heavy starts, and named when they are not there", async () => {
      await writeToyRewardModel(folder.at("rm"));
      const dead = await deadAddress();
      const { error, tracker } = await folder.fail({
        overrides: [
          ...BY_MODEL,
          "reward.reward_model.rollout.name=vllm",
          `reward.reward_model.addresses=["${dead}"]`,
          "reward.reward_model.model_path=rm",
        ],
      });
      expect(error.code).to.equal("VERL_REWARD_SERVER_UNREACHABLE");
      expect(error.message).to.contain(new URL(dead).host);
      expect(tracker.runs).to.deep.equal([]);
    });
  });

  describe("that judge for a function", () => {
    const JUDGED = `export const compute_score = async ({ solution, judge, signal }) => {
      const messages = [{ role: "user", content: solution }];
      const { text } = await judge.chat({ messages, temperature: 0 }, { signal });
      const response = await fetch("http://" + judge.address + "/v1/chat/completions", {
        method: "POST", body: JSON.stringify({ model: judge.model, messages }),
      });
      const { choices } = await response.json();
      return { score: Number(text), routed: Number(choices[0].message.content) };
    };`;

    it("are handed to it, directly and behind a router", async () => {
      const reply = ({ path, body }: { path: string; body: { messages: { content: string }[] } }) =>
        path === "/v1/models" ? { status: 404 } : completion(String(body.messages[0].content.length));
      await using one = await HttpServer.start(reply);
      await using two = await HttpServer.start(reply);
      await folder.write("reward.mjs", JUDGED);
      const { metrics } = await folder.train({
        overrides: [
          ONE_STEP,
          "reward.reward_model.enable=true",
          `reward.reward_model.addresses=["${one.address}", "${two.address}"]`,
          "reward.reward_model.model_path=judge",
          "data.val_files=[val.jsonl]",
          "trainer.test_freq=1",
        ],
      });
      expect(metrics["val-aux/toy/routed/mean@1"]).to.equal(metrics["val-core/toy/reward/mean@1"]);
      expect(one.count("/v1/chat/completions")).to.be.above(0);
      expect(two.count("/v1/chat/completions")).to.be.above(0);
    });

    it("are seen in the traces of sessions", async () => {
      await using server = await HttpServer.start(({ path }) =>
        path === "/v1/models" ? { status: 404 } : completion("1"),
      );
      await folder.write("reward.mjs", JUDGED);
      const tracer = new RecordingTracer();
      await folder.train({
        overrides: [
          ONE_STEP,
          "reward.reward_model.enable=true",
          `reward.reward_model.addresses=["${server.address}"]`,
          "reward.reward_model.model_path=judge",
          "actor_rollout_ref.rollout.trace.backend=recording",
        ],
        register: (host) => host.tracers.register({ name: "recording", create: () => tracer }),
      });
      const inside = (span: RecordedSpan, ...path: string[]): RecordedSpan[] =>
        path.length === 0
          ? [span]
          : span.children.filter(({ start }) => start.kind === path[0]).flatMap((c) => inside(c, ...path.slice(1)));
      const sessions = tracer.roots.filter(({ start }) => start.kind === "session");
      expect(sessions).to.not.have.length(0);
      for (const session of sessions) expect(inside(session, "reward", "score", "judge")).to.have.length(1);
    });

    it("may fail: the error policy decides, and the message names server and row", async () => {
      const reply = ({ path }: { path: string }) => (path === "/v1/models" ? { status: 404 } : { status: 400 });
      await using server = await HttpServer.start(reply);
      await folder.write("reward.mjs", JUDGED);
      const { error } = await folder.fail({
        overrides: [
          "reward.reward_model.enable=true",
          `reward.reward_model.addresses=["${server.address}"]`,
          "reward.reward_model.model_path=judge",
        ],
      });
      expect(error.code).to.equal("VERL_REWARD_FAILED");
      expect(error.message).to.contain("VERL_REWARD_SERVER_FAILED").and.contain("400").and.contain("train.jsonl:");
    });
  });
});
