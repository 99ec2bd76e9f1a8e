import assert from "node:assert/strict";
import type { EngineFactory, EngineOptions, PlanFinding } from "../../core/plugin.js";
import type { ConformanceCase } from "../case.js";

/** Options with one fault, and the member that is to be named for it. */
export interface FaultyOptions<O> {
  readonly options: O;
  readonly option: string;
}

export interface EngineCheckSubject {
  readonly factory: EngineFactory;
  /** From which it can be made. */
  readonly options: EngineOptions;
  readonly faulty?: readonly FaultyOptions<EngineOptions>[];
}

const WORK = { tokens: 64, longest: 16 };

/** What `EngineFactory.check` must do: say the truth about the engine, and report faults instead of throwing them. */
export function engineCheckConformance({ factory, options, faulty = [] }: EngineCheckSubject): ConformanceCase[] {
  const check = async (asked: EngineOptions) => {
    assert.ok(factory.check, "the factory has no check");
    return factory.check(asked, WORK);
  };
  return [
    {
      name: "its check finds nothing wrong with options that it can be made from, as often as it is asked",
      async run() {
        const first = await check(options);
        assert.deepEqual(problemsOf(first.findings), []);
        assert.deepEqual(await check(options), first);
      },
    },
    {
      name: "its check says of the engine what the engine says of itself",
      async run() {
        const { capabilities, model } = await check(options);
        const engine = await factory.create(options);
        try {
          await engine.initialize();
          assert.deepEqual(capabilities, engine.capabilities);
          const { vocabSize, maxPositions } = engine.modelInfo();
          if (model) assert.deepEqual(model, { vocabSize, maxPositions });
        } finally {
          await engine.dispose();
        }
      },
    },
    {
      name: "its check does not throw for a model that cannot be read, and does not say that it is there",
      async run() {
        const { model, findings } = await check({ ...options, model: { path: "/nowhere/at/all" } });
        assert.ok(model === null || problemsOf(findings).length > 0);
      },
    },
    ...faulty.map(
      (fault): ConformanceCase => ({
        name: `its check finds a fault in ${fault.option}`,
        async run() {
          const problems = problemsOf((await check(fault.options)).findings);
          assert.ok(
            problems.some(({ option }) => option === fault.option || option.startsWith(`${fault.option}.`)),
            `found ${JSON.stringify(problems)}`,
          );
        },
      }),
    ),
  ];
}

export function problemsOf(findings: readonly PlanFinding[]): PlanFinding[] {
  for (const { level, option, what } of findings) {
    assert.ok(level === "problem" || level === "warning", `a finding of the level ${level}`);
    assert.ok(option !== "" && what !== "", "a finding names the option, and says what is wrong");
  }
  return findings.filter(({ level }) => level === "problem");
}
