import { readFileSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import type { Command } from "commander";
import { processIo } from "../../cli/program/io.js";
import { createProgram } from "../../cli/program/program.js";
import { ToyFolder } from "../core/trainer/support/toy-run.js";

const reference = path.resolve(import.meta.dirname, "../../../docs/Reference");
const read = (page: string) => readFileSync(path.join(reference, page), "utf8");

describe("reference pages", () => {
  it("list every command and every option", () => {
    const page = read("cli.md");
    const program = createProgram({ io: processIo(), finish: async () => {} });
    const missing = commandsOf(program, "verl").filter((text) => !page.includes(text));
    expect(missing).to.deep.equal([]);
  });

  it("list every metric that a run logs", async () => {
    await using folder = await ToyFolder.create();
    const overrides = [
      "data.val_files=[val.jsonl]",
      "trainer.test_freq=1",
      "trainer.save_freq=1",
      "trainer.total_training_steps=2",
      "actor_rollout_ref.rollout.val_kwargs={n: 4, temperature: 1}",
      "actor_rollout_ref.actor.use_kl_loss=true",
      "actor_rollout_ref.actor.calculate_entropy=true",
      "actor_rollout_ref.actor.calculate_sum_pi_squared=true",
      "algorithm.use_kl_in_reward=true",
      "algorithm.rollout_correction={rollout_is: token, rollout_rs: seq_mean_k3, rollout_rs_threshold: 10}",
    ];
    const { metrics } = await folder.train({ overrides });
    expect(metrics).to.include.keys("variance_proxy/expected_w", "actor/kl_loss", "timing_s/testing");
    const known = documentedMetrics(read("metrics.md"));
    const missing = Object.keys(metrics).filter((name) => !known.some((pattern) => pattern.test(name)));
    expect(missing).to.deep.equal([]);
  });
});

/** `verl config print`, `--sources`, … */
function commandsOf(command: Command, name: string): string[] {
  const own = command.commands.length === 0 ? [name, ...command.options.flatMap(({ long }) => long ?? [])] : [];
  return [...own, ...command.commands.flatMap((inner) => commandsOf(inner, `${name} ${inner.name()}`))];
}

/** Names in code, `{a,b}` written out; words in capitals and n stand for anything. */
function documentedMetrics(page: string): RegExp[] {
  const names = [...page.matchAll(/`([^`\s]+\/[^`\s]+)`/g)].flatMap(([, text]) => expand(text));
  return names.map((name) => {
    const escaped = name.replace(/[.*+?^$()|[\]\\]/g, "\\$&");
    return new RegExp(`^${escaped.replace(/[A-Z]{2,}/g, ".+").replace(/@[nN]\b/g, "@\\d+")}$`);
  });
}

function expand(text: string): string[] {
  const braces = /^(.*?)\{([^}]*)\}(.*)$/.exec(text);
  if (!braces) return [text];
  const [, before, inside, after] = braces;
  return inside.split(",").flatMap((choice) => expand(before + choice + after));
}
