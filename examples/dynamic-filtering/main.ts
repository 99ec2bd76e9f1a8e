/**
 * Over-sampling and dynamic filtering by hooks, beside the same run without them:
 * npm run examples -- dynamic-filtering [--help]
 */
import { supervised } from "../arithmetic/supervised.js";
import { type ExampleOptions, readOptions } from "../common/command.js";
import { average, conclude, exampleResult, percent, type Reinforced, reinforce } from "../common/reinforcement.js";

const GROUPS = 16;

async function main(): Promise<void> {
  const options = readOptions({ name: "dynamic-filtering", steps: 80, supervisedSteps: 400, items: null });
  const { say } = options;
  const began = performance.now();
  await supervised(options);
  say(`2. GRPO on ${GROUPS} additions a step; hooks replace groups that teach nothing.\n`);
  const filtered = await grpo(options, {
    variant: "filtered",
    label: "with hooks",
    overrides: ["trainer.hooks=[./dist/examples/dynamic-filtering/hooks.js]"],
  });
  say("3. The same without hooks.\n");
  const plain = await grpo(options, { variant: "plain", label: "without hooks", overrides: [] });

  const sampled = await average(filtered, "signal/groups_sampled");
  const uniform = await average(plain, "training/uniform_groups");
  const result = {
    ...exampleResult(filtered, began),
    plain: plain.curve[plain.curve.length - 1][1],
    sampledGroups: sampled,
    uniformGroupsOfPlain: uniform,
  };
  conclude(options, result, [
    `Accuracy on held-out additions before GRPO: ${percent(result.start)}; after ${options.steps} steps of ${GROUPS} groups:`,
    `   without hooks  ${percent(result.plain)}   (${uniform.toFixed(1)} of ${GROUPS} groups taught nothing)`,
    `   with hooks     ${percent(result.end)}   (${sampled.toFixed(1)} groups sampled for ${GROUPS})`,
  ]);
}

function grpo(
  options: ExampleOptions,
  run: { readonly variant: string; readonly label: string; readonly overrides: readonly string[] },
): Promise<Reinforced> {
  return reinforce(options, {
    name: "dynamic-filtering",
    measure: "val-core/arithmetic/acc/mean@1",
    title: "Accuracy on held-out additions, steps of 16 groups",
    ...run,
  });
}

await main();
