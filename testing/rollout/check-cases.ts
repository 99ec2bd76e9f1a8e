import assert from "node:assert/strict";
import type { RolloutFactory, RolloutOptions } from "../../core/plugin.js";
import type { ConformanceCase } from "../case.js";
import { type FaultyOptions, problemsOf } from "../engine/check-cases.js";

export interface RolloutCheckSubject {
  readonly factory: RolloutFactory;
  /** From which a replica can be made. */
  readonly options: RolloutOptions;
  readonly faulty?: readonly FaultyOptions<RolloutOptions>[];
}

/** What `RolloutFactory.check` must do: say the truth about the server, and report faults instead of throwing them. */
export function rolloutCheckConformance({ factory, options, faulty = [] }: RolloutCheckSubject): ConformanceCase[] {
  const check = async (asked: RolloutOptions) => {
    assert.ok(factory.check, "the factory has no check");
    return factory.check(asked);
  };
  return [
    {
      name: "its check finds nothing wrong with options that a replica can be made from, as often as it is asked",
      async run() {
        const first = await check(options);
        assert.deepEqual(problemsOf(first.findings), []);
        assert.deepEqual(await check(options), first);
      },
    },
    {
      name: "its check says of the replica what the replica says of itself",
      async run() {
        const { capabilities } = await check(options);
        const replica = await factory.createReplica(options);
        try {
          assert.deepEqual(capabilities, replica.capabilities);
        } finally {
          await replica.dispose();
        }
      },
    },
    {
      name: "its check finds a quantization that nobody has, by itself or by its capabilities",
      async run() {
        const quantization = "no-such-type";
        const { capabilities, findings } = await check({ ...options, quantization });
        const isFound = problemsOf(findings).some(({ option }) => option === "quantization");
        assert.ok(isFound || !(capabilities.quantizations ?? []).includes(quantization));
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
