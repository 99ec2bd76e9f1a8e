import { existsSync } from "node:fs";
import { expect } from "chai";
import { makeExchangeFile, NumberFile } from "../../../../core/engine/data-parallel/exchange-file.js";
import type { NamedTensor } from "../../../../core/plugin.js";
import { rejection } from "../../host/support/hosts.js";

async function* tensors(...lists: readonly number[][]): AsyncGenerator<NamedTensor> {
  for (const [i, list] of lists.entries()) {
    yield { name: `t${i}`, dtype: "f32", shape: [list.length], data: Float32Array.from(list) };
  }
}

describe("core/engine exchange of numbers between processes", () => {
  /** Two ends of one file, whose name is gone. */
  async function ends(use: (writer: NumberFile, reader: NumberFile) => Promise<void>): Promise<void> {
    const files: NumberFile[] = [];
    let name = "";
    await makeExchangeFile(64, async (file) => {
      name = file;
      files.push(await NumberFile.open(file), await NumberFile.open(file));
    });
    expect(existsSync(name)).to.equal(false);
    try {
      await use(files[0], files[1]);
    } finally {
      for (const file of files) await file.close();
    }
  }

  it("reads what was written, in pieces of any size", () =>
    ends(async (writer, reader) => {
      await writer.write(3, tensors([1, 2], [3], [4, 5, 6]));
      const next = reader.reader(3);
      const [first, second] = [new Float32Array(4), new Float32Array(2)];
      await next(first);
      await next(second);
      expect([...first, ...second]).to.deep.equal([1, 2, 3, 4, 5, 6]);
    }));

  it("keeps places apart", () =>
    ends(async (writer, reader) => {
      await writer.write(0, tensors([1, 2]));
      await writer.write(2, tensors([7, 8]));
      const into = new Float32Array(2);
      await reader.reader(0)(into);
      expect([...into]).to.deep.equal([1, 2]);
    }));

  it("refuses to read what nobody wrote, and tensors of other types", () =>
    ends(async (writer, reader) => {
      expect((await rejection(reader.reader(0)(new Float32Array(1)))).code).to.equal("VERL_ENGINE_NO_EXCHANGE");
      const half = (async function* (): AsyncGenerator<NamedTensor> {
        yield { name: "half", dtype: "f16", shape: [1], data: Uint16Array.of(1) };
      })();
      expect((await rejection(writer.write(0, half))).why).to.equal("half is f16, and only f32 is exchanged");
    }));

  it("says how much room is missing, and where it looked", async () => {
    const error = await rejection(makeExchangeFile(2 ** 50, async () => {}));
    expect(error.code).to.equal("VERL_ENGINE_NO_EXCHANGE");
    expect(error.what).to.include("4294967296 MiB");
    expect(error.why).to.match(/has \d+ MiB/);
  });
});
