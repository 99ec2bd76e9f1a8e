import { expect } from "chai";
import fc from "fast-check";
import type { EvictionRule, PromptGroup } from "../../../core/transfer/index.js";
import { evictGroups } from "../../../core/transfer/index.js";
import { codedError } from "./support.js";

const rule = (changes: Partial<EvictionRule> = {}): EvictionRule => ({
  mode: "async",
  step: 10,
  maxOffPolicyThreshold: 3,
  maxOffPolicyStrategy: "drop",
  ...changes,
});
const group = (
  uid: string,
  globalSteps: number,
  status: PromptGroup["status"] = "finished",
  trajectories = 1,
): PromptGroup => ({ uid, globalSteps, status, trajectories });

describe("core/transfer/staleness", () => {
  it("row 34: counts staleness from one at the dispatching step", () => {
    const { staleness } = evictGroups([group("a", 10), group("b", 8, "running", 0)], rule());
    expect([...staleness]).to.deep.equal([
      ["a", 1],
      ["b", 3],
    ]);
  });

  it("row 34: async drop evicts finished groups beyond the threshold, not those at it", () => {
    const result = evictGroups([group("d", 6), group("c", 7), group("b", 8), group("r", 1, "running", 0)], rule());
    expect(result.evicted).to.deep.equal(["c", "d"]);
    expect(result.refill).to.equal(2);
    expect(result.sampleable).to.deep.equal(["b"]);
    expect(result.blocked).to.equal(false);
  });

  it("async wait: evicts nothing for its age and blocks while a running prompt is at the threshold", () => {
    const wait = rule({ maxOffPolicyStrategy: "wait" });
    expect(evictGroups([group("a", 1)], wait)).to.deep.include({ evicted: [], sampleable: ["a"], blocked: false });
    expect(evictGroups([group("r", 9, "running", 0)], wait).blocked).to.equal(false);
    expect(evictGroups([group("p", 8, "pending", 0)], wait).blocked).to.equal(true);
  });

  it("async: evicts every failed group, with or without trajectories", () => {
    const result = evictGroups([group("f", 10, "failure", 3), group("g", 10, "failure", 0)], rule());
    expect(result).to.deep.include({ evicted: ["f", "g"], failed: ["f", "g"], stale: [], sampleable: [] });
  });

  it("sync: evicts nothing; sync-refill: failed groups without trajectories only", () => {
    const groups = [group("old", 1), group("f", 9, "failure", 1), group("g", 5, "failure", 0)];
    expect(evictGroups(groups, rule({ mode: "sync" }))).to.deep.include({
      evicted: [],
      sampleable: ["old", "g", "f"],
    });
    expect(evictGroups(groups, rule({ mode: "sync-refill" }))).to.deep.include({
      evicted: ["g"],
      refill: 1,
      sampleable: ["old", "f"],
    });
  });

  it("refuses a status that is none", async () => {
    await codedError("VERL_REPLAY_BAD_TAG", () => evictGroups([group("a", 1, "done" as never)], rule()));
  });

  it("row 34: gives every group exactly one fate, by its age and status alone", () => {
    const groups = fc.uniqueArray(
      fc.record({
        uid: fc.string({ minLength: 1, maxLength: 2 }),
        globalSteps: fc.integer({ min: 4, max: 12 }),
        status: fc.constantFrom<PromptGroup["status"]>("pending", "running", "finished", "failure"),
        trajectories: fc.nat(1),
      }),
      { selector: ({ uid }) => uid, maxLength: 8 },
    );
    const rules = fc.record({
      mode: fc.constantFrom("sync" as const, "sync-refill" as const, "async" as const),
      step: fc.constant(10),
      maxOffPolicyThreshold: fc.nat(5),
      maxOffPolicyStrategy: fc.constantFrom("drop" as const, "wait" as const),
    });
    fc.assert(
      fc.property(groups, rules, (given, applied) => {
        const result = evictGroups(given, applied);
        const alone = given.map((one) => evictGroups([one], applied));
        const fates = given.map((one) => fate(one, applied));
        const all = (name: Fate) => given.filter((_, i) => fates[i] === name).map(({ uid }) => uid);
        expect(alone.map(({ evicted, sampleable }) => [evicted.length, sampleable.length])).to.deep.equal(
          fates.map((name) => [name === "evicted" ? 1 : 0, name === "sampleable" ? 1 : 0]),
        );
        expect(result.evicted).to.deep.equal(all("evicted").sort());
        expect(result.refill).to.equal(result.evicted.length);
        expect(result.sampleable).to.have.members(all("sampleable"));
        expect(result.blocked).to.equal(alone.some(({ blocked }) => blocked));
        const steps = result.sampleable.map((uid) => given.find((one) => one.uid === uid)?.globalSteps ?? 0);
        expect(steps).to.deep.equal([...steps].sort((a, b) => a - b));
      }),
    );
  });
});

type Fate = "open" | "evicted" | "sampleable";

/** README's sentences, one after the other. */
function fate({ globalSteps, status, trajectories }: PromptGroup, rule: EvictionRule): Fate {
  if (status === "pending" || status === "running") return "open";
  if (rule.mode === "async") {
    if (status === "failure") return "evicted";
    const beyond = rule.step - globalSteps + 1 > rule.maxOffPolicyThreshold;
    return beyond && rule.maxOffPolicyStrategy === "drop" ? "evicted" : "sampleable";
  }
  return rule.mode === "sync-refill" && status === "failure" && trajectories === 0 ? "evicted" : "sampleable";
}
