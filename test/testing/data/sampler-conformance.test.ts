import { expect } from "chai";
import { builtinSamplers } from "../../../core/data/index.js";
import type { JsonValue, Sampler } from "../../../core/plugin.js";
import { runConformance, samplerConformance } from "../../../testing/index.js";
import { failing } from "../support.js";

describe("sampler conformance", () => {
  for (const factory of builtinSamplers) {
    runConformance(`the sampler ${factory.name}`, samplerConformance({ factory }), { describe, it });
  }

  /** Row after row. */
  function counting(over: Partial<Sampler> = {}): Sampler {
    let draws = 0;
    const own: Sampler = {
      epoch: 0,
      next: () => draws++ % 4,
      state: () => ({ draws }),
      restore(state: JsonValue) {
        const { draws: saved } = Object(state) as { draws?: number };
        if (typeof saved !== "number") throw new TypeError("no state");
        draws = saved;
      },
    };
    return Object.assign(own, over);
  }
  const cases = (over: Partial<Sampler> = {}) =>
    failing(samplerConformance({ factory: { name: "s", create: () => counting(over) } }));

  it("passes a sampler that keeps to it", async () => {
    expect(await cases()).to.deep.equal([]);
  });

  it("catches rows that there are not", async () => {
    expect(await cases({ next: () => 12 })).to.include("draws rows that there are, for ever");
  });

  it("catches results that are not part of the state", async () => {
    const factory = {
      name: "s",
      create() {
        let last = 0;
        return counting({
          next: () => last,
          update: (outcomes) => {
            last = (last + 1 + (outcomes[0]?.index ?? 0)) % 4;
          },
        });
      },
    };
    expect(await failing(samplerConformance({ factory }))).to.include(
      "goes on from its state as if it had never stopped, wherever that was",
    );
  });

  it("catches a state that a sampler goes on writing to, and any state being taken", async () => {
    const live = { draws: 0 };
    const next = () => live.draws++ % 4;
    expect(await cases({ next, state: () => live })).to.include("hands out a state that later draws leave alone");
    expect(await cases({ restore() {} })).to.include("refuses a state that is none");
  });
});
