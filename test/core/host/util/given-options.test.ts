import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { expect } from "chai";
import type { JudgeOptions } from "../../../../core/plugin.js";
import {
  createJudge,
  functionTool,
  InProcessQueue,
  ToolExecutor,
  ToolSet,
  VerlError,
} from "../../../../core/plugin.js";

function refused(call: () => unknown): VerlError {
  try {
    call();
  } catch (error) {
    expect(error).to.be.instanceOf(VerlError).and.include({ code: "VERL_USER_BAD_OPTION" });
    return error as VerlError;
  }
  throw new Error("the call was expected to be refused");
}

const judge = (more: object) => createJudge({ addresses: ["localhost:1"], model: "m", ...more } as JudgeOptions);

describe("options that code of the user's gives", () => {
  it("are refused under a name that there is not, with the one that was meant", () => {
    expect(refused(() => judge({ maxTrys: 3 })).what).to.equal(
      'createJudge has no option "maxTrys". Did you mean "maxTries"?',
    );
    expect(refused(() => judge({ temperature: 0 })).fix).to.contain("addresses, model, apiKeyEnv");
  });

  for (const [given, what, fix] of [
    [{ maxTries: -1 }, "the option maxTries of createJudge is -1", "maxTries is a whole number from 1 on"],
    [{ maxConcurrent: Number.NaN }, "is NaN", "maxConcurrent is a whole number from 1 on"],
    [{ addresses: "localhost:1" }, 'is "localhost:1"', "addresses is a list of texts, with one at least"],
    [{ model: undefined }, "createJudge needs the option model", "model is a text"],
    [{ apiKeyEnv: 5 }, "is 5", "apiKeyEnv is a text, or null"],
    [{ warn: "yes" }, 'is "yes"', "warn is a function"],
  ] as const) {
    it(`are refused where they cannot be used: ${JSON.stringify(given)}`, () => {
      const error = refused(() => judge(given));
      expect(error.what).to.contain(what);
      expect(error.fix).to.equal(fix);
    });
  }

  it("are refused as a whole where they are none", () => {
    expect(refused(() => createJudge("http://localhost" as never)).what).to.contain("takes an object of options");
  });

  it("of a judge's request are an object: a signal by itself would be passed over", async () => {
    const signal = AbortSignal.timeout(1000) as never;
    const error = await judge({ maxTries: 1 })
      .chat({ messages: [] }, signal)
      .catch((thrown: unknown) => thrown);
    expect(error).to.include({ code: "VERL_USER_BAD_OPTION" });
    expect((error as VerlError).what).to.contain("not an AbortSignal");
  });

  it("of function tools, of the limits of calls and of queues are checked as well", async () => {
    const options = { name: "t", description: "d", parameters: { type: "object" } };
    expect(refused(() => functionTool(() => "", { ...options, descripton: "d" } as never)).what).to.contain(
      'Did you mean "description"?',
    );
    expect(refused(() => functionTool(options as never, (() => "") as never)).what).to.contain("the first argument");
    expect(refused(() => functionTool(() => "", { ...options, parameters: null as never })).fix).to.contain(
      "parameters is an object",
    );
    const tools = await ToolSet.of([]);
    const limits = { deadlineMs: 0, maxResponseLength: 10, truncateSide: "left" };
    expect(refused(() => new ToolExecutor(tools, limits, {} as never)).fix).to.contain(
      "deadlineMs is a number above 0",
    );
    expect(refused(() => new InProcessQueue({ capacityBites: 5 } as never)).what).to.contain("capacityBytes");
  });

  it("are told of with the line of the call", async () => {
    const dir = await mkdtemp(path.join(tmpdir(), "verl-options-"));
    try {
      const plugin = JSON.stringify(new URL("../../../../core/plugin.js", import.meta.url).href);
      const file = path.join(dir, "reward.mjs");
      const text = `import { createJudge } from ${plugin};\n\nexport const make = (options) => createJudge(options);\n`;
      await writeFile(file, text);
      const { make } = (await import(pathToFileURL(file).href)) as { make(options: object): unknown };
      expect(refused(() => make({})).where).to.match(/reward\.mjs:3:/);
      const addressed = { addresses: ["localhost:1", "ftp://there"], model: "m" };
      expect(() => make(addressed)).to.throw(/where: addresses\[1\], .*reward\.mjs:3:/);
      const unset = { addresses: ["localhost:1"], model: "m", apiKeyEnv: "NO_SUCH_KEY", env: {} };
      expect(() => make(unset)).to.throw(/fix: +set the variable, or name another one in apiKeyEnv/);
    } finally {
      await rm(dir, { recursive: true });
    }
  });
});
