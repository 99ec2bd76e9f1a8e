import { execFileSync, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { readdir, truncate } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { type RunNote, readMetrics } from "../../../core/tracking/index.js";
import { CpuPlatform } from "../../../platforms/cpu/index.js";
import { FAKE_PLUGIN, verl } from "../../core/trainer/support/child.js";
import { ToyFolder } from "../../core/trainer/support/toy-run.js";
import { ONNX_OVERRIDES, TOY_OVERRIDES, writeToyModel } from "../../core/trainer/support/toy-task.js";
import { cli } from "../support.js";

const SLOW = (ms: number) => `export const compute_score = async ({ solution }) => {
  await new Promise((resolve) => setTimeout(resolve, ${ms}));
  return solution.length;
};`;

/** A reward that answers a step's worth of calls and then never again. */
const STUCK = `let calls = 0;
export const compute_score = async ({ solution }) => {
  if (++calls > 16) {
    console.error("the judge thinks for ever");
    await new Promise((resolve) => setTimeout(resolve, 600_000));
  }
  return solution.length;
};`;

const ONNX = ["actor_rollout_ref.rollout.name=onnx", "actor_rollout_ref.actor.strategy=onnx", "trainer.device=cpu"];

/** What the platform `cpu` computes with. */
const platformMemory = () => new CpuPlatform().memoryInfo().totalBytes;

describe("cli/runs/train-command", () => {
  let folder: ToyFolder;
  beforeEach(async () => {
    folder = await ToyFolder.create();
  });
  afterEach(() => folder[Symbol.asyncDispose]());

  const train = (...args: string[]) =>
    cli(["train", ...TOY_OVERRIDES, ...args], { cwd: folder.dir, env: { VERL_USE_EXTERNAL_MODULES: FAKE_PLUGIN } });
  const events = (text: string) =>
    text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);

  it("trains, with one line a step for people", async () => {
    const { code, stdout, stderr } = await train("trainer.logger=[console]");
    expect(code, stderr).to.equal(0);
    expect(stdout).to.match(/step.*3/i);
  });

  it("records the plugins of the run, and what each registered", async () => {
    expect((await train("trainer.logger=[]")).code).to.equal(0);
    const { plugins } = JSON.parse(await folder.read("run", "run.json")) as RunNote;
    const fake = plugins?.find(({ source }) => source === "environment");
    expect(fake).to.include({ status: "loaded" });
    expect(fake?.registered.map(({ kind }) => kind)).to.include("engine");
    expect(plugins?.some(({ source }) => source === "builtin")).to.equal(true);
  });

  it("prints JSON events and nothing else with --json", async () => {
    const { code, stdout } = await train("trainer.logger=[console]", "--json");
    expect(code).to.equal(0);
    const lines = events(stdout);
    expect(lines[0]).to.include({ event: "start", totalSteps: 3 });
    expect(lines.at(-1)).to.deep.include({ event: "end", reason: "completed", globalStep: 3 });
    expect(lines.at(-1)).to.include.keys("metrics", "outputDir", "validations");
  });

  it("exits with 1 and a card when the run fails, with 2 when the configuration is wrong", async () => {
    await folder.write("reward.mjs", "export const compute_score = () => { throw new Error('no judge'); };");
    const failed = await train();
    expect(failed.code).to.equal(1);
    expect(failed.stderr).to.include("VERL_REWARD_FAILED").and.include("no judge");
    const wrong = await train("data.train_batch_size=5", "actor_rollout_ref.actor.ppo_mini_batch_size=4");
    expect(wrong.code).to.equal(2);
  });

  it("reports a failed run as JSON with --json", async () => {
    await folder.write("reward.mjs", "export const compute_score = () => { throw new Error('no judge'); };");
    const { code, json } = await train("--json");
    expect(code).to.equal(1);
    expect(json<{ error: { code: string }; exitCode: number }>()).to.deep.nested.include({
      "error.code": "VERL_REWARD_FAILED",
      exitCode: 1,
    });
  });

  it("exits with 0 when a hook stops the run", async () => {
    await folder.write("hooks.mjs", "export const onStepEnd = ({ requestStop }) => requestStop('good enough');");
    const { code, json } = await train("trainer.hooks=[hooks.mjs]", "--json");
    expect(code).to.equal(0);
    expect(json()).to.include({ event: "end", reason: "stopped", globalStep: 1 });
  });

  describe("--dry-run", () => {
    it("prints the arithmetic of the run with steps and rows, and starts nothing", async () => {
      const { code, stdout } = await train(
        "--dry-run",
        "data.val_files=[val.jsonl]",
        "trainer.total_training_steps=null",
        "trainer.total_epochs=2",
        "trainer.test_freq=2",
        "trainer.save_freq=1",
        "trainer.max_actor_ckpt_to_keep=2",
        "actor_rollout_ref.actor.ppo_mini_batch_size=2",
      );
      expect(code).to.equal(0);
      expect(
        stdout
          .replace(/; [\d.]+ [KMG]iB free/, "")
          .trim()
          .split("\n"),
      ).to.deep.equal([
        "Training: 6 steps over 12 rows, 3 steps a pass (2 passes).",
        "A step:   4 prompts x 4 samples = 16 trajectories of at most 8 tokens; 2 updates of 2 prompts.",
        "Validation: 2 rows x 1 sample, before the first step, every 2 steps and after the last one.",
        "Checkpoints: every step and after the last one, the newest 2 are kept (run).",
        "Nothing was started.",
      ]);
      expect(existsSync(folder.at("run"))).to.equal(false);
    });

    it("prints it as JSON, with the composed configuration", async () => {
      const { json } = await train("--dry-run", "--json");
      const { plan: all, config } = json<{
        plan: Record<string, unknown>;
        config: { trainer: { seed: number } };
      }>();
      const { freeBytes, ...plan } = all;
      expect(freeBytes).to.be.a("number");
      expect(plan).to.deep.equal({
        rows: 12,
        validationRows: 0,
        stepsPerEpoch: 3,
        totalSteps: 3,
        promptsPerStep: 4,
        samplesPerPrompt: 4,
        trajectoriesPerStep: 16,
        updatesPerStep: 1,
        promptsPerUpdate: 4,
        longestSequence: 8,
        // The toy back-ends give no estimate.
        memory: { parts: [], unknown: ["actor", "rollout"], training: 0, sampling: 0, available: platformMemory() },
        resume: null,
        unasked: [],
      });
      expect(config.trainer.seed).to.equal(1);
    });

    it("finds data that do not make a step, and rows that nobody can score", async () => {
      const small = await train("--dry-run", "data.train_batch_size=16");
      expect(small.code).to.equal(2);
      expect(small.stderr).to.include("VERL_CONFIG_NO_STEPS").and.include("12 rows");
      const unscored = await train("--dry-run", "reward.custom_reward_function.path=null");
      expect(unscored.stderr).to.include("VERL_REWARD_NO_SCORER");
    });

    it("asks engines and servers for their memory, and says when there is too little", async () => {
      const dry = (...more: string[]) =>
        cli(["train", ...TOY_OVERRIDES, ...ONNX_OVERRIDES, "trainer.device=cpu", "--dry-run", ...more], {
          cwd: folder.dir,
        });
      const { stdout } = await dry("actor_rollout_ref.actor.use_kl_loss=true");
      expect(stdout).to.match(
        /^Memory: about [\d.]+ [KM]iB while training and [\d.]+ [KM]iB while sampling of [\d.]+ GiB\.$/m,
      );
      expect(stdout).to.match(/^ {2}actor: weights, gradients and optimizer [\d.]+ KiB, activations [\d.]+ KiB, /m);
      expect(stdout)
        .to.match(/^ {2}reference: weights /m)
        .and.match(/^ {2}rollout: weights .*, cache /m);
      expect(stdout).not.to.include("more than there is");
      const sizes = {
        hidden_size: 65536,
        intermediate_size: 65536,
        num_attention_heads: 64,
        num_key_value_heads: 64,
        num_hidden_layers: 40,
      };
      const model = Object.entries(sizes).map(([name, size]) => `actor_rollout_ref.model.config.${name}=${size}`);
      const huge = await dry(...model);
      expect(huge.stdout).to.include("That is more than there is: the run would be killed.");
    });

    it("finds a misspelt member of a model that the configuration describes", async () => {
      const dry = (...members: string[]) =>
        cli(
          [
            ...["train", ...TOY_OVERRIDES, ...ONNX_OVERRIDES, "--dry-run"],
            ...members.map((member) => `+actor_rollout_ref.model.config.${member}`),
          ],
          { cwd: folder.dir },
        );
      const { code, stderr } = await dry("rope_tehta=5000");
      expect(code).to.equal(2);
      expect(stderr).to.include("rope_tehta is no member").and.include('Did you mean "rope_theta"?');
      const usual = await dry("torch_dtype=bfloat16", "transformers_version=4.5", "_name_or_path=x", "use_cache=true");
      expect(usual.code, usual.stderr).to.equal(0);
    });

    it("finds a family of models that the engine does not know", async () => {
      const unknown = "actor_rollout_ref.model.config={model_type: unheard-of}";
      const { code, stderr } = await cli(["train", ...TOY_OVERRIDES, ...ONNX_OVERRIDES, unknown, "--dry-run"], {
        cwd: folder.dir,
      });
      expect(code).to.equal(2);
      expect(stderr).to.include("unheard-of");
    });

    it("finds a model that the built-in engine cannot read", async () => {
      await writeToyModel(folder.at("model"));
      const onDisk = ["--dry-run", "actor_rollout_ref.model.config=null", "actor_rollout_ref.model.path=model"];
      const builtIn = () => cli(["train", ...TOY_OVERRIDES, ...ONNX, ...onDisk], { cwd: folder.dir });
      const whole = await builtIn();
      expect(whole.code, whole.stderr).to.equal(0);
      await truncate(folder.at("model/model.safetensors"), 1000);
      const cut = await builtIn();
      expect(cut.code).to.equal(2);
      expect(cut.stderr).to.include("VERL_FORMATS_SAFETENSORS_INVALID");
    });

    it("finds a platform that nobody registers, and hooks that are not there", async () => {
      expect((await train("--dry-run", "trainer.device=abacus")).stderr).to.include("VERL_PLATFORM_UNKNOWN");
      const hooks = await train("--dry-run", "trainer.hooks=[none.mjs]");
      expect(hooks.code).to.equal(2);
      expect(hooks.stderr).to.include("VERL_CONFIG_FILE_MISSING").and.include("none.mjs");
    });
  });

  for (const stream of ["", "2"]) {
    it(`goes on to its end, with its checkpoint, where ${stream === "" ? "standard output" : "standard error"} takes nothing`, async function () {
      this.timeout(60_000);
      const words = [
        ...TOY_OVERRIDES,
        "trainer.save_freq=1",
        "trainer.total_training_steps=2",
        "trainer.logger=[console]",
      ];
      const quoted = words.map((word) => `'${word}'`).join(" ");
      const main = fileURLToPath(new URL("../../../cli/main.js", import.meta.url));
      const { status, stderr } = spawnSync(
        "sh",
        ["-c", `"${process.execPath}" "${main}" train ${quoted} ${stream}> /dev/full`],
        {
          cwd: folder.dir,
          encoding: "utf8",
          env: { ...process.env, NO_COLOR: "1", VERL_USE_EXTERNAL_MODULES: FAKE_PLUGIN },
        },
      );
      expect(await folder.read("run", "latest_checkpointed_iteration.txt")).to.equal("2");
      expect(status, stderr).to.equal(stream === "" ? 1 : 0);
      expect(stderr.match(/VERL_CLI_OUTPUT$/gm) ?? []).to.have.length(stream === "" ? 2 : 0);
    });
  }

  describe("Ctrl-C", function () {
    this.timeout(120_000);

    /** `verl train`, sent SIGINT each time that the next of the marks appears in its output. */
    const interrupted = (marks: readonly string[], ...args: string[]) => {
      let next = 0;
      return verl(["train", ...TOY_OVERRIDES, "trainer.logger=[console, jsonl]", ...args], {
        cwd: folder.dir,
        onOutput({ stdout, stderr }, child) {
          if (next < marks.length && `${stdout}${stderr}`.includes(marks[next])) {
            next++;
            child.kill("SIGINT");
          }
        },
      });
    };
    const halfWritten = async () =>
      (await readdir(folder.at("run"), { recursive: true })).filter((name) => /\.tmp|\.old|lock/.test(name));

    it("once: the step is finished and saved, and the run goes on from there later", async () => {
      await folder.write("reward.mjs", SLOW(20));
      const { code, stdout, stderr } = await interrupted(['"step":2'], "trainer.total_training_steps=1000", "--json");
      expect(code, stderr).to.equal(130);
      expect(stderr).to.include("SIGINT: finishing this step and saving");
      const end = events(stdout).at(-1) as { globalStep: number };
      expect(end).to.include({ event: "end", reason: "stopped" });
      expect(await folder.read("run", "latest_checkpointed_iteration.txt")).to.equal(String(end.globalStep));
      expect((await readMetrics(folder.at("run", "metrics.jsonl"))).at(-1)?.step).to.equal(end.globalStep);
      expect(await halfWritten()).to.deep.equal([]);

      const { tracker } = await folder.train({
        overrides: [`trainer.total_training_steps=${end.globalStep + 1}`],
      });
      expect(tracker.steps.map(({ step }) => step)).to.deep.equal([end.globalStep + 1]);
    });

    it("twice: the run is aborted at once, nothing half-written is left", async () => {
      await folder.write("reward.mjs", STUCK);
      const { code, stdout, stderr } = await interrupted(
        ["thinks for ever", "finishing this step"],
        "trainer.save_freq=1",
        "--json",
      );
      expect(code, stderr).to.equal(130);
      expect(stderr).to.include("SIGINT: aborting");
      expect(events(stdout).at(-1)).to.deep.nested.include({ "error.code": "VERL_TRAINER_ABORTED", exitCode: 130 });
      expect(await folder.read("run", "latest_checkpointed_iteration.txt")).to.equal("1");
      expect(await halfWritten()).to.deep.equal([]);
    });

    it("says from which checkpoint the run goes on, and how", async () => {
      await folder.write("reward.mjs", SLOW(20));
      const { stderr } = await interrupted(
        ["  reward "],
        "trainer.total_training_steps=1000",
        "trainer.resume_mode=disable",
      );
      expect(stderr).to.match(
        /The newest checkpoint is that of step \d+: trainer\.resume_mode=auto goes on from there\.\n$/,
      );
    });

    it("before there is anything to finish: the run is aborted", async () => {
      await folder.write("reward.mjs", `await new Promise((resolve) => setTimeout(resolve, 600_000));`);
      const { code, stderr } = await interrupted(["training data", "aborting"]);
      expect(code, stderr).to.equal(130);
    });

    it("ends the process although a thread waits for a pipe without a writer", async () => {
      execFileSync("mkfifo", [folder.at("pipe")]);
      await folder.write("reward.mjs", `import { readFile } from "node:fs/promises"; await readFile("pipe");`);
      const { signal, stderr } = await interrupted(["training data", "aborting"]);
      expect(signal, stderr).to.equal("SIGINT");
    });
  });

  it("ends although a user's file keeps a timer running", async function () {
    this.timeout(60_000);
    await folder.write(
      "reward.mjs",
      "setInterval(() => {}, 1000); export const compute_score = ({ solution }) => solution.length;",
    );
    const { code, stderr } = await verl(["train", ...TOY_OVERRIDES], { cwd: folder.dir });
    expect(code, stderr).to.equal(0);
  });
});
