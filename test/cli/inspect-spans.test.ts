import { mkdir, readFile } from "node:fs/promises";
import { expect } from "chai";
import { readSpans } from "../../core/tracing/index.js";
import { completion, HttpServer } from "../core/reward/servers/http-server.js";
import { FAKE_PLUGIN } from "../core/trainer/support/child.js";
import { ToyFolder } from "../core/trainer/support/toy-run.js";
import { TOY_MODEL, TOY_OVERRIDES, writeToyModel } from "../core/trainer/support/toy-task.js";
import { cli } from "./support.js";

interface Inspected {
  readonly traces: readonly {
    readonly name: string;
    readonly seconds: number;
    readonly attributes: Readonly<Record<string, unknown>>;
    readonly spans: readonly { readonly name: string; readonly depth: number; readonly seconds: number }[];
  }[];
  readonly matching: number;
  readonly total: number;
}

describe("verl train with traces, and verl inspect of them", () => {
  let folder: ToyFolder;
  let said = "";
  const env = { VERL_USE_EXTERNAL_MODULES: FAKE_PLUGIN };
  const rollout = "actor_rollout_ref.rollout";
  before(async () => {
    folder = await ToyFolder.create();
    const traced = [
      `${rollout}.trace.backend=otel`,
      `${rollout}.prometheus.enable=true`,
      `${rollout}.prometheus.port=0`,
    ];
    const overrides = [...TOY_OVERRIDES, "trainer.logger=[jsonl]", ...traced];
    const { code, stderr } = await cli(["train", ...overrides], { cwd: folder.dir, env });
    expect(code, stderr).to.equal(0);
    said = stderr;
  });
  after(() => folder[Symbol.asyncDispose]());
  const inspect = (...args: string[]) => cli(["inspect", ...args], { cwd: folder.dir });
  const traces = async (...args: string[]) => (await inspect(...args, "--json")).json<Inspected>();

  it("a run writes a trace for every session and every step, and says where its metrics are", async () => {
    expect(said).to.match(/metrics: http:\/\/127\.0\.0\.1:\d+\/metrics/);
    const names: Record<string, number> = {};
    for await (const { name } of readSpans(`${folder.dir}/run/traces.jsonl`)) names[name] = (names[name] ?? 0) + 1;
    const sessions = names["invoke_agent single_turn_agent"];
    expect(sessions).to.be.greaterThan(1);
    expect([names.generate, names.reward]).to.deep.equal([sessions, sessions]);
    expect(names).to.include.keys("step", "gen", "update_actor", "update_weights");
  });

  it("holds no text of prompts and answers", async () => {
    const text = await readFile(`${folder.dir}/run/traces.jsonl`, "utf8");
    expect(text).to.not.match(/prompt_text|response_text/);
  });

  it("shows sessions with their turns and rewards against time", async () => {
    const { stdout, stderr, code } = await inspect("run", "--spans", "--split", "train", "--limit", "2");
    expect(code).to.equal(0);
    expect(stdout).to.match(/_0 {2}step \d+, train, invoke_agent single_turn_agent, \d+\.\d{3} s/);
    expect(stdout).to.match(/generate +▕ *█+ *▏ +\d+\.\d{3} s {2}\d+ → \d+ tokens, (stop|length)/);
    expect(stdout).to.match(/reward +▕ *█+ *▏ +\d+\.\d{3} s {2}scored, score/);
    expect(stderr).to.match(/traces, \d+ sessions of .* s each \(turns .* s, tools 0 s, rewards .* s\), 2 shown/);
  });

  it("takes the file as it takes the folder, and picks by step, uid and order", async () => {
    const all = await traces("run", "--spans");
    expect(await traces("run/traces.jsonl")).to.deep.equal(all);
    const first = await traces("run", "--spans", "--step", "1");
    expect(first.matching).to.be.lessThan(all.total);
    expect(new Set(first.traces.map(({ attributes }) => attributes["verl.step"]))).to.deep.equal(new Set([1]));
    const id = String(first.traces.find(({ name }) => name !== "step")?.attributes["verl.trajectory_id"]);
    expect((await traces("run", "--spans", "--uid", id)).matching).to.equal(1);
    const longest = (await traces("run", "--spans", "--sort", "longest")).traces.map(({ seconds }) => seconds);
    expect(longest).to.deep.equal([...longest].sort((a, b) => b - a));
  });

  it("a step's parts lie in it", async () => {
    const { traces: found } = await traces("run", "--spans", "--step", "1");
    const step = found.find(({ name }) => name === "step");
    expect(step?.spans.map(({ name }) => name)).to.include.members(["gen", "update_actor"]);
    for (const { seconds } of step?.spans ?? []) expect(seconds).to.be.at.most((step?.seconds ?? 0) + 1e-3);
  });

  it("what was cancelled and ended after its session is in it all the same", async () => {
    const span = (spanId: string, parent: string | null, name: string, kind: string) => ({
      ...{ traceId: "t1", spanId, name, status: {} },
      ...(parent === null ? {} : { parentSpanId: parent }),
      startTimeUnixNano: "1000000000",
      endTimeUnixNano: "3000000000",
      attributes: [{ key: "verl.kind", value: { stringValue: kind } }],
    });
    const lines = [span("a", null, "invoke_agent x", "session"), span("b", "a", "generate", "generate")];
    const text = lines.map((each) => JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [each] }] }] }));
    await folder.write("late.jsonl", `${text.join("\n")}\n`);
    const { stdout, stderr } = await inspect("late.jsonl");
    expect(stdout).to.match(/invoke_agent x.*\n {2}generate /);
    expect(stderr).to.contain("1 traces, 1 sessions of 2 s each (turns 2 s").and.not.contain("unfinished");
  });

  it("replay and debug write what they do beside it, in folders of their own, without metrics of a replay", async () => {
    const before = await folder.read("run", "traces.jsonl");
    const session = ["invoke_agent single_turn_agent", "generate", "reward", "score function"];
    const found = async (command: string) =>
      (await traces(`run/${command}`, "--spans", "--limit", "100")).traces.map(({ name, spans }) => [
        name,
        ...spans.map((span) => span.name),
      ]);
    const run = async (...args: string[]) => {
      const { code, stderr } = await cli(args, { cwd: folder.dir, env });
      expect(code, stderr).to.equal(0);
      return stderr;
    };
    // All sessions of the prompt that it is of.
    expect(await run("replay", "run")).to.not.contain("/metrics");
    expect(await found("replay")).to.deep.equal(Array.from({ length: 4 }, () => session));
    const own = [...TOY_OVERRIDES, `${rollout}.trace.backend=otel`];
    await run("debug", "rollout", ...own, "--output", "sampled");
    const sampled = await found("debug");
    expect(sampled.filter(([name]) => name === "step")).to.deep.equal([["step"]]);
    expect(sampled.filter(([name]) => name !== "step")).to.deep.equal(Array.from({ length: 16 }, () => session));
    await run("debug", "train", ...own, "--data", "sampled");
    const [step, ...others] = await found("debug");
    expect(others).to.deep.equal([]);
    expect(step).to.include("update_actor");
    expect(await folder.read("run", "traces.jsonl")).to.equal(before);
  });

  it("says that a run has none", async () => {
    const { code, stderr } = await inspect(".", "--spans");
    expect(code).to.equal(2);
    expect(stderr).to.contain("VERL_CLI_NOTHING_TO_INSPECT").and.contain("no traces").and.contain("trace.backend=otel");
    expect(stderr).to.not.contain("samples.jsonl");
    expect((await inspect("nowhere", "--spans")).stderr)
      .to.contain("no such file")
      .and.not.contain("trace.backend");
  });

  it("says what there is where nothing matches", async () => {
    const of = async (...args: string[]) => (await inspect("run", "--spans", ...args)).stderr;
    expect(await of("--uid", "nobody")).to.match(/no trace whose key begins with nobody[\s\S]*Keys begin with \w+/);
    expect(await of("--step", "99"))
      .to.contain("no trace of step 99")
      .and.contain("lie from");
    expect(await of("--split", "val")).to.contain("There are train.");
  });

  it("refuses options that are for trajectories", async () => {
    for (const args of [["--stop", "eos"], ["--html", "a.html"], ["--list"], ["--tokens"], ["--heat", "none"]]) {
      const { code, stderr } = await inspect("run", "--spans", ...args);
      expect(code).to.equal(2);
      expect(stderr).to.contain(`${args[0]} is for trajectories`);
    }
  });

  it("refuses a tracer that there is not, and a negative limit, before it starts", async () => {
    const wrong = (...overrides: string[]) => cli(["train", ...TOY_OVERRIDES, ...overrides], { cwd: folder.dir, env });
    const { stderr } = await wrong(`${rollout}.trace.backend=weave`);
    expect(stderr).to.contain("weave").and.contain("otel");
    expect((await wrong(`${rollout}.trace.max_samples_per_step_per_worker=-1`)).stderr).to.contain("max_samples");
  });
});

describe("verl eval and verl generate with traces", () => {
  let folder: ToyFolder;
  const rollout = "actor_rollout_ref.rollout";
  const MODEL = [
    ...TOY_MODEL,
    "trainer.default_local_dir=run",
    "reward.custom_reward_function.path=reward.mjs",
    `${rollout}.trace.backend=otel`,
  ];
  const run = (...args: string[]) => cli(args, { cwd: folder.dir, env: { HF_HUB_OFFLINE: "1" } });
  const traces = async (...args: string[]) => (await run("inspect", ...args, "--spans", "--json")).json<Inspected>();
  const names = ({ traces: found }: Inspected) =>
    found.map(({ name, spans }) => [name, ...spans.map((span) => span.name)]);
  before(async () => {
    folder = await ToyFolder.create();
    await writeToyModel(folder.at("model"));
    await mkdir(folder.at("run"));
    await folder.write("run/traces.jsonl", "of the training");
  });
  after(() => folder[Symbol.asyncDispose]());

  it("eval writes sessions with their turns and rewards beside the run's own traces, which stay", async () => {
    const { code, stderr } = await run("eval", ...MODEL, "data.val_files=[val.jsonl]");
    expect(code, stderr).to.equal(0);
    expect(stderr).to.contain(`traces: ${folder.at("run", "eval")}`);
    const found = await traces("run/eval");
    const session = ["invoke_agent single_turn_agent", "generate", "reward", "score function"];
    expect(names(found)).to.deep.equal([session, session]);
    for (const { attributes } of found.traces) expect(attributes).to.include({ "verl.validate": true });
    expect((await traces("run/eval", "--split", "val")).matching).to.equal(2);
    expect(await folder.read("run", "traces.jsonl")).to.equal("of the training");
  });

  it("eval of responses writes a trace for each, with the requests to judges in it", async () => {
    await using server = await HttpServer.start(() => completion("1"));
    const plugin = JSON.stringify(new URL("../../core/plugin.js", import.meta.url).href);
    await folder.write(
      "judged.mjs",
      `import { createJudge } from ${plugin};
       const judge = createJudge({ addresses: ["${server.address}"], model: "own" });
       export const compute_score = async ({ solution }) => {
         const { text } = await judge.chat({ messages: [{ role: "user", content: solution }] });
         return Number(text);
       };`,
    );
    await folder.write("responses.jsonl", JSON.stringify({ data_source: "toy", responses: ["a", "b"] }));
    const args = ["--responses=responses.jsonl", "reward.custom_reward_function.path=judged.mjs"];
    const { code, stderr } = await run("eval", ...MODEL, ...args);
    expect(code, stderr).to.equal(0);
    const found = await traces("run/eval");
    const scored = ["reward", "score function", "judge"];
    expect(names(found)).to.deep.equal([scored, scored]);
    const ids = found.traces.map(({ attributes }) => String(attributes["verl.trajectory_id"]));
    expect(ids.map((id) => id.slice(id.lastIndexOf("responses.jsonl"))).sort()).to.deep.equal([
      "responses.jsonl:1#0",
      "responses.jsonl:1#1",
    ]);
    const { stdout } = await run("inspect", "run/eval", "--spans", "--split", "val");
    expect(stdout).to.match(/responses\.jsonl:1#[01] .*val, reward, \d+\.\d{3} s, scored, score 1/);
  });

  it("generate writes a trace for each response, of so many prompts as are asked for", async () => {
    const limited = [`${rollout}.trace.max_samples_per_step_per_worker=2`, `${rollout}.n=3`];
    const { code, stderr } = await run(
      "generate",
      ...MODEL,
      ...limited,
      "data.train_files=[train.jsonl]",
      "--output=out.jsonl",
    );
    expect(code, stderr).to.equal(0);
    const found = await traces("run/generate");
    expect(names(found)).to.deep.equal(Array.from({ length: 6 }, () => ["generate"]));
    const prompts = found.traces.map(({ attributes }) => String(attributes["verl.trajectory_id"]).split("_")[0]);
    expect(new Set(prompts).size).to.equal(2);
    for (const { attributes } of found.traces) expect(attributes["gen_ai.usage.output_tokens"]).to.be.within(1, 4);
  });

  it("eval answers Prometheus while it goes on, with the name of the model", async () => {
    const [config, text] = [folder.at("prometheus.yml"), folder.at("metrics.txt")];
    await folder.write(
      "scraped.mjs",
      `import { readFileSync, writeFileSync } from "node:fs";
       export const compute_score = async () => {
         const [, address] = /targets: \\["(.+)"\\]/.exec(readFileSync(${JSON.stringify(config)}, "utf8"));
         const response = await fetch("http://" + address + "/metrics");
         writeFileSync(${JSON.stringify(text)}, await response.text());
         return 1;
       };`,
    );
    const metrics = [
      `${rollout}.prometheus.enable=true`,
      `${rollout}.prometheus.port=0`,
      `${rollout}.prometheus.file=${config}`,
    ];
    const args = [...metrics, "data.val_files=[val.jsonl]", "reward.custom_reward_function.path=scraped.mjs"];
    const { code, stderr } = await run("eval", ...MODEL, ...args);
    expect(code, stderr).to.equal(0);
    const scraped = await folder.read("metrics.txt");
    expect(scraped).to.match(/^verl_sessions_in_flight\{model_name="model"\} [12]$/m);
    expect(scraped).to.match(/^verl_replica_requests_in_flight\{replica="0",model_name="model"\} 0$/m);
  });
});
