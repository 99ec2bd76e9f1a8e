import { expect } from "chai";
import { curveSvg } from "../../../examples/common/curve-svg.js";

describe("examples/common/curve-svg", () => {
  it("draws each line from the first step to the last, with its last value in the legend", () => {
    const svg = curveSvg({
      title: "a < b",
      percent: true,
      lines: [
        {
          label: "one",
          points: [
            [0, 0],
            [10, 1],
          ],
        },
      ],
    });
    expect(svg).to.include("a &lt; b").and.include("one (100 %)").and.include('d="M56 268L624 44"');
  });
});
