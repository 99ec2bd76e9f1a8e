import assert from "node:assert/strict";
import { withDeadline } from "../../core/host/index.js";
import type { HookContexts, HookName, Hooks, JsonValue, SampledGroup } from "../../core/plugin.js";
import type { ConformanceCase } from "../case.js";

export interface HooksUnderTest {
  /** Made anew for each case, if it keeps anything: each case is a run of its own. */
  readonly make: () => Hooks;
  /** The configuration that contexts show. */
  readonly config?: JsonValue;
}

type Metrics = Record<string, number>;

/** What every set of hooks must bear. Run it with `runConformance`. */
export function hooksConformance({ make, config = {} }: HooksUnderTest): ConformanceCase[] {
  return [
    {
      name: "has a name, and a deadline that is a time",
      async run() {
        const { name, deadlineMs } = make();
        assert.ok(name.trim() !== "");
        assert.ok(deadlineMs === undefined || deadlineMs > 0, `${deadlineMs} ms`);
      },
    },
    {
      name: "goes through a run: validation, steps, the end",
      run: () => play(make(), { config, steps: [1, 2, 3], groups: GROUPS }),
    },
    {
      name: "bears groups without scores, groups whose sessions all failed, and steps without groups",
      async run() {
        const unscored: SampledGroup = { ...GROUPS[0], uid: "n", scores: [null, null], extra: [{}, {}] };
        const lost: SampledGroup = { ...GROUPS[0], uid: "f", scores: [], failedSessions: 2, extra: [] };
        for (const groups of [[unscored], [lost], [...GROUPS, unscored, lost], []]) {
          await play(make(), { config, steps: [1], groups });
        }
      },
    },
    {
      name: "bears metrics that are not numbers",
      run: () =>
        play(make(), { config, steps: [1], groups: GROUPS, metrics: { "actor/loss": Number.NaN, "perf/x": Infinity } }),
    },
    {
      name: "bears a run that goes on from a checkpoint, and one that fails before its first step",
      async run() {
        await play(make(), { config, steps: [8, 9], groups: GROUPS });
        await play(make(), { config, steps: [], groups: [], reason: "failed" });
      },
    },
    {
      name: "serves a second run of the same process",
      async run() {
        const hooks = make();
        for (const steps of [[1], [1]]) await play(hooks, { config, steps, groups: GROUPS });
      },
    },
  ];
}

const GROUPS: readonly SampledGroup[] = [
  { uid: "a", dataSource: "suite", scores: [1, 1], failedSessions: 0, extra: [{}, {}] },
  { uid: "b", dataSource: "suite", scores: [0, 1], failedSessions: 0, extra: [{ acc: 0 }, { acc: 1 }] },
  { uid: "c", dataSource: "suite", scores: [0], failedSessions: 1, extra: [{}] },
];
const LIMIT_MS = 30_000;

interface Run {
  readonly config: JsonValue;
  readonly steps: readonly number[];
  readonly groups: readonly SampledGroup[];
  readonly metrics?: Metrics;
  readonly reason?: "completed" | "failed";
}

/** Calls the hooks in the order of a run. What they add to metrics is a number under a name that is free. */
async function play(hooks: Hooks, { config, steps, groups, metrics = {}, reason = "completed" }: Run): Promise<void> {
  let globalStep = (steps[0] ?? 1) - 1;
  const run = () => ({
    globalStep,
    totalSteps: 10,
    epoch: 0,
    weightVersion: globalStep,
    config,
    signal: new AbortController().signal,
    requestStop: (why: string) => assert.equal(typeof why, "string"),
  });
  const adding = (values: Metrics) => ({
    ...run(),
    addMetric(name: string, value: number) {
      assert.ok(!(name in values), `the metric ${name} is there already`);
      assert.equal(typeof value, "number", `the metric ${name}`);
      values[name] = value;
    },
  });

  await call(hooks, "onInitEnd", run());
  await call(hooks, "onValidateBegin", run());
  const validation: Metrics = { "val-core/suite/reward/mean@1": 0.5, ...metrics };
  await call(hooks, "onValidateEnd", { ...adding(validation), metrics: { ...validation } });
  await call(hooks, "onTrainBegin", run());
  for (globalStep of steps) {
    const values: Metrics = { ...metrics };
    await call(hooks, "onStepBegin", adding(values));
    const wanted = {
      groups: groups.length,
      requestPrompts: (n: number) => assert.ok(Number.isInteger(n) && n >= 0, `${n}`),
    };
    await call(hooks, "onSampleBegin", { ...adding(values), ...wanted });
    const known = new Set(groups.map(({ uid }) => uid));
    const dropGroup = (uid: string) => assert.ok(known.has(uid), `there is no group ${uid}`);
    await call(hooks, "onSampleEnd", { ...adding(values), groups, dropGroup });
    Object.assign(values, { "critic/rewards/mean": 0.5, "actor/loss": values["actor/loss"] ?? 0.1 });
    await call(hooks, "onStepEnd", { ...adding(values), metrics: { ...values } });
  }
  await call(hooks, "onTrainEnd", { ...run(), reason });
}

async function call<N extends HookName>(hooks: Hooks, hook: N, context: HookContexts[N]): Promise<void> {
  type Body = (context: HookContexts[N]) => void | Promise<void>;
  const value = hooks[hook] as Body | { readonly pre?: Body; readonly post?: Body } | undefined;
  const bodies = typeof value === "function" ? [value] : [value?.pre, value?.post];
  const limit = Math.min(hooks.deadlineMs ?? LIMIT_MS, LIMIT_MS);
  for (const body of bodies) {
    if (!body) continue;
    const work = Promise.resolve(body.call(hooks, context));
    await withDeadline(work, limit, () => new Error(`${hook} did not end within ${limit} ms`));
  }
}
