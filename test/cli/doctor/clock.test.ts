import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect } from "chai";
import { type ClockEvidence, diagnoseClock, fileSkew } from "../../../cli/doctor/clock.js";

const NOW = Date.UTC(2027, 0, 15, 12, 0, 0);
const evidence = (over: Partial<ClockEvidence> = {}): ClockEvidence => ({
  before: { wallMs: NOW - 500, monotonicMs: 1000 },
  after: { wallMs: NOW, monotonicMs: 1500 },
  fileSkewMs: 3,
  servers: [],
  ...over,
});
const texts = (over: Partial<ClockEvidence>) =>
  diagnoseClock(evidence(over)).map(({ status, detail }) => `${status}: ${detail}`);

describe("cli/doctor/clock", () => {
  it("says what time it is, and who agrees", () => {
    expect(texts({})).to.deep.equal(["ok: 2027-01-15 12:00:00 UTC, as the file system says"]);
    const servers = [{ name: "a", skewMs: 900 }, { name: "b", skewMs: -1200 }, { name: "c" }];
    expect(texts({ servers })).to.deep.equal(["ok: 2027-01-15 12:00:00 UTC, as the file system and 2 servers say"]);
    expect(texts({ fileSkewMs: null })).to.deep.equal(["ok: 2027-01-15 12:00:00 UTC"]);
  });

  for (const [year, wallMs] of [
    ["1970", 5e9],
    ["2126", Date.UTC(2126, 0, 1)],
  ] as const) {
    it(`fails for a clock of ${year}`, () => {
      const [finding, ...others] = diagnoseClock(evidence({ after: { wallMs, monotonicMs: 1500 } }));
      expect(others).to.deep.equal([]);
      expect(finding.status).to.equal("failed");
      expect(finding.detail).to.match(new RegExp(`^it says ${year}-`));
      expect(finding.fix).to.contain("NTP");
    });
  }

  it("notices a clock that is set meanwhile", () => {
    expect(texts({ after: { wallMs: NOW + 90_000, monotonicMs: 1500 } })).to.deep.equal([
      "warning: it was set 90 s ahead while doctor looked",
    ]);
  });

  it("notices a file system with another clock, by which locks are judged", () => {
    const [text] = texts({ fileSkewMs: -400_000 });
    expect(text).to.match(/^warning: the file system of the checkpoints is 6\.7 minutes behind this machine: .*lock/);
  });

  it("blames this machine where no server agrees, and the server where others do", () => {
    const off = { name: "judge", skewMs: 7_200_000 };
    const [alone] = diagnoseClock(evidence({ servers: [off] }));
    expect(alone).to.include({ status: "warning" });
    expect(alone.detail).to.equal("judge is 2 hours ahead of this machine; signed requests and tokens may be refused");
    expect(alone.fix).to.contain("this machine");
    const [one, ...others] = diagnoseClock(evidence({ servers: [off, { name: "b", skewMs: 10 }] }));
    expect(others).to.deep.equal([]);
    expect(one.fix).to.equal("Set the clock of judge: others agree with this machine.");
  });

  it("compares with the file system of a folder that need not be there, and leaves nothing behind", async () => {
    const dir = fs.mkdtempSync(path.join(os.tmpdir(), "verl-clock-"));
    expect(await fileSkew(path.join(dir, "a", "b"))).to.be.closeTo(0, 2000);
    expect(fs.readdirSync(dir)).to.deep.equal([]);
    fs.rmSync(dir, { recursive: true });
  });
});
