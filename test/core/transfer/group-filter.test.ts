import { expect } from "chai";
import fc from "fast-check";
import type { ScoredGroup } from "../../../core/transfer/index.js";
import { filterGroups } from "../../../core/transfer/index.js";
import { codedError } from "./support.js";

const finished = (uid: string, values: readonly (number | boolean)[]): ScoredGroup => ({
  uid,
  status: "finished",
  trajectories: values.map((acc) => ({ acc })),
});
const filter = (groups: readonly ScoredGroup[], mode: "sync" | "async" = "async") =>
  filterGroups(groups, { mode, metric: "acc" });

describe("core/transfer/group-filter", () => {
  it("evicts finished groups whose trajectories agree, and counts the values", () => {
    const result = filter([finished("a", [1, 1]), finished("b", [1, 0]), finished("c", [0, 0]), finished("d", [1, 1])]);
    expect(result.evicted).to.deep.equal(["a", "c", "d"]);
    expect([...result.valueCounts]).to.deep.equal([
      [1, 2],
      [0, 1],
    ]);
  });

  it("asks for one prompt for each evicted group when async, two when sync", () => {
    const groups = [finished("a", [1, 1]), finished("b", [0, 0])];
    expect(filter(groups, "async").refill).to.equal(2);
    expect(filter(groups, "sync").refill).to.equal(4);
  });

  it("keeps a group of one and counts booleans as numbers", () => {
    expect(filter([finished("a", [1]), finished("b", [true, 1]), finished("c", [true, false])]).evicted).to.deep.equal([
      "b",
    ]);
  });

  it("sees equal values as equal whatever rounding their mean has", () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true }), fc.integer({ min: 2, max: 9 }), (value, n) => {
        expect(filter([finished("a", Array(n).fill(value))]).evicted).to.deep.equal(["a"]);
      }),
    );
  });

  it("leaves groups alone that have not finished", () => {
    const groups: ScoredGroup[] = [
      { uid: "r", status: "running", trajectories: [] },
      { uid: "f", status: "failure", trajectories: [{}, {}] },
    ];
    expect(filter(groups).evicted).to.deep.equal([]);
  });

  it("refuses groups that it cannot judge, and says what the trajectories have", async () => {
    const code = "VERL_REPLAY_METRIC_MISSING";
    await codedError(code, () => filter([finished("a", [])]));
    const missing = { uid: "a", status: "finished", trajectories: [{ score: 1 }] } as const;
    expect((await codedError(code, () => filter([missing]))).why).to.include("score");
    const text = { uid: "a", status: "finished", trajectories: [{ acc: "good" }] } as const;
    expect((await codedError(code, () => filter([text]))).why).to.include('"good"');
    await codedError("VERL_REPLAY_BAD_TAG", () => filter([{ ...missing, status: "done" as never }]));
  });
});
