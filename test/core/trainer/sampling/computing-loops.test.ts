import { expect } from "chai";
import { ToyFolder } from "../support/toy-run.js";

const CORE = JSON.stringify(new URL("../../../../core/plugin.js", import.meta.url).href);
const rollout = "actor_rollout_ref.rollout";

/**
 * A loop that computes without ever awaiting: until another thread does so at the same time, or, for the prompt `c`, for ever.
 */
const LOOP = `
import { readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { threadId } from "node:worker_threads";
import { AgentLoopBase } from ${CORE};
export class Computing extends AgentLoopBase {
  async run({ messages, row }) {
    const { folder, meet, endless } = this.context.options;
    if (endless && messages[0].content === "c") for (;;);
    if (meet) {
      writeFileSync(path.join(folder, "in-" + threadId), "");
      const isAlone = () => readdirSync(folder).filter((name) => name.startsWith("in-")).length < 2;
      for (const begun = performance.now(); isAlone(); ) {
        if (performance.now() - begun > 30_000) throw new Error("alone for 30 s");
      }
    }
    const promptIds = this.context.encodePrompt(messages);
    const { tokenIds, logProbs, stopReason, minWeightVersion, maxWeightVersion } = await this.generate(promptIds);
    return {
      ...{ promptIds, stopReason, minWeightVersion, maxWeightVersion },
      ...{ responseIds: tokenIds, responseMask: tokenIds.map(() => 1), responseLogProbs: logProbs },
      ...{ numTurns: 2, metrics: this.metrics, extraFields: { threadId } },
    };
  }
}`;

describe("agent loops in threads that compute", function () {
  this.timeout(120_000);
  let folder: ToyFolder;
  beforeEach(async () => {
    folder = await ToyFolder.create();
    await folder.write("loops.mjs", LOOP);
  });
  afterEach(() => folder[Symbol.asyncDispose]());

  const train = async (options: string, ...more: readonly string[]) => {
    await folder.write(
      "loops.yaml",
      `- { name: computing, _target_: "./loops.mjs#Computing", thread: true, folder: ${JSON.stringify(folder.dir)}, ${options} }\n`,
    );
    return folder.train({
      overrides: [
        `${rollout}.agent.agent_loop_config_path=loops.yaml`,
        `${rollout}.agent.default_agent_loop=computing`,
        `${rollout}.agent.num_workers=2`,
        "trainer.total_training_steps=1",
        "data.shuffle=false",
        ...more,
      ],
    });
  };

  it("do so at the same time, while the run answers them", async () => {
    const { metrics } = await train("meet: true");
    expect(metrics["critic/score/mean"]).to.satisfy(Number.isFinite);
    expect(metrics["response_length/mean"]).to.be.above(0);
  });

  it("without end fail their sessions at the deadline; those of other threads are trained on", async () => {
    const alone = [`${rollout}.n=1`, `${rollout}.agent.num_workers=4`];
    const { metrics, log } = await train("endless: true", `${rollout}.agent.session_deadline_s=5`, ...alone);
    const lines = log.join("\n");
    expect(lines).to.contain("VERL_AGENT_SESSION_TIMEOUT").and.contain("train.jsonl:3");
    // One group of the four has failed, and has no trajectory.
    expect(metrics).to.include({ "training/rollout_failure/empty_samples": 1 });
    expect(metrics).not.to.have.property("training/rollout_failure/kept_samples");
  });
});
