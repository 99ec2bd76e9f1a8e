import { expect } from "chai";
import fc from "fast-check";
import { createLoadBalancer } from "../../../core/rollout/index.js";
import { fakeReplica } from "./fake-replica.js";

const pool = (count: number, options = {}) => {
  const balancer = createLoadBalancer(options);
  for (let rank = 0; rank < count; rank++) balancer.add(fakeReplica(rank));
  return balancer;
};

describe("load balancer", () => {
  it("sends new requests to the server with the fewest in flight, the first registered on ties", () => {
    const balancer = pool(3);
    const order = ["a", "b", "c", "d"].map((id) => balancer.acquire(id).address);
    expect(order).to.deep.equal(["fake:0", "fake:1", "fake:2", "fake:0"]);
    balancer.release("fake:1");
    expect(balancer.acquire("e").address).to.equal("fake:1");
  });

  it("keeps a request id on its server, however busy that server is", () => {
    const balancer = pool(2);
    const first = balancer.acquire("a").address;
    for (let i = 0; i < 5; i++) expect(balancer.acquire("a").address).to.equal(first);
  });

  it("counts open requests, not assignments", () => {
    const balancer = pool(2);
    for (let i = 0; i < 10; i++) balancer.release(balancer.acquire(`short-${i}`).address);
    expect(balancer.acquire("next").address).to.equal("fake:0");
  });

  it("forgets the least recently used route beyond its capacity", () => {
    const balancer = pool(2, { stickyCapacity: 2 });
    balancer.acquire("a"); // 0
    balancer.acquire("b"); // 1
    balancer.acquire("a"); // 0, now the most recent
    balancer.acquire("c"); // 1, pushes b out
    expect(balancer.clearSticky()).to.equal(2);
    balancer.acquire("a");
    expect(balancer.clearSticky()).to.equal(1);
  });

  it("routes again when the server of a request is gone", () => {
    const balancer = pool(2);
    expect(balancer.acquire("a").address).to.equal("fake:0");
    balancer.remove("fake:0");
    expect(balancer.size).to.equal(1);
    expect(balancer.acquire("a").address).to.equal("fake:1");
  });

  it("starts a server that comes back without requests in flight", () => {
    const balancer = pool(2);
    for (const id of ["a", "b", "c", "d"]) balancer.acquire(id);
    balancer.remove("fake:0");
    balancer.add(fakeReplica(0));
    expect(balancer.acquire("e").address).to.equal("fake:0");
    expect(balancer.acquire("f").address).to.equal("fake:0");
  });

  it("ignores releases of unknown addresses and never counts below zero", () => {
    const balancer = pool(2);
    balancer.release("nowhere");
    balancer.release("fake:0");
    balancer.release("fake:0");
    expect(["a", "b", "c"].map((id) => balancer.acquire(id).address)).to.deep.equal(["fake:0", "fake:1", "fake:0"]);
  });

  it("chooses by the request id alone under full determinism", () => {
    const one = pool(4, { fullDeterminism: true });
    const other = pool(4, { fullDeterminism: true });
    const ids = Array.from({ length: 50 }, (_, i) => `uid${i}_0`);
    const there = ids.map((id) => one.acquire(id).address);
    const back = [...ids].reverse().map((id) => other.acquire(id).address);
    expect(back.reverse()).to.deep.equal(there);
    expect(new Set(there).size).to.equal(4);
  });

  it("says that no server is there", () => {
    expect(() => createLoadBalancer().acquire("a")).to.throw("VERL_ROLLOUT_NO_SERVER");
  });

  it("refuses two servers with one address, and accepts the same server twice", () => {
    const balancer = createLoadBalancer();
    const replica = fakeReplica(0);
    balancer.add(replica);
    balancer.add(replica);
    expect(balancer.size).to.equal(1);
    expect(() => balancer.add(fakeReplica(1, { address: "fake:0" }))).to.throw("VERL_ROLLOUT_DUPLICATE_ADDRESS");
    expect(() => balancer.add(fakeReplica(2, { address: "" }))).to.throw("VERL_ROLLOUT_NO_ADDRESS");
  });

  it("differs by at most one between servers when every request is new and stays open", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 6 }), fc.integer({ min: 0, max: 40 }), (servers, requests) => {
        const balancer = pool(servers);
        const load = new Map<string, number>();
        for (let i = 0; i < requests; i++) {
          const { address } = balancer.acquire(`r${i}`);
          load.set(address, (load.get(address) ?? 0) + 1);
        }
        const counts = Array.from({ length: servers }, (_, rank) => load.get(`fake:${rank}`) ?? 0);
        expect(Math.max(...counts) - Math.min(...counts)).to.be.at.most(1);
      }),
      { numRuns: 30 },
    );
  });
});
