import { expect } from "chai";
import { truncateToolResponse } from "../../../core/agent/index.js";

describe("T8: a tool response of more characters than the limit", () => {
  const text = "0123456789ABCDEF";

  it("keeps its start when it is cut on the right", () => {
    expect(truncateToolResponse(text, 10, "right")).to.equal("0123456789...(truncated)");
  });

  it("keeps its end when it is cut on the left", () => {
    expect(truncateToolResponse(text, 10, "left")).to.equal("(truncated)...6789ABCDEF");
  });

  it("keeps half of both in the middle", () => {
    expect(truncateToolResponse(text, 10, "middle")).to.equal("01234...(truncated)...BCDEF");
  });

  it("is counted in characters, not in tokens or UTF-16 units", () => {
    expect(truncateToolResponse("🙂".repeat(10), 10, "right")).to.equal("🙂".repeat(10));
  });
});
