import { expect } from "chai";
import { WATCHDOG_EXIT_CODE } from "../../../core/host/index.js";
import { FAKE_PLUGIN, verl } from "../../core/trainer/support/child.js";
import { ToyFolder } from "../../core/trainer/support/toy-run.js";
import { TOY_OVERRIDES } from "../../core/trainer/support/toy-task.js";
import { type CliResult, cli } from "../support.js";

const ROLLOUT = "actor_rollout_ref.rollout";
const STUCK = "export const Part = await new Promise(() => {});\nexport const compute_score = () => 1;\n";

interface Place {
  readonly overrides: readonly string[];
  readonly files?: Readonly<Record<string, string>>;
  /** What the error names besides the file. */
  readonly names: string;
}

/** Every place where a configuration can name a module of the user's. */
const PLACES: Readonly<Record<string, Place>> = {
  "a reward function": { overrides: [], names: "reward.custom_reward_function.path" },
  "a reward manager": {
    overrides: [
      "reward.reward_manager.source=importlib",
      "reward.reward_manager.module.path=stuck.mjs",
      "reward.reward_manager.module.name=Part",
    ],
    names: "reward.reward_manager.module.path",
  },
  "a data set": {
    overrides: ["data.custom_cls.path=stuck.mjs", "data.custom_cls.name=Part"],
    names: "data.custom_cls.path",
  },
  "a sampler": {
    overrides: [
      "trainer.v1.sampler.custom_sampler.path=stuck.mjs",
      "trainer.v1.sampler.custom_sampler.name=Part",
      "reward.custom_reward_function.path=reward.mjs",
    ],
    names: "trainer.v1.sampler.custom_sampler.path",
  },
  hooks: { overrides: ["trainer.hooks=[./stuck.mjs]"], names: "trainer.hooks" },
  "a checkpoint callback": {
    overrides: ["trainer.checkpoint_callback_class='stuck.mjs#Part'"],
    names: "trainer.checkpoint_callback_class",
  },
  "an agent-loop manager": {
    overrides: [`${ROLLOUT}.agent.agent_loop_manager_class='stuck.mjs#Part'`],
    names: "agent.agent_loop_manager_class",
  },
  "an agent loop": {
    overrides: [`${ROLLOUT}.agent.agent_loop_config_path=loops.yaml`],
    files: { "loops.yaml": "- name: mine\n  _target_: stuck.mjs#Part\n" },
    names: "loops.yaml",
  },
  "an agent loop in a thread": {
    overrides: [`${ROLLOUT}.agent.agent_loop_config_path=loops.yaml`, "reward.custom_reward_function.path=reward.mjs"],
    files: { "loops.yaml": "- name: mine\n  _target_: stuck.mjs#Part\n  thread: true\n" },
    names: "the agent loop mine",
  },
  "function tools": {
    overrides: [`${ROLLOUT}.multi_turn.function_tool_path=stuck.mjs`],
    names: "function_tool_path",
  },
  "a tool": {
    overrides: [`${ROLLOUT}.multi_turn.tool_config_path=tools.yaml`],
    files: { "tools.yaml": "tools:\n  - class_name: stuck.mjs#Part\n" },
    names: "tools.yaml",
  },
  "a simulated user": {
    overrides: [
      `${ROLLOUT}.multi_turn.interaction_config_path=users.yaml`,
      "reward.custom_reward_function.path=reward.mjs",
    ],
    files: { "users.yaml": "interaction:\n  - class_name: stuck.mjs#Part\n" },
    names: "users.yaml",
  },
};

describe("a module whose import never ends", function () {
  this.timeout(60_000);
  const ends = new Map<string, CliResult>();
  before(async () => {
    // A few at a time: each listens to the process.
    const places = Object.entries(PLACES);
    for (let from = 0; from < places.length; from += 4) {
      await Promise.all(
        places.slice(from, from + 4).map(async ([what, place]) => ends.set(what, await attempt(place))),
      );
    }
  });

  async function attempt({ overrides, files = {} }: Place): Promise<CliResult> {
    await using folder = await ToyFolder.create();
    for (const [name, content] of Object.entries({ "stuck.mjs": STUCK, ...files })) await folder.write(name, content);
    const args = ["train", ...TOY_OVERRIDES, "reward.custom_reward_function.path=stuck.mjs", ...overrides];
    const env = { VERL_USE_EXTERNAL_MODULES: FAKE_PLUGIN, VERL_LOAD_DEADLINE_S: "2" };
    return await cli(args, { cwd: folder.dir, env });
  }

  for (const [what, { names }] of Object.entries(PLACES)) {
    it(`ends the run where it is that of ${what}: file, key and line are named`, () => {
      const { code, stderr } = ends.get(what) as CliResult;
      expect(stderr).to.include("error VERL_USER_TIMEOUT\n").and.include("stuck.mjs").and.include(names);
      expect(stderr).to.include("line 1").and.include("await new Promise");
      // A thread's own lines go to the process.
      if (!what.includes("thread")) expect(stderr).to.match(/warn: .*stuck\.mjs.* has not finished loading after 1 s/);
      expect(code).to.equal(2);
    });
  }

  it("lets no process stay behind", async () => {
    await using folder = await ToyFolder.create({ reward: `setInterval(() => {}, 1000);\n${STUCK}` });
    const env = { VERL_LOAD_DEADLINE_S: "3" };
    const { code, stderr } = await verl(["train", ...TOY_OVERRIDES], { cwd: folder.dir, env });
    expect(stderr).to.include("error VERL_USER_TIMEOUT\n").and.include("reward.custom_reward_function.path");
    expect(code).to.equal(2);
  });

  it("is named with its line where it computes for ever", async () => {
    await using folder = await ToyFolder.create({ reward: "export const compute_score = () => 1;\nfor (;;);\n" });
    const env = { VERL_LOAD_DEADLINE_S: "3" };
    const { code, stderr } = await verl(["train", ...TOY_OVERRIDES], { cwd: folder.dir, env });
    expect(stderr).to.match(
      /VERL_USER_TIMEOUT: .*reward\.mjs \(reward\.custom_reward_function\.path\) blocks the process/,
    );
    expect(stderr).to.match(/where: .*reward\.mjs:2:/);
    expect(code).to.equal(WATCHDOG_EXIT_CODE);
  });

  it("refuses a deadline that is none", async () => {
    await using folder = await ToyFolder.create();
    const { code, stderr } = await cli(["train", ...TOY_OVERRIDES], {
      cwd: folder.dir,
      env: { VERL_LOAD_DEADLINE_S: "soon" },
    });
    expect(stderr).to.include("VERL_LOAD_DEADLINE_S").and.include('"soon"');
    expect(code).to.equal(2);
  });
});
