import { expect } from "chai";
import { functionTool } from "../../../../core/agent/index.js";
import { callerPlace, firstFrame, reasonAndPlace } from "../../../../core/host/error-place.js";
import { isA, isVerlError, reasonOf } from "../../../../core/host/errors.js";
import { pluginErrors } from "../../../../core/host/index.js";

const refuse = () => {
  throw new Error("no look");
};
const proxy = new Proxy({}, { get: refuse, getPrototypeOf: refuse, ownKeys: refuse });
const trap = Object.defineProperty(new Error("x"), "message", { get: refuse });
const noStack = Object.defineProperty(new Error("x"), "stack", { get: refuse });
const circle: Record<string, unknown> = {};
circle.self = circle;

describe("what user code throws", () => {
  for (const [name, value, reason] of [
    ["null", null, "null"],
    ["undefined", undefined, "undefined"],
    ["a text", "no model", "no model"],
    ["a symbol", Symbol("s"), "Symbol(s)"],
    ["an error without a message", new TypeError(), "TypeError"],
    ["an object with a message", { message: "from elsewhere" }, "from elsewhere"],
    ["an object without one", { code: 5 }, '{"code":5}'],
    ["an object without a prototype", Object.create(null), "{}"],
    ["a circle", circle, "something was thrown that cannot be printed"],
    ["a proxy that refuses", proxy, "something was thrown that cannot be printed"],
    ["an error whose message throws", trap, "something was thrown that cannot be printed"],
    ["an error whose stack throws", noStack, "x"],
  ] as const) {
    it(`has a text, whatever it is: ${name}`, () => {
      expect(reasonOf(value)).to.equal(reason);
      expect(reasonAndPlace(value)).to.match(/./);
      expect([isVerlError(value), isA(value, RangeError)]).to.deep.equal([false, false]);
    });
  }

  it("is cut where it is long", () => {
    expect(reasonOf(new Error("a".repeat(1e6))).length).to.be.lessThan(11_000);
  });

  it("has a place where it has a stack", () => {
    expect(firstFrame(new Error("x"))).to.contain("thrown.test");
    expect(firstFrame(proxy)).to.equal(null);
  });

  it("is placed at the user's line, where it was ours that threw on its behalf", () => {
    let thrown: unknown;
    try {
      functionTool(() => "", {} as never);
    } catch (error) {
      thrown = error;
    }
    expect(firstFrame(thrown)).to.contain("thrown.test");
    expect(firstFrame(pluginErrors.VERL_USER_UNHANDLED({ what: "x" }))).to.contain("thrown.test");
    expect(callerPlace()).to.contain("thrown.test");
  });

  it("is placed at the user's line where stacks name sources, too", () => {
    const source = new URL("../../../../core/host/errors.ts", import.meta.url).pathname;
    const frames = ["factory.<computed>", "deliver"].map((name) => `    at ${name} (${source}:3:5)`);
    const stack = ["Error: x", ...frames, "    at run (/home/user/manager.ts:9:1)"].join("\n");
    expect(firstFrame(Object.assign(new Error("x"), { stack }))).to.equal("run (/home/user/manager.ts:9:1)");
  });

  it("is placed at ours where there is nobody else", () => {
    const here = new URL("../../../../core/host/workers/rpc.js", import.meta.url).href;
    const error = Object.assign(new Error("x"), {
      stack: `Error: x\n    at serve (${here}:3:5)\n    at node:internal`,
    });
    expect(firstFrame(error)).to.equal(`serve (${here}:3:5)`);
  });
});
