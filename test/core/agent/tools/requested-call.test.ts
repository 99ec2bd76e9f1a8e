import { expect } from "chai";
import { requestedCalls } from "../../../../core/agent/index.js";

describe("core/agent/tools requestedCalls", () => {
  it("puts malformed calls into their places", () => {
    const calls = ["a", "b", "c"].map((name) => ({ name, arguments: "{}" }));
    const errors = [0, 2, 3].map((index) => ({ index, name: `bad${index}`, message: "wrong", text: "{" }));
    const requested = requestedCalls({ content: "", reasoning: null, calls, errors });
    expect(requested.map(({ name }) => name)).to.deep.equal(["bad0", "a", "bad2", "bad3", "b", "c"]);
    expect(requested.filter(({ problem }) => problem !== null)).to.have.length(3);
  });
});
