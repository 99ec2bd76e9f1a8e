import { expect } from "chai";
import { type PluginHost, type SandboxFactory, sandboxErrors } from "../../../../core/plugin.js";
import { fakeSandboxFactory } from "../../../../testing/index.js";
import { ToyFolder } from "../support/toy-run.js";

const CODE_ROWS = ["reward.custom_reward_function.path=null", "data.train_files=[code.jsonl]"];
const ROW = {
  prompt: [{ role: "user", content: "a" }],
  data_source: "codecontests",
  reward_model: { ground_truth: { inputs: ["1"], outputs: ["1"] } },
};

describe("core/trainer sandbox", () => {
  let folder: ToyFolder;
  before(async () => {
    folder = await ToyFolder.create();
    await folder.write("code.jsonl", `${JSON.stringify(ROW)}\n`.repeat(4));
  });
  after(() => folder[Symbol.asyncDispose]());

  /** Notes what a run does with its sandbox. */
  const noting = (events: string[], over: Partial<SandboxFactory> = {}): SandboxFactory => {
    const fake = fakeSandboxFactory({ name: "noted" });
    return {
      ...fake,
      async create(options) {
        events.push("open");
        const sandbox = await fake.create(options);
        return {
          ...sandbox,
          close: async () => {
            events.push("close");
            await sandbox.close();
          },
        };
      },
      ...over,
    };
  };
  const settings = (factory: SandboxFactory, ...overrides: string[]) => ({
    overrides: ["trainer.total_training_steps=1", "reward.sandbox.name=noted", ...overrides],
    register: (host: PluginHost) => host.sandboxes.register(factory),
  });

  it("that a data set needs and that is missing ends the run before it starts", async () => {
    const events: string[] = [];
    const missing = noting([], {
      create() {
        throw sandboxErrors.VERL_SANDBOX_UNAVAILABLE({
          what: "no sandbox here",
          why: "a test says so",
          fix: "install one",
        });
      },
    });
    const { error, tracker } = await folder.fail({
      ...settings(missing, ...CODE_ROWS),
      onTrainer: () => events.push("trainer"),
    });
    expect(error).to.include({ code: "VERL_SANDBOX_UNAVAILABLE", why: "a test says so", fix: "install one" });
    expect(error.where).to.match(/code\.jsonl:1, scorer "code"/);
    expect(tracker.steps).to.deep.equal([]);
  });

  it("that does not run the language of a data set ends the run before it starts", async () => {
    const { error } = await folder.fail(
      settings(noting([]), ...CODE_ROWS, "+reward.reward_kwargs.language=cobol", "data.train_batch_size=1"),
    );
    expect(error).to.include({ code: "VERL_SANDBOX_LANGUAGE", why: "it runs python" });
    expect(error.where).to.match(/code\.jsonl:1, scorer "code"/);
  });

  it("is not opened by a run that needs none", async () => {
    const events: string[] = [];
    await folder.train(settings(noting(events)));
    expect(events).to.deep.equal([]);
  });

  it("is at hand for a reward function, opened once and closed at the end", async () => {
    const events: string[] = [];
    await folder.write(
      "running.mjs",
      `export const compute_score = async ({ solution, sandbox }) => {
        const { exitCode } = await (await sandbox()).run({ language: "python", code: solution });
        return exitCode + solution.length;
      };`,
    );
    const { metrics } = await folder.train(settings(noting(events), "reward.custom_reward_function.path=running.mjs"));
    expect(metrics["critic/score/mean"]).to.be.greaterThan(0);
    expect(events).to.deep.equal(["open", "close"]);
  });

  it("has the limits of the configuration", async () => {
    const seen: unknown[] = [];
    const factory = noting([], {
      create(options) {
        const { limits, maxConcurrent, extra } = options;
        seen.push({ ...limits, maxConcurrent, extra });
        return fakeSandboxFactory().create(options);
      },
    });
    const { error } = await folder.fail(
      settings(
        factory,
        ...CODE_ROWS,
        "reward.sandbox.timeout=2.5",
        "reward.sandbox.memory_limit_mb=300",
        "reward.sandbox.processes=5",
        "reward.sandbox.files_limit_mb=7",
        "reward.sandbox.output_limit_kb=2",
        "reward.sandbox.max_concurrent=3",
        "+reward.sandbox.options.show=[/data]",
        "data.train_batch_size=100",
      ),
    );
    expect(error.code).to.not.match(/SANDBOX/);
    expect(seen).to.deep.equal([
      {
        wallMs: 2500,
        cpuMs: 2500,
        memoryMiB: 300,
        processes: 5,
        filesMiB: 7,
        outputBytes: 2048,
        maxConcurrent: 3,
        extra: { show: ["/data"] },
      },
    ]);
  });

  it("is the service whose address is configured, if there is one", async () => {
    const url = "http://127.0.0.1:9/run_code";
    const { error } = await folder.fail(settings(noting([]), ...CODE_ROWS, `reward.sandbox_fusion.url=${url}`));
    expect(error.code).to.equal("VERL_SANDBOX_UNAVAILABLE");
    expect(error.what).to.contain("SandboxFusion service at 127.0.0.1:9");
  });
});
