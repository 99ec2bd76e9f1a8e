import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { FAKE_PLUGIN } from "../../core/trainer/support/child.js";
import { ToyFolder } from "../../core/trainer/support/toy-run.js";
import { TOY_OVERRIDES } from "../../core/trainer/support/toy-task.js";
import { cli } from "../support.js";

const MAIN = fileURLToPath(new URL("../../../cli/main.js", import.meta.url));
const ENTER = "\u001b[?1049h";
const LEAVE = "\u001b[?1049l";
const SHOW_CURSOR = "\u001b[?25h";

describe("verl train --tui", function () {
  this.timeout(60_000);
  let folder: ToyFolder;
  beforeEach(async () => {
    folder = await ToyFolder.create();
  });
  afterEach(() => folder[Symbol.asyncDispose]());

  /** Runs in a terminal of its own, which util-linux's `script` makes; `type` sends keys once the text has appeared. */
  function inTerminal(args: readonly string[], type?: { readonly after: string; readonly keys: string }) {
    const command = [process.execPath, MAIN, "train", ...TOY_OVERRIDES, ...args].map((word) => `'${word}'`).join(" ");
    const child = spawn("script", ["-qefc", `stty cols 100 rows 40; exec ${command}`, "/dev/null"], {
      cwd: folder.dir,
      env: { ...process.env, TERM: "xterm", VERL_USE_EXTERNAL_MODULES: FAKE_PLUGIN },
      stdio: ["pipe", "pipe", "inherit"],
    });
    let output = "";
    let typed = false;
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      if (type && !typed && output.includes(type.after)) {
        typed = true;
        child.stdin.write(type.keys);
      }
    });
    return new Promise<{ code: number | null; output: string; screen: string; after: string }>((resolve, reject) => {
      child.once("error", reject);
      child.once("close", (code) => {
        const [start, end] = [output.indexOf(ENTER), output.lastIndexOf(LEAVE)];
        resolve({ code, output, screen: output.slice(start, end), after: output.slice(end) });
      });
    });
  }

  it("shows the run on a screen of its own and leaves a summary behind", async () => {
    const { code, output, screen, after } = await inTerminal(["--tui", "trainer.logger=[console, jsonl]"]);
    expect(code, output).to.equal(0);
    expect(output.split(ENTER)).to.have.length(2);
    expect(screen).to.include("verl/default").and.include("reward").and.include("Ctrl-C finishes this step");
    expect(after)
      .to.match(/done: 3 steps in /)
      .and.include("verl/default");
    expect(output.indexOf(SHOW_CURSOR)).to.be.greaterThan(output.indexOf(ENTER));
    expect(after).not.to.match(/step 1\/3/);
  });

  it("gives the terminal back after Ctrl-C", async () => {
    await folder.write(
      "reward.mjs",
      `export const compute_score = async ({ solution }) => {
         await new Promise((resolve) => setTimeout(resolve, 20));
         return solution.length;
       };`,
    );
    const { code, after, screen } = await inTerminal(["--tui", "trainer.total_training_steps=1000"], {
      after: "step 2/1000",
      keys: "\u0003",
    });
    expect(code).to.equal(130);
    expect(screen).to.include("finishing this step and saving");
    expect(after).to.match(/ended at step \d+ of 1000/);
  });

  it("gives it back when the process ends in the middle of a step", async () => {
    await folder.write("reward.mjs", "export const compute_score = () => process.exit(3);");
    const { output, after } = await inTerminal(["--tui"]);
    expect(output).to.include(ENTER);
    expect(after.slice(0, 40)).to.include(LEAVE);
    expect(after).to.include("VERL_CLI_EXITED");
  });

  it("keeps what files print out of the picture", async () => {
    await folder.write(
      "reward.mjs",
      `export const compute_score = ({ solution }) => { console.log("judging " + solution.length); return solution.length; };`,
    );
    const { code, screen } = await inTerminal(["--tui"]);
    expect(code).to.equal(0);
    expect(screen).to.match(/;1H[^\n]*judging \d/);
    expect(screen).not.to.include("\njudging");
  });

  it("prints lines instead where there is no terminal", async () => {
    const env = { VERL_USE_EXTERNAL_MODULES: FAKE_PLUGIN };
    const { code, stdout, stderr } = await cli(["train", ...TOY_OVERRIDES, "trainer.logger=[console]", "--tui"], {
      cwd: folder.dir,
      env,
    });
    expect(code).to.equal(0);
    expect(stdout).to.match(/^step 3\/3 /m);
    expect(stderr).to.include("--tui needs a terminal");
    const json = await cli(["train", ...TOY_OVERRIDES, "trainer.logger=[console]", "--tui", "--json"], {
      cwd: folder.dir,
      env,
    });
    expect(json.stderr).not.to.include("--tui");
  });
});
