import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { bytesOf } from "./fuzz-reader.js";
import { inputsOf } from "./inputs.js";
import { readers } from "./readers/index.js";
import { WatchedChild } from "./watched-child.js";

const REGRESSIONS = fileURLToPath(new URL("../../../test/fuzz/regressions/", import.meta.url));
const RUNS = 150;
const SEED = 1;

describe("readers of outside data, fuzzed", () => {
  const child = new WatchedChild();
  after(() => child.close());

  for (const reader of readers) {
    const expectNoFault = async (input: Uint8Array) => {
      const { kind, ...rest } = await child.run(reader, input);
      expect(kind, JSON.stringify(rest)).not.to.equal("fault");
    };

    it(`${reader.name} reads its seeds`, async () => {
      for (const seed of await reader.seeds()) {
        const outcome = await child.run(reader, bytesOf(seed));
        expect(outcome.kind, JSON.stringify(outcome)).to.equal("result");
      }
    });

    it(`${reader.name} ends every one of ${RUNS} inputs in a result or a coded error`, async () => {
      for await (const input of inputsOf(reader, RUNS, SEED)) await expectNoFault(input);
    });

    for (const [name, make] of Object.entries(reader.hostile ?? {})) {
      it(`${reader.name}: ${name}`, () => expectNoFault(bytesOf(make())));
    }
    for (const name of regressionsOf(reader.name)) {
      it(`${reader.name}: regression ${name}`, () => expectNoFault(readFileSync(REGRESSIONS + name)));
    }
  }

  it("every regression belongs to a reader", () => {
    const known = new Set(readers.map(({ name }) => name));
    expect(
      readdirSync(REGRESSIONS).filter((name) => name !== "README.md" && !known.has(name.split(".")[0])),
    ).to.deep.equal([]);
  });
});

/** Files `READER.NAME.bin`. */
function regressionsOf(reader: string): string[] {
  return readdirSync(REGRESSIONS).filter((name) => name.startsWith(`${reader}.`));
}
