import { expect } from "chai";
import { BoundedCache } from "../../../../core/data/media/bounded-cache.js";

describe("core/data/media/bounded-cache", () => {
  it("lets go of what was not used for longest", () => {
    const cache = new BoundedCache<number>(10, (size) => size);
    cache.set("a", 4);
    cache.set("b", 4);
    cache.get("a");
    cache.set("c", 4);
    expect([cache.get("a"), cache.get("b"), cache.get("c")]).to.deep.equal([4, undefined, 4]);
  });

  it("counts a value that takes the place of another once, and does not keep one that is too large", () => {
    const cache = new BoundedCache<number>(10, (size) => size);
    cache.set("a", 9);
    cache.set("a", 3);
    cache.set("b", 7);
    expect([cache.get("a"), cache.get("b")]).to.deep.equal([3, 7]);
    cache.set("c", 11);
    expect(cache.get("c")).to.equal(undefined);
  });
});
