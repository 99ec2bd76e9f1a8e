import { readdirSync, readFileSync } from "node:fs";
import os from "node:os";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { ChildPool } from "./child-pool.js";
import { bytesOf, type FuzzReader, type Input } from "./fuzz-reader.js";
import { inputsOf } from "./inputs.js";
import { readers } from "./readers/index.js";

const REGRESSIONS = fileURLToPath(new URL("../../../test/fuzz/regressions/", import.meta.url));
const RUNS = 100;
const SEED = 1;

describe("readers of outside data, fuzzed", function () {
  // Hangs are found by processor time; the clock says little on a busy machine.
  this.timeout(300_000);

  const pool = new ChildPool(Math.min(4, os.availableParallelism()));
  after(() => pool.close());

  /** What went wrong, by the name of the input. */
  async function faultsOf(
    reader: FuzzReader,
    inputs: Iterable<readonly [string, Input]>,
  ): Promise<Record<string, unknown>> {
    const outcomes = Array.from(
      inputs,
      async ([name, input]) => [name, await pool.run(reader, bytesOf(input))] as const,
    );
    return Object.fromEntries((await Promise.all(outcomes)).filter(([, { kind }]) => kind === "fault"));
  }

  for (const reader of readers) {
    it(`${reader.name} reads its seeds`, async () => {
      for (const seed of await reader.seeds()) {
        const outcome = await pool.run(reader, bytesOf(seed));
        expect(outcome.kind, JSON.stringify(outcome)).to.equal("result");
      }
    });

    it(`${reader.name} ends every one of ${RUNS} inputs in a result or a coded error`, async () => {
      const inputs: [string, Uint8Array][] = [];
      for await (const input of inputsOf(reader, RUNS, SEED)) inputs.push([`input ${inputs.length}`, input]);
      expect(await faultsOf(reader, inputs)).to.deep.equal({});
    });

    it(`${reader.name} withstands hostile inputs`, async () => {
      const inputs = Object.entries(reader.hostile ?? {}).map(([name, make]) => [name, make()] as const);
      expect(await faultsOf(reader, inputs)).to.deep.equal({});
    });
  }

  it("what once was a fault is none", async () => {
    const files = readdirSync(REGRESSIONS).filter((name) => name.endsWith(".bin"));
    for (const reader of readers) {
      const own = files.filter((name) => name.startsWith(`${reader.name}.`));
      const inputs = own.map((name) => [name, readFileSync(REGRESSIONS + name)] as const);
      expect(await faultsOf(reader, inputs)).to.deep.equal({});
    }
    const known = readers.map(({ name }) => `${name}.`);
    expect(files.filter((name) => !known.some((start) => name.startsWith(start)))).to.deep.equal([]);
  });
});
