import { expect } from "chai";
import { FAKE_PLUGIN } from "../../core/trainer/support/child.js";
import { LETTER_CALLS, writeLetters } from "../../core/trainer/support/letter-calls.js";
import { ToyFolder } from "../../core/trainer/support/toy-run.js";
import { TOY_OVERRIDES } from "../../core/trainer/support/toy-task.js";
import { cli } from "../support.js";

const TOOLS = `export const echo = {
  name: "echo",
  schema: { type: "function", function: { name: "echo", parameters: { type: "object", required: ["text"] } } },
  execute: () => ({ text: "k", reward: 1, metrics: { echoes: 1 } }),
};`;

describe("verl train with tools", () => {
  it("trains the model's tokens and not the tools'", async () => {
    await using folder = await ToyFolder.create();
    await writeLetters(folder, '{ name: "echo", arguments: JSON.stringify({ text }) }');
    await folder.write("tools.mjs", TOOLS);
    const { code, stderr } = await cli(
      [
        "train",
        ...TOY_OVERRIDES,
        ...LETTER_CALLS,
        "actor_rollout_ref.rollout.multi_turn.function_tool_path=./tools.mjs",
        "trainer.rollout_data_dir=dump",
        "trainer.logger=[jsonl]",
      ],
      { cwd: folder.dir, env: { VERL_USE_EXTERNAL_MODULES: FAKE_PLUGIN } },
    );
    expect(code, stderr).to.equal(0);
    const rows = (await folder.read("dump", "1.jsonl"))
      .trim()
      .split("\n")
      .map((line) => (JSON.parse(line) as { readonly trajectory: Trajectory }).trajectory);
    const answered = rows.filter(({ mask }) => mask.includes(0));
    expect(answered).to.not.deep.equal([]);
    for (const { tokens, mask, log_probs, advantages } of answered) {
      for (const [t, bit] of mask.entries()) {
        if (bit === 1) continue;
        // Only the tool's text stands between sampled turns, and it is not trained on.
        expect([tokens[t - 1], tokens[t], log_probs[t], advantages[t]]).to.deep.equal(["b", "k", 0, 0]);
      }
    }
    const [first] = (await folder.read("run", "metrics.jsonl")).trim().split("\n").slice(-1);
    expect(first)
      .to.match(/"tool\/calls":[1-9]/)
      .and.match(/"tool\/echo\/echoes":[1-9]/);
  });
});

interface Trajectory {
  readonly tokens: readonly string[];
  readonly mask: readonly number[];
  readonly log_probs: readonly number[];
  readonly advantages: readonly number[];
}
