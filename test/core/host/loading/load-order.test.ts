import { expect } from "chai";
import fc from "fast-check";
import { loadOrder } from "../../../../core/host/loading/load-order.js";

const plugin = (name: string, { after = [], requires = [], version = "1.0.0" }: Partial<Node> = {}): Node => ({
  name,
  version,
  after,
  requires,
});
interface Node {
  readonly name: string;
  readonly version: string;
  readonly after: readonly string[];
  readonly requires: readonly string[];
}
const names = (plugins: readonly Node[]) => plugins.map((p) => p.name);

describe("load order", () => {
  it("is the given order where nothing is said", () => {
    expect(names(loadOrder([plugin("b"), plugin("a"), plugin("c")]).order)).to.deep.equal(["b", "a", "c"]);
  });

  it("puts a plugin after those it names, and ignores absent ones in `after`", () => {
    const { order } = loadOrder([
      plugin("a", { after: ["c", "absent"] }),
      plugin("b", { requires: ["a"] }),
      plugin("c"),
    ]);
    expect(names(order)).to.deep.equal(["c", "a", "b"]);
  });

  it("fails a plugin whose requirement is absent or of another version, and what requires it", () => {
    const { order, failed } = loadOrder([
      plugin("a", { requires: ["b@^2.0.0"] }),
      plugin("b"),
      plugin("c", { requires: ["absent"] }),
      plugin("d", { requires: ["c"] }),
    ]);
    expect(names(order)).to.deep.equal(["b"]);
    expect(failed.map((f) => [f.plugin.name, f.error.code])).to.deep.equal([
      ["a", "VERL_PLUGIN_REQUIRES"],
      ["c", "VERL_PLUGIN_REQUIRES"],
      ["d", "VERL_PLUGIN_REQUIRES"],
    ]);
    expect(failed[0].error.why).to.include("1.0.0");
  });

  it("prints a cycle and orders the rest", () => {
    const { order, failed } = loadOrder([
      plugin("a", { after: ["b"] }),
      plugin("b", { requires: ["c"] }),
      plugin("c", { after: ["a"] }),
      plugin("d"),
    ]);
    expect(names(order)).to.deep.equal(["d"]);
    expect(failed[0].error.code).to.equal("VERL_PLUGIN_CYCLE");
    expect(failed[0].error.what).to.include("a → b → c → a");
  });

  it("holds every edge of any acyclic graph and loses nobody", () => {
    const graph = fc
      .integer({ min: 1, max: 8 })
      .chain((n) =>
        fc.tuple(
          fc.shuffledSubarray([...Array(n).keys()], { minLength: n }),
          fc.array(fc.tuple(fc.nat(n - 1), fc.nat(n - 1)), { maxLength: 16 }),
        ),
      );
    fc.assert(
      fc.property(graph, ([shuffled, pairs]) => {
        const edges = pairs.filter(([i, j]) => i < j);
        const after = (i: number) => edges.filter(([, j]) => j === i).map(([k]) => `p${k}`);
        const { order } = loadOrder(shuffled.map((i) => plugin(`p${i}`, { after: after(i) })));
        const position = new Map(order.map((p, at) => [p.name, at]));
        expect(order).to.have.length(shuffled.length);
        for (const [i, j] of edges) expect(position.get(`p${i}`)).to.be.lessThan(position.get(`p${j}`)!);
      }),
    );
  });
});
