import { expect } from "chai";
import { WATCHDOG_EXIT_CODE } from "../../../core/host/index.js";
import { verl } from "../../core/trainer/support/child.js";
import { ToyFolder } from "../../core/trainer/support/toy-run.js";
import { TOY_OVERRIDES } from "../../core/trainer/support/toy-task.js";

const FAST = "trainer.block_deadline_s=1";
const LATE_LOOP = `
export class Late {
  async run() {
    await new Promise((resolve) => setTimeout(resolve, 1));
    for (;;);
  }
}`;
const LOOP_LIST = "- { name: late, _target_: ./late.mjs#Late }\n";
const LOOPS = "actor_rollout_ref.rollout.agent";

async function train(files: Readonly<Record<string, string>>, overrides: readonly string[], env = {}) {
  await using folder = await ToyFolder.create();
  for (const [name, text] of Object.entries(files)) await folder.write(name, text);
  const command = ["train", ...TOY_OVERRIDES, FAST, ...overrides];
  return await verl(command, { cwd: folder.dir, env });
}

describe("code of the user's that holds the process's only thread", function () {
  this.timeout(120_000);

  it("is ended in an agent loop, after an await as well; loop, session, file, key and line are named", async () => {
    const files = { "late.mjs": LATE_LOOP, "loops.yaml": LOOP_LIST };
    const { code, stderr } = await train(files, [
      `${LOOPS}.default_agent_loop=late`,
      `${LOOPS}.agent_loop_config_path=loops.yaml`,
    ]);
    expect(stderr).to.match(/warn: code of \.\/late\.mjs \(.*\) holds the process for .* by Ctrl-C at once/);
    expect(stderr).to.match(/VERL_USER_BLOCKED: code of \.\/late\.mjs \(/);
    expect(stderr).to.match(/where: run \(file:.*late\.mjs:5:/);
    expect(stderr).to.match(/why: {3}it runs as the agent loop late, prompt .*, session \d/);
    expect(stderr).to.include("trainer.block_deadline_s");
    expect(stderr).to.include("the run has no checkpoint yet");
    expect(code).to.equal(WATCHDOG_EXIT_CODE);
  });

  it("is ended where it never lets the event loop turn; the newest checkpoint is named", async () => {
    const hooks = "export async function onStepEnd({ globalStep }) { while (globalStep === 2) await null; }\n";
    const { code, stderr } = await train({ "hooks.mjs": hooks }, ["trainer.hooks=[hooks.mjs]", "trainer.save_freq=1"]);
    expect(stderr).to.match(/VERL_USER_BLOCKED: code of hooks\.mjs \(trainer\.hooks\)/);
    expect(stderr).to.match(/the hook onStepEnd \(post\)/);
    expect(stderr).to.match(/the newest checkpoint is that of step \d: the same command goes on/);
    expect(code).to.equal(WATCHDOG_EXIT_CODE);
  });

  it("is ended where it waits for something outside of the process", async () => {
    const hooks = `
      import { spawnSync } from "node:child_process";
      const whileThereIsOne = "setInterval(() => process.ppid === " + process.pid + " || process.exit(), 50)";
      export const onStepEnd = () => spawnSync(process.execPath, ["-e", whileThereIsOne]);`;
    const { signal, stderr } = await train({ "hooks.mjs": hooks }, ["trainer.hooks=[hooks.mjs]"]);
    expect(stderr).to.match(/VERL_USER_BLOCKED: the hook onStepEnd/);
    expect(signal).to.equal("SIGKILL");
  });

  it("is ended where it hides from whoever looks at it", async () => {
    const hooks = "export function onTrainBegin() { const globalThis = null; for (;;) globalThis?.x; }\n";
    const { signal, stderr } = await train({ "hooks.mjs": hooks }, ["trainer.hooks=[hooks.mjs]"]);
    expect(stderr).to.match(/VERL_USER_BLOCKED: code of .*hooks\.mjs blocks the process/);
    expect(signal).to.equal("SIGKILL");
  });

  it("is an error in JSON with --json", async () => {
    const hooks = "export const onTrainBegin = () => { for (;;); };\n";
    const { code, stdout } = await train({ "hooks.mjs": hooks }, ["trainer.hooks=[hooks.mjs]", "--json"]);
    const { error, exitCode } = JSON.parse(stdout.trim().split("\n").at(-1) ?? "");
    expect(error).to.include({ code: "VERL_USER_BLOCKED" });
    expect([exitCode, code]).to.deep.equal([WATCHDOG_EXIT_CODE, WATCHDOG_EXIT_CODE]);
  });

  const slow = "export const onTrainBegin = () => { const end = Date.now() + 2500; while (Date.now() < end); };\n";

  it("is left alone where the process is debugged", async () => {
    const env = { NODE_OPTIONS: "--inspect=0" };
    const { code, stderr } = await train({ "hooks.mjs": slow }, ["trainer.hooks=[hooks.mjs]"], env);
    expect(code, stderr).to.equal(0);
  });

  it("is left alone with a deadline of 0", async () => {
    const off = ["trainer.hooks=[hooks.mjs]", "trainer.block_deadline_s=0"];
    const { code, stderr } = await train({ "hooks.mjs": slow }, off);
    expect(code, stderr).to.equal(0);
    expect(stderr).to.not.include("holds the process");
  });

  it("goes on with its run after a warning where it yields before the deadline, and Ctrl-C finishes the step again", async () => {
    // The warning takes the listeners off, and the next turn of the event loop puts them back.
    const hooks = `
      const heard = () => process.listenerCount("SIGINT") > 0;
      export const onTrainBegin = () => { while (heard()); };
      export const onStepBegin = async ({ globalStep }) => {
        while (!heard()) await new Promise(setImmediate);
        if (globalStep === 2) process.kill(process.pid, "SIGINT");
      };`;
    const { code, stderr } = await train({ "hooks.mjs": hooks }, ["trainer.hooks=[hooks.mjs]"]);
    expect(stderr).to.match(/warn: code of hooks\.mjs \(trainer\.hooks\) holds the process for/);
    expect(stderr).to.include("finishing this step and saving");
    expect(code, stderr).to.equal(130);
  });
});
