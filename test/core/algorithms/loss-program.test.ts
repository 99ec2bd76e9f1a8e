import { expect } from "chai";
import { evaluateLoss, type LossFunction, recordLoss, replayLoss } from "../../../core/algorithms/index.js";
import { ALL_LOSSES, anyLossInput } from "./loss-cases.js";

const algebraic = ALL_LOSSES.filter((loss): loss is LossFunction => loss.kind === "algebra");
const input = anyLossInput();

describe("core/algorithms loss programs", () => {
  it("give the numbers of every loss after a journey as data, to the last bit", () => {
    for (const loss of algebraic) {
      const replayed = replayLoss(structuredClone(recordLoss(loss, input.columns)));
      expect(evaluateLoss(replayed, input), loss.key).to.deep.equal(evaluateLoss(loss, input));
    }
  });

  it("keep what an engine knows a loss by", () => {
    for (const loss of algebraic) {
      const { key, name, scope, outputs, columns } = replayLoss(recordLoss(loss, input.columns));
      expect({ key, name, scope, outputs, columns }).to.deep.equal({
        key: loss.key,
        name: loss.name,
        scope: loss.scope,
        outputs: loss.outputs,
        columns: loss.columns,
      });
    }
  });

  it("tell the loss how far each value extends", () => {
    const seen: string[] = [];
    const extents = { perToken: "token", perSequence: "sequence" } as const;
    recordLoss(
      {
        ...algebraic[0],
        build(g) {
          const [t, s] = [g.column("perToken"), g.column("perSequence")];
          const values = [t, s, g.mask(), g.count("dpSize"), g.mul(s, g.constant(2)), g.where(s, t, s), g.sumTokens(t)];
          seen.push(...values.map(({ extent }) => extent));
          return { loss: g.sum(t), metrics: {} };
        },
      },
      new Map(Object.entries(extents).map(([name, extent]) => [name, { extent }])),
    );
    expect(seen).to.deep.equal(["token", "sequence", "token", "scalar", "sequence", "token", "sequence"]);
  });
});
