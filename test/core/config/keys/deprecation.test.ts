import { expect } from "chai";
import semver from "semver";
import {
  configKeys,
  configSections,
  explainKey,
  type Notice,
  removedKeys,
  renamedKeys,
} from "../../../../core/config/index.js";
import { PACKAGE } from "../../../../core/package-info.js";
import { compose, inspect } from "../support.js";

const deprecations = (notices: readonly Notice[]) => notices.flatMap(({ deprecation }) => deprecation ?? []);

describe("core/config, keys on their way out", () => {
  it("T27: a renamed key says old -> new, since when, and when the old name stops working", async () => {
    const { notices } = await compose(["reward_model.num_workers=3"]);
    expect(notices.map(({ message }) => message)).to.deep.equal([
      "reward_model.num_workers is now reward.num_workers (renamed by verl, 2026-02, verl#5255); the value was moved. " +
        "The old name stops working with verl-ts 1.0.0 (not before 2027-06-01).",
    ]);
    expect(deprecations(notices)).to.deep.equal([
      {
        kind: "renamed",
        key: "reward_model.num_workers",
        instead: "reward.num_workers",
        since: { date: "2026-02", by: "verl", record: "verl#5255" },
        until: { version: "1.0.0", notBefore: "2027-06-01" },
      },
    ]);
  });

  it("T27: a removed key with a value that matters is an error that says since when, and what to use", async () => {
    const { problems } = await inspect(["algorithm.rollout_is=true"]);
    const [problem, ...others] = problems.filter(({ key }) => key.startsWith("algorithm"));
    expect(others).to.deep.equal([]);
    expect(problem).to.deep.include({
      code: "VERL_CONFIG_REMOVED_KEY",
      what: "algorithm.rollout_is = true: this key was removed by verl, 2025-11, verl#3984.",
      where: 'override "algorithm.rollout_is=true"',
    });
    expect(problem.fix).to.contain("verl config explain algorithm.rollout_correction.rollout_is");
    expect(problem.deprecation).to.deep.include({
      kind: "removed",
      instead: "algorithm.rollout_correction.rollout_is",
    });
  });

  it("a removed key with a value that changed nothing is passed over with a word", async () => {
    const { problems, notices } = await inspect([
      "trainer.use_legacy_worker_impl=auto",
      "actor_rollout_ref.rollout.chat_scheduler=null",
    ]);
    expect(problems.filter(({ key }) => /legacy|chat/.test(key))).to.deep.equal([]);
    expect(deprecations(notices).map(({ kind, key }) => `${kind} ${key}`)).to.deep.equal([
      "removed trainer.use_legacy_worker_impl",
    ]);
  });

  it("moves what older versions called otherwise", async () => {
    const { problems, notices, config } = await inspect([
      "actor_rollout_ref.actor.optim.warmup_style=cosine",
      "actor_rollout_ref.actor.checkpoint.contents=[model]",
      "actor_rollout_ref.rollout.multi_turn.max_turns=3",
      "trainer.val_generations_to_log_to_wandb=2",
    ]);
    expect(problems).to.deep.equal([]);
    expect(deprecations(notices)).to.have.length(4);
    const { actor, rollout } = config.actor_rollout_ref;
    expect(actor.optim.lr_scheduler_type).to.equal("cosine");
    expect(actor.checkpoint.save_contents).to.deep.equal(["model"]);
    expect(rollout.multi_turn.max_assistant_turns).to.equal(3);
    expect(config.trainer.log_val_generations).to.equal(2);
  });

  it("passes over the class names of files that verl generates, with one word for all", async () => {
    const names = ["actor_rollout_ref.actor", "actor_rollout_ref.actor.optim", "algorithm"];
    const { problems, notices } = await inspect(names.map((section) => `${section}._target_=verl.x.Y`));
    expect(problems).to.deep.equal([]);
    expect(notices.map(({ message }) => message)).to.deep.equal([
      "_target_ has no effect here: it names a Python class.",
    ]);
  });

  it("explains what an old name has become", async () => {
    const composed = await compose([]);
    const renamed = explainKey("reward_model.num_workers", composed);
    expect(renamed).to.include({ status: "renamed", movedTo: "reward.num_workers" });
    expect(renamed.description).to.match(/^Moved to reward\.num_workers\. \S.*\.$/);
    const removed = explainKey("actor_rollout_ref.rollout.chat_scheduler", composed);
    expect(removed.status).to.equal("removed");
    expect(removed.deprecation?.since?.date).to.equal("2025-07");
  });

  it("suggests no key that is gone for a misspelt one", async () => {
    const found = await compose(["algorithm.rollout_iss=true"]).catch((error: Error) => error);
    expect(String(found)).to.contain("algorithm.rollout_iss").and.not.contain("algorithm.rollout_is?");
  });

  it("has places for all that it moves values to, or sends people to", () => {
    const targets = [
      ...renamedKeys.map(({ to }) => to),
      ...removedKeys.flatMap(({ removed }) => removed?.instead ?? []),
    ];
    const present = new Set([...configKeys, ...configSections].map(({ key }) => key));
    expect(targets.filter((key) => !present.has(key))).to.deep.equal([]);
  });

  it("keeps no old name beyond the version that was told to drop it", () => {
    const late = renamedKeys.filter(({ until }) => semver.gte(PACKAGE.version, until.version)).map(({ from }) => from);
    expect(late).to.deep.equal([]);
  });
});
