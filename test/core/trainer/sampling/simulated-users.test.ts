import { expect } from "chai";
import { ECHO, LETTER_CALLS, writeLetters } from "../support/letter-calls.js";
import { ToyFolder } from "../support/toy-run.js";

const CORE = JSON.stringify(new URL("../../../../core/plugin.js", import.meta.url).href);
const rollout = "actor_rollout_ref.rollout";

/** A user who does as the row says, and writes down what is asked of it. */
const USER = `
import { appendFileSync } from "node:fs";
import { BaseInteraction } from ${CORE};
export class Fickle extends BaseInteraction {
  note(event, id) { appendFileSync(this.config.log, event + " " + id + "\\n"); }
  startInteraction(id) { this.note("start", id); }
  async generateResponse(id, messages, { mood }) {
    const said = messages.filter(({ role }) => role === "user").length;
    if (mood === "angry") throw new Error("lost patience");
    if (mood === "gone") await new Promise(() => {});
    if (mood === "silent") return { text: "", terminate: said > 2, score: 0 };
    return { text: "c", terminate: said > 1, score: 1 };
  }
  finalizeInteraction(id) { this.note("finalize", id); }
}`;

describe("a run with simulated users", () => {
  it("goes on where some throw, never answer, or say nothing; each is asked to leave once", async () => {
    await using folder = await ToyFolder.create();
    await writeLetters(folder, ECHO);
    await folder.write("user.mjs", USER);
    const config = `{ log: ${JSON.stringify(folder.at("events.txt"))} }`;
    await folder.write(
      "users.yaml",
      `interaction:\n  - { name: fickle, class_name: ./user.mjs#Fickle, config: ${config} }\n`,
    );
    const rows = ["polite", "silent", "angry", "gone"].map((mood, index) => ({
      prompt: [{ role: "user", content: "abcd"[index] }],
      data_source: "toy",
      reward_model: { style: "rule", ground_truth: "a" },
      extra_info: { index, interaction_kwargs: { name: "fickle", mood } },
    }));
    await folder.write("train.jsonl", rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
    const { metrics, log } = await folder.train({
      overrides: [
        ...LETTER_CALLS,
        // No turn of letters is a call in it.
        `${rollout}.multi_turn.format=hermes`,
        `${rollout}.multi_turn.interaction_config_path=users.yaml`,
        `${rollout}.multi_turn.interaction_deadline_s=0.3`,
        "data.max_response_length=40",
        "actor_rollout_ref.model.config={vocab_size: 14, max_position_embeddings: 64}",
        "trainer.total_training_steps=1",
        "trainer.rollout_data_dir=dump",
      ],
    });
    const lines = log.join("\n");
    expect(lines).to.match(/threw in generateResponse.*lost patience/s);
    expect(lines).to.contain("did not come back from generateResponse within 0.3 s");
    expect(metrics["training/rollout_failure/kept_samples"]).to.be.within(1, 2);
    const dumped = (await folder.read("dump", "1.jsonl"))
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { input: string; trajectory: { mask: number[]; num_turns: number } });
    const turns = (prompt: string) =>
      dumped.filter(({ input }) => input === prompt).map(({ trajectory }) => trajectory.num_turns);
    expect([turns("a").length, turns("b").length]).to.deep.equal([4, 4]);
    // A user who says nothing has had a turn all the same; where one did not answer, nothing was stored.
    expect(Math.max(...turns("b"))).to.be.above(2);
    for (const count of [...turns("c"), ...turns("d")]) expect(count).to.equal(2);

    const events = (await folder.read("events.txt")).trim().split("\n");
    const of = (what: string) => events.filter((event) => event.startsWith(`${what} `)).map((e) => e.split(" ")[1]);
    expect(of("start")).to.have.length(16);
    expect(of("finalize").toSorted()).to.deep.equal(of("start").toSorted());
  });
});
