import { rm } from "node:fs/promises";
import { expect } from "chai";
import { FAKE_PLUGIN } from "../../core/trainer/support/child.js";
import { ToyFolder } from "../../core/trainer/support/toy-run.js";
import { ONNX_OVERRIDES, TOY_OVERRIDES, writeToyModel } from "../../core/trainer/support/toy-task.js";
import { cli } from "../support.js";

const MODEL = "actor_rollout_ref.model";
const ROLLOUT = "actor_rollout_ref.rollout";
const ON_DISK = [...ONNX_OVERRIDES, `${MODEL}.config=null`, `${MODEL}.path=model`, `${MODEL}.tokenizer_path=null`];

/** Faults that only engine and server know of, with the keys that are to be named. */
const FAULTS: Readonly<Record<string, string>> = {
  "data.max_response_length=60":
    "data.max_prompt_length + data.max_response_length = 4 + 60 = 64 tokens, and the model has 16 positions (actor, rollout)",
  [`${ROLLOUT}.quantization=int3`]: 'cannot round its weights to "int3"',
  [`${MODEL}.lora_rank=100000`]: "a LoRA rank of 100000 is above the smaller side of every matrix",
  "+actor_rollout_ref.actor.engine_kwargs.onnx.thread=2": "thread",
  [`+${ROLLOUT}.engine_kwargs.onnx.attention=flash`]: "attention",
  "actor_rollout_ref.actor.strategy=fake": "trains none",
};

interface Problem {
  readonly code: string;
  readonly key: string;
  readonly what: string;
  readonly where: string;
  readonly fix?: string;
}

describe("what engine and server could not do", function () {
  this.timeout(60_000);
  let folder: ToyFolder;
  before(async () => {
    folder = await ToyFolder.create();
    await writeToyModel(folder.at("model"));
  });
  after(() => folder[Symbol.asyncDispose]());

  const run = (command: readonly string[], overrides: readonly string[], env: Record<string, string> = {}) =>
    cli([...command, ...TOY_OVERRIDES, ...ON_DISK, ...overrides], {
      cwd: folder.dir,
      env: { VERL_USE_EXTERNAL_MODULES: FAKE_PLUGIN, ...env },
    });
  const COMMANDS = [["train", "--dry-run"], ["train"], ["config", "check"]] as const;

  for (const command of COMMANDS) {
    describe(`verl ${command.join(" ")}`, () => {
      for (const [override, text] of Object.entries(FAULTS)) {
        const needed = override.includes("strategy=fake")
          ? [
              `${MODEL}.lora_rank=2`,
              `${MODEL}.path=null`,
              `${MODEL}.config={vocab_size: 14}`,
              `${MODEL}.tokenizer_path=tokenizer`,
              `${ROLLOUT}.name=fake`,
            ]
          : [];
        it(`refuses ${override}, and says where it was set`, async () => {
          const { code, stderr } = await run(command, [override, ...needed]);
          expect(code, stderr).to.equal(2);
          expect(stderr).to.include(text);
          expect(stderr).to.match(/where: .*\((override|file|default)/);
          expect(stderr.match(/^error /gm)).to.have.length(1);
        });
      }

      it("tells all of them at once", async () => {
        const some = Object.keys(FAULTS).slice(0, 5);
        const { code, stderr } = await run(command, some);
        expect(code).to.equal(2);
        expect(stderr).to.include("VERL_CONFIG_INVALID").and.include("5 problems");
        for (const override of some) {
          expect(stderr).to.include(FAULTS[override]).and.include(`(override "${override}")`);
        }
      });

      it("tells them together with the configuration's own", async () => {
        const { stderr } = await run(command, ["data.max_response_length=60", "trainer.nnodes=2"]);
        expect(stderr).to.include("trainer.nnodes = 2").and.include("16 positions");
      });

      it("does not judge what the configuration's own problems made doubtful", async () => {
        const { stderr } = await run(command, ["data.max_response_length=many"]);
        expect(stderr).to.include("VERL_CONFIG_TYPE").and.not.include("positions");
      });

      it("goes on with a sound one", async () => {
        const { code, stderr } = await run(command, ["trainer.total_training_steps=1"]);
        expect(code, stderr).to.equal(0);
        await rm(folder.at("run"), { recursive: true, force: true });
      });
    });
  }

  describe("of a model that the configuration describes", () => {
    const SOUND =
      "model_type: llama, vocab_size: 14, hidden_size: 8, intermediate_size: 8, num_hidden_layers: 1, num_attention_heads: 2";
    const WRONG: readonly (readonly [override: string, key: string, text: string])[] = [
      ["hidden_size=-1", "hidden_size", "hidden_size is -1"],
      ["num_hidden_layers=null", "num_hidden_layers", "num_hidden_layers is missing"],
      ["rope_scaling={type: wild}", "rope_scaling.type", 'rope_scaling.type "wild"'],
    ];
    for (const [override, key, text] of WRONG) {
      it(`names ${key}, and where it was set`, async () => {
        const set = `++${MODEL}.config.${override}`;
        const overrides = [`${MODEL}.path=null`, `${MODEL}.config={${SOUND}}`, set];
        const { code, json } = await run(["config", "check", "--json"], overrides);
        expect(code).to.equal(2);
        const { problems } = json<{ problems: Problem[] }>();
        const found = problems.filter(({ code: one }) => one.startsWith("VERL_FORMATS_"));
        expect(found.map((problem) => problem.key)).to.deep.equal([`${MODEL}.config.${key}`]);
        expect(found[0].what).to.include(text);
        expect(found[0].where).to.include(`override "${set}"`);
        expect(JSON.stringify(found)).not.to.include("config.json");
      });
    }
  });

  it("leaves nothing behind where a run is refused", async () => {
    await rm(folder.at("run"), { recursive: true, force: true });
    const { stderr } = await run(["train"], ["data.max_response_length=60"]);
    expect(stderr).to.include("VERL_CONFIG_SIZES");
    const again = await run(["train", "--dry-run"], []);
    expect(again.code, again.stderr).to.equal(0);
  });

  it("warns in passing of what would run to no good", async () => {
    const rank = [`${MODEL}.lora_rank=12`, "trainer.total_training_steps=1"];
    for (const command of COMMANDS) {
      const { code, stderr } = await run(command, rank);
      expect(code, stderr).to.equal(0);
      expect(stderr)
        .to.match(/a LoRA rank of 12 is above the smaller side of \d+ of \d+ matrices/)
        .and.include("k_proj (8)");
      expect(stderr).to.include(`${MODEL}.lora_rank`);
      await rm(folder.at("run"), { recursive: true, force: true });
    }
  });

  it("gives JSON with keys, codes and places", async () => {
    const { json } = await run(["config", "check", "--json"], Object.keys(FAULTS).slice(0, 3));
    const { ok, problems } = json<{ ok: boolean; problems: Problem[] }>();
    expect(ok).to.equal(false);
    expect(problems.map(({ key, code }) => [key, code])).to.have.deep.members([
      ["data.max_response_length", "VERL_CONFIG_SIZES"],
      [`${ROLLOUT}.quantization`, "VERL_ROLLOUT_NO_QUANTIZATION"],
      [`${MODEL}.lora_rank`, "VERL_ONNX_BAD_ADAPTER"],
    ]);
    expect(problems.find(({ code }) => code === "VERL_CONFIG_SIZES")?.fix).to.include("at most 12");
  });

  it("is asked of the commands that only sample", async () => {
    const { code, stderr } = await run(["generate", "--prompt", "ab"], [`${ROLLOUT}.quantization=int3`]);
    expect(code).to.equal(2);
    expect(stderr).to.include("VERL_ROLLOUT_NO_QUANTIZATION").and.include('override "');
  });

  it("is no matter of config check where the model is not here, and that is said", async () => {
    const hub = [`${MODEL}.path=owner/name`, `${ROLLOUT}.quantization=int3`];
    const cache = { HF_HOME: folder.at("cache") };
    const { code, stderr } = await run(["config", "check"], hub, cache);
    expect(code, stderr).to.equal(0);
    expect(stderr).to.include("owner/name is not downloaded yet").and.include("not asked");
    const { json } = await run(["config", "check", "--json"], hub, cache);
    const { unchecked } = json<{ unchecked: { what: string; command: string }[] }>();
    expect(unchecked).to.deep.include({ what: "owner/name, which is not downloaded", command: "verl doctor" });
  });

  it("is followed by what config check did not look at", async () => {
    const { code, stdout } = await run(["config", "check"], []);
    expect(code).to.equal(0);
    expect(stdout).to.include(
      "Not looked at: the tokenizer, rows of the data, code of your own (verl train --dry-run does).",
    );
  });

  describe("by a plugin", () => {
    const plugin = (check: string) => `
      import { definePlugin } from "verl-ts/plugin";
      export default definePlugin({
        name: "acme", apiVersion: "^1.0.0", provides: ["rollout", "serverAdapter"],
        register(host) {
          host.rollouts.register({ name: "acme", createReplica() { throw new Error("started"); }, ${check} });
          host.serverAdapters.register({ name: "acme", createAdapter() { throw new Error("started"); } });
        },
      });`;
    const CHECK = `check: ({ maxNumSeqs }) => ({
      capabilities: { sleepLevels: [1], adapters: false, deltaWeights: false, priority: false, http: false, logProbs: true },
      model: { vocabSize: 14, maxPositions: 5 },
      findings: [{ level: "problem", option: "maxNumSeqs", what: "acme serves one at a time, not " + maxNumSeqs, fix: "Set it to 1." }],
    })`;
    // A module is imported once.
    let plugins = 0;
    const acme = async (check: string, ...overrides: string[]) => {
      const file = `acme-${++plugins}.mjs`;
      await folder.write(
        file,
        plugin(check).replace("verl-ts/plugin", new URL("../../../core/plugin.js", import.meta.url).href),
      );
      return run(["train", "--dry-run"], [`${ROLLOUT}.name=acme`, `plugins=[./${file}]`, ...overrides]);
    };

    it("is told with the key that the option came from, and lengths are compared by the host", async () => {
      const { code, stderr } = await acme(CHECK, `${ROLLOUT}.quantization=int8`);
      expect(code).to.equal(2);
      expect(stderr).to.include("acme serves one at a time").and.include(`${ROLLOUT}.max_num_seqs (default)`);
      expect(stderr).to.include("VERL_CONFIG_UNFIT").and.include("5 positions (rollout)");
      expect(stderr).to.include('The server acme cannot round its weights to "int8"');
    });

    it("is not known where it has no check, and the dry run says so", async () => {
      const { code, stdout, stderr } = await acme("");
      expect(code, stderr).to.equal(0);
      expect(stdout).to.match(/^Not asked: +rollout: a start would tell/m);
    });
  });
});
