import { expect } from "chai";
import { calmLogger, lineLogger } from "../../../../core/host/index.js";

describe("core/host/util/calm-logger", () => {
  const lines: string[] = [];
  const logger = () => {
    lines.length = 0;
    return calmLogger(lineLogger((line) => lines.push(line)));
  };

  it("tells the first of a kind in full, and counts those after them", () => {
    const calm = logger();
    for (let i = 0; i < 100; i++)
      calm.warn(`prompt 00${i}-ab${i} (data.jsonl:${i}): ${i} of 4 sessions failed; no "x${i}"`);
    expect(lines).to.have.length(3);
    calm.sum("step 7");
    expect(lines.slice(3)).to.deep.equal([
      'warn: step 7: 97 more of this kind, the last: prompt 0099-ab99 (data.jsonl:99): 99 of 4 sessions failed; no "x99"',
    ]);
    calm.sum("step 8");
    expect(lines).to.have.length(4);
    calm.warn("prompt 1 (data.jsonl:1): 1 of 4 sessions failed; no 'y'");
    calm.sum();
    // A single one is no flood.
    expect(lines[4]).to.equal("warn: prompt 1 (data.jsonl:1): 1 of 4 sessions failed; no 'y'");
  });

  it("tells other kinds as they come, and lets everything else pass", () => {
    const calm = logger();
    for (const reason of ["the judge is gone", "no tool of that name", "the file is damaged"]) {
      for (let i = 0; i < 4; i++) calm.warn(`prompt ${i} failed; ${reason}`);
    }
    for (let i = 0; i < 9; i++) calm.error(`error ${i}`);
    expect(lines.filter((line) => line.startsWith("warn"))).to.have.length(9);
    expect(lines.filter((line) => line.startsWith("error"))).to.have.length(9);
  });

  it("does not grow with the number of kinds, and shortens what it repeats", () => {
    const calm = logger();
    const letters = (i: number) => String(i).replace(/\d/g, (digit) => "abcdefghij"[Number(digit)]);
    for (let i = 0; i < 5000; i++) calm.warn(`${letters(i)} ${"long ".repeat(1000)}`);
    expect(lines.length).to.be.at.most(503);
    lines.length = 0;
    calm.sum();
    expect(lines).to.have.length(1);
    expect(lines[0].length).to.be.below(500);
  });
});
