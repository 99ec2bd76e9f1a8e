import { expect } from "chai";
import fc from "fast-check";
import { truncateToolResponse } from "../../../../core/agent/index.js";

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

  it("is cut between characters, as if it were a list of them", () => {
    const unit = fc.constantFrom("a", "🙂", "\ud83d", "\ude42");
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 30 }), fc.nat(14), (parts, limit) => {
        const whole = parts.join("");
        const points = Array.from(whole);
        const end = (count: number) => points.slice(points.length - count).join("");
        const start = (count: number) => points.slice(0, count).join("");
        const cut = (text: string) => (points.length <= limit ? whole : text);
        const half = Math.floor(limit / 2);
        expect(truncateToolResponse(whole, limit, "left")).to.equal(cut(`(truncated)...${end(limit)}`));
        expect(truncateToolResponse(whole, limit, "right")).to.equal(cut(`${start(limit)}...(truncated)`));
        expect(truncateToolResponse(whole, limit, "middle")).to.equal(
          cut(`${start(half)}...(truncated)...${end(half)}`),
        );
      }),
    );
  });

  it("may be far too long for a list of its characters", () => {
    expect(truncateToolResponse("x".repeat(200_000_000), 4, "middle")).to.equal("xx...(truncated)...xx");
  });
});
