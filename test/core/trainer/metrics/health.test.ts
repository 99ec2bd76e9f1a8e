import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { makeConfig } from "../../../../core/config/index.js";
import { alarmLines, HealthMonitor } from "../../../../core/trainer/index.js";
import { StallWatch } from "../../../../core/trainer/sampling/stall-watch.js";
import { ToyFolder } from "../support/toy-run.js";

describe("core/trainer/metrics/health", () => {
  const monitor = (over: object = {}, groups = 10) => {
    const warnings: string[] = [];
    const { health } = makeConfig({ trainer: { health: over } }).trainer;
    return {
      warnings,
      health: new HealthMonitor(health, groups, { warn: (line) => warnings.push(line) }, "checkpoints/a"),
    };
  };

  it("warns once per kind, with threshold and advice, and counts the rest", () => {
    const { warnings, health } = monitor();
    for (const [step, gap] of [0.01, 0.2, 0.5, 0.02].entries()) {
      health.check({ "training/sampler_gap/mean": gap }, step + 1);
    }
    expect(warnings).to.have.length(1);
    expect(warnings[0]).to.match(/^step 2: sampler and trainer disagree on a token by 0\.2 nats on average/);
    expect(warnings[0])
      .to.include("trainer.health.sampler_gap=0.05")
      .and.include("verl inspect checkpoints/a --sort gap");
    expect(health.alarms).to.have.length(1);
    expect(health.alarms[0]).to.deep.include({ kind: "sampler_gap", steps: 2, worst: { value: 0.5, step: 3 } });
    expect(alarmLines(health.alarms)).to.deep.equal([
      "sampler and trainer disagree on a token by 0.5 nats on average at step 3; beyond the threshold in 2 steps (trainer.health.sampler_gap)",
    ]);
  });

  it("takes shares of groups for noise unless they last", () => {
    const { warnings, health } = monitor();
    const steps = [10, 10, 5, 10, 10, 10, 10];
    for (const [i, uniform] of steps.entries()) health.check({ "training/uniform_groups": uniform }, i + 1);
    expect(warnings).to.have.length(1);
    expect(warnings[0])
      .to.match(/^step 6: 100 % of the prompts teach nothing/)
      .and.include("filter_groups");
    expect(health.alarms[0].steps).to.equal(4);
  });

  it("counts replaced groups among those that there were: no share is above the whole", () => {
    const { warnings, health } = monitor();
    health.check({ "training/rollout_failure/evicted_samples": 12 }, 1);
    expect(warnings.join()).to.match(/a session failed in (\d\d) % of the prompt groups/);
  });

  it("watches failures, cut responses and staleness", () => {
    const { warnings, health } = monitor();
    for (let step = 1; step <= 3; step++) {
      health.check(
        {
          "reward/failed_ratio": 0.25,
          "training/rollout_failure/kept_samples": 2,
          "training/rollout_failure/empty_samples": 1,
          "response_length/clip_ratio": 0.9,
          "training/off_policy/trajectory_staleness_worst/max": 9,
        },
        step,
      );
    }
    const kinds = warnings.map((line) => /trainer\.health\.(\w+)/.exec(line)?.[1]);
    expect(kinds).to.have.members(["failed_rewards", "failed_groups", "staleness", "truncated_responses"]);
    expect(warnings.join("\n")).to.include("25 % of the trajectories").and.include("30 % of the prompt groups");
  });

  it("takes a gap that is no number for the worst, and is silent where it is switched off", () => {
    const nan = monitor();
    nan.health.check({ "training/sampler_gap/mean": Number.NaN }, 1);
    expect(nan.warnings).to.have.length(1);
    const off = monitor({ sampler_gap: null });
    off.health.check({ "training/sampler_gap/mean": 5 }, 1);
    expect(off.warnings).to.deep.equal([]);
  });

  it("is part of a run: a warning in passing, and the alarm in its result", async () => {
    await using folder = await ToyFolder.create();
    const { alarms, log } = await folder.train({ overrides: ["trainer.health.truncated_responses=0.01"] });
    expect(alarms?.map(({ kind, worst }) => [kind, worst.step <= 3])).to.deep.equal([["truncated_responses", true]]);
    expect(log.filter((line) => line.includes("trainer.health."))).to.have.length(1);
  });
});

describe("core/trainer/sampling/stall-watch", () => {
  it("says who waits for whom, once per standstill", async () => {
    const warnings: string[] = [];
    const sessions = [
      { key: "u1_0", origin: "train.jsonl:3", waitsFor: "the reward", seconds: 12 },
      { key: "u2_1", origin: "", waitsFor: "the inference server", seconds: 11 },
    ];
    const watch = new StallWatch({
      afterSeconds: 0.05,
      waiting: () => sessions,
      logger: { warn: (line) => warnings.push(line) },
    });
    try {
      watch.progress({ step: 7, phase: "sampling", done: 2, total: 4 });
      while (warnings.length === 0) await sleep(5);
      expect(warnings[0]).to.match(
        /^no progress for [\d.]+ s at step 7, sampling 2 of 4: the trainer waits for 2 sessions/,
      );
      expect(warnings[0]).to.include("1 for the reward, 1 for the inference server");
      expect(warnings[0]).to.include("  u1_0 (train.jsonl:3) has waited 12 s for the reward");
      await sleep(100);
      expect(warnings, "the same standstill").to.have.length(1);
      sessions.pop();
      while (warnings.length === 1) await sleep(5);
      expect(warnings[1]).to.include("the trainer waits for 1 session, which waits: 1 for the reward");
    } finally {
      watch.stop();
    }
  });

  it("names a session that a reward holds up, in a real run", async () => {
    await using folder = await ToyFolder.create();
    await folder.write(
      "reward.mjs",
      `let calls = 0;
       export const compute_score = async ({ solution }) => {
         if (++calls === 5) await new Promise((resolve) => setTimeout(resolve, 400));
         return solution.length;
       };`,
    );
    const { log } = await folder.train({
      overrides: ["trainer.health.stalled_after_s=0.1", "trainer.total_training_steps=1"],
    });
    const [warning] = log.filter((line) => line.includes("no progress"));
    expect(warning).to.match(
      /at step 1, sampling 0 of 4: the trainer waits for 1 session, which waits: 1 for the reward/,
    );
    expect(warning).to.match(/\n {2}\S+_\d \(.*train\.jsonl:\d+\) has waited \d+ s for the reward/);
  });
});
