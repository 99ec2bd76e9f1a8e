import { expect } from "chai";
import { BlockedClock } from "../../../../core/host/blocking/blocked-clock.js";

const LOOK_MS = 10;

function spin(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

describe("the clock of a blocked thread", () => {
  it("counts what was seen: a gap between two looks, in which the process stood still, counts as two of them", () => {
    const clock = new BlockedClock(LOOK_MS);
    clock.look(true);
    spin(10 * LOOK_MS);
    expect(clock.look(true)).to.be.at.most(2 * LOOK_MS);
  });

  it("adds up while the thread computes", () => {
    const clock = new BlockedClock(1000);
    clock.look(true);
    spin(100);
    // Processor time is counted in hundredths, and others may have had some of it.
    expect(clock.look(true)).to.be.greaterThan(0).and.at.most(150);
  });

  it("stands while nothing is suspected", () => {
    const clock = new BlockedClock(1000);
    spin(20);
    expect(clock.look(false)).to.equal(0);
  });
});
