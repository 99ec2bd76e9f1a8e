import { expect } from "chai";
import { GrowingResponse } from "../../../../core/rollout/index.js";
import { Scheduler, type Sequence } from "../../../../engines/onnx/rollout/scheduler.js";
import { request } from "./tiny-model.js";

function sequence(name: string, promptLength: number, options: Partial<Sequence> = {}): Sequence {
  const promptIds = Array.from({ length: promptLength }, () => 1);
  const checked = { ...request(name, { promptIds }), maxTokens: 4 };
  const response = new GrowingResponse(checked, { eosTokenIds: [], createDecoder: null });
  return { response, priority: 0, promptKey: name, slot: -1, ...options };
}

const nothingKnown = () => false;
const names = (sequences: readonly Sequence[]) => sequences.map(({ response }) => response.request.requestId);

describe("Scheduler", () => {
  it("seats sequences in order until slots run out", () => {
    const scheduler = new Scheduler({ slots: 2, maxPrefillTokens: 100 });
    for (const name of ["a", "b", "c"]) scheduler.enqueue(sequence(name, 3));
    expect(names(scheduler.admit(nothingKnown).fresh)).to.deep.equal(["a", "b"]);
    expect(names(scheduler.admit(nothingKnown).fresh)).to.deep.equal([]);
    expect(scheduler.active.map(({ slot }) => slot)).to.deep.equal([0, 1]);
  });

  it("seats the lower priority first, ties in order of arrival", () => {
    const scheduler = new Scheduler({ slots: 4, maxPrefillTokens: 100 });
    for (const [name, priority] of [
      ["a", 1],
      ["b", 0],
      ["c", 1],
      ["d", -1],
    ] as const) {
      scheduler.enqueue(sequence(name, 3, { priority }));
    }
    expect(names(scheduler.admit(nothingKnown).fresh)).to.deep.equal(["d", "b", "a", "c"]);
  });

  it("keeps a prefill within its budget, padding included, but lets a long prompt go alone", () => {
    const scheduler = new Scheduler({ slots: 9, maxPrefillTokens: 20 });
    for (const [name, length] of [
      ["a", 5],
      ["b", 10],
      ["c", 7],
      ["d", 50],
    ] as const)
      scheduler.enqueue(sequence(name, length));
    const batches = [1, 2, 3].map(() => names(scheduler.admit(nothingKnown).fresh));
    expect(batches).to.deep.equal([["a", "b"], ["c"], ["d"]]);
  });

  it("computes an equal or known prompt once, with fresh ones in neighbouring slots", () => {
    const scheduler = new Scheduler({ slots: 9, maxPrefillTokens: 8 });
    const order = [
      ["a1", "a"],
      ["a2", "a"],
      ["k1", "known"],
      ["b1", "b"],
      ["a3", "a"],
    ];
    for (const [name, promptKey] of order) scheduler.enqueue(sequence(name, 4, { promptKey }));
    const { fresh, shared } = scheduler.admit((key) => key === "known");
    expect(names(fresh)).to.deep.equal(["a1", "b1"]);
    expect(names(shared)).to.deep.equal(["a2", "k1", "a3"]);
    expect(fresh.map(({ slot }) => slot)).to.deep.equal([0, 1]);
  });

  it("leaves no gap when sequences end: the last ones move into free slots", () => {
    const scheduler = new Scheduler({ slots: 5, maxPrefillTokens: 100 });
    for (const name of ["a", "b", "c", "d", "e"]) scheduler.enqueue(sequence(name, 3));
    const [a, , c, , e] = scheduler.admit(nothingKnown).fresh;
    const moves: [string, number, number][] = [];
    scheduler.free(new Set([a, c, e]), (moved, to) => moves.push([moved.response.request.requestId, moved.slot, to]));
    expect(moves).to.deep.equal([["d", 3, 0]]);
    expect(names(scheduler.active)).to.deep.equal(["d", "b"]);
    expect(scheduler.active.map(({ slot }) => slot)).to.deep.equal([0, 1]);
  });
});
