import { appendFile, mkdtemp, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import fc from "fast-check";
import { LineTail } from "../../../cli/dashboard/line-tail.js";

describe("verl dashboard: following a file", () => {
  let dir = "";
  before(async () => {
    dir = await mkdtemp(path.join(tmpdir(), "verl-tail-"));
  });
  after(() => rm(dir, { recursive: true }));

  async function read(tail: LineTail) {
    const lines: (string | null)[] = [];
    let resets = 0;
    await tail.read(
      ({ text }) => lines.push(text),
      () => resets++,
    );
    return { lines, resets };
  }

  it("gives every line once, however the file grows and wherever reads are cut", async () => {
    const piece = fc
      .array(fc.constantFrom("\n", "a", "ü", "☃", '{"x": 1}'), { maxLength: 12 })
      .map((parts) => parts.join(""));
    let count = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 6 }), fc.integer({ min: 1, max: 9 }), async (pieces, chunk) => {
        const file = path.join(dir, `grow-${count++}`);
        await writeFile(file, "");
        const tail = new LineTail(file, 1 << 20, chunk);
        const seen: (string | null)[] = [];
        for (const text of pieces) {
          await appendFile(file, text);
          const { lines, resets } = await read(tail);
          expect(resets).to.equal(0);
          seen.push(...lines);
        }
        expect(seen).to.deep.equal(pieces.join("").split("\n").slice(0, -1));
      }),
      { numRuns: 40 },
    );
  });

  it("says where a line stands", async () => {
    const file = path.join(dir, "places");
    await writeFile(file, "ü\nabc\n\nd");
    const places: number[][] = [];
    await new LineTail(file, 100, 2).read(
      ({ offset, length }) => places.push([offset, length]),
      () => {},
    );
    expect(places).to.deep.equal([
      [0, 2],
      [3, 3],
      [7, 0],
    ]);
  });

  it("leaves out a line that is too long, and goes on after it", async () => {
    const file = path.join(dir, "long");
    await writeFile(file, `ab\n${"x".repeat(50)}\ncd\n`);
    expect((await read(new LineTail(file, 10, 7))).lines).to.deep.equal(["ab", null, "cd"]);
  });

  it("starts anew when the file was cut, replaced or removed", async () => {
    const file = path.join(dir, "cut");
    const tail = new LineTail(file);
    expect(await read(tail)).to.deep.equal({ lines: [], resets: 0 });
    await writeFile(file, "a\nb\n");
    expect(await read(tail)).to.deep.equal({ lines: ["a", "b"], resets: 0 });
    await truncate(file, 2);
    expect(await read(tail)).to.deep.equal({ lines: ["a"], resets: 1 });
    await rm(file);
    expect(await read(tail)).to.deep.equal({ lines: [], resets: 1 });
    await writeFile(file, "c\n");
    expect(await read(tail)).to.deep.equal({ lines: ["c"], resets: 0 });
  });
});
