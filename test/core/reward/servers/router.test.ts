import { expect } from "chai";
import { crc32 } from "../../../../core/host/util/crc32.js";
import {
  createJudge,
  type Router,
  type RouterOptions,
  readServer,
  startRouter,
} from "../../../../core/reward/index.js";
import { completion, deadAddress, HttpServer, heldReply } from "./http-server.js";

describe("router over judges", () => {
  const routers: Router[] = [];
  afterEach(() => Promise.all(routers.splice(0).map((router) => router.close())));

  const routerOver = (...addresses: string[]) => routerWith({}, ...addresses);

  async function routerWith(options: Partial<RouterOptions>, ...addresses: string[]) {
    const servers = addresses.map((address) => readServer(address, "test"));
    const router = await startRouter({ servers, waits: [1, 1], ...options });
    routers.push(router);
    return { url: `http://${router.address}`, servers };
  }

  it("passes any path on as it is, with the caller's key, and the answer back", async () => {
    await using server = await HttpServer.start(({ body }) => ({ status: 201, headers: { "x-served-by": "a" }, body }));
    const { url } = await routerOver(server.address);
    const response = await fetch(`${url}/v1/anything?x=1`, {
      method: "POST",
      headers: { authorization: "Bearer mine" },
      body: JSON.stringify({ hello: "world" }),
    });
    expect(response.status).to.equal(201);
    expect(response.headers.get("x-served-by")).to.equal("a");
    expect(await response.json()).to.deep.equal({ hello: "world" });
    expect(server.received[0]).to.include({ path: "/v1/anything?x=1" });
    expect(server.received[0].headers.authorization).to.equal("Bearer mine");
  });

  it("serves OpenAI clients: a judge over the router is one over the servers", async () => {
    await using server = await HttpServer.start(() => completion("yes"));
    const { url } = await routerOver(server.address);
    const judge = createJudge({ addresses: [`${url}/v1`], model: "m" });
    expect((await judge.chat({ messages: [{ role: "user", content: "?" }] })).text).to.equal("yes");
  });

  it("chooses the server with the fewest requests under way, and forgets those that have ended", async () => {
    const { reply, release } = heldReply();
    await using one = await HttpServer.start(reply);
    await using two = await HttpServer.start(reply);
    const { url, servers } = await routerOver(one.address, two.address);
    const requests = Array.from({ length: 4 }, () => fetch(url));
    while (one.received.length + two.received.length < 4) await new Promise(setImmediate);
    expect([one.received.length, two.received.length]).to.deep.equal([2, 2]);
    release();
    await Promise.all((await Promise.all(requests)).map((response) => response.text()));
    while (servers.some(({ open }) => open > 0)) await new Promise(setImmediate);
  });

  it("under full determinism the body picks the server, by its CRC-32, whatever else is under way", async () => {
    const { reply, release } = heldReply();
    await using one = await HttpServer.start(reply);
    await using two = await HttpServer.start(reply);
    const { url } = await routerWith({ fullDeterminism: true }, one.address, two.address);
    const bodies = Array.from({ length: 8 }, (_, i) => JSON.stringify({ n: i }));
    const requests = [...bodies, ...bodies].map((body) => fetch(url, { method: "POST", body }));
    while (one.received.length + two.received.length < 16) await new Promise(setImmediate);
    release();
    await Promise.all(requests);
    const of = (server: HttpServer) => server.received.map(({ body }) => body.n).sort((a, b) => a - b);
    const expected = (n: number) => bodies.flatMap((body, i) => (crc32(Buffer.from(body)) % 2 === n ? [i, i] : []));
    expect([of(one), of(two)]).to.deep.equal([expected(0), expected(1)]);
    expect(of(one)).to.not.have.length(0);
    expect(of(two)).to.not.have.length(0);
  });

  it("under full determinism a server that is gone leaves its requests to another", async () => {
    await using living = await HttpServer.start(() => ({}));
    const { url } = await routerWith({ fullDeterminism: true }, await deadAddress(), living.address);
    for (const body of ["{}", "[]", "1", "2"])
      expect((await fetch(url, { method: "POST", body })).status).to.equal(200);
    expect(living.received).to.have.length(4);
  });

  it("passes refusals on once, and turns to another server when one is gone", async () => {
    await using refusing = await HttpServer.start(() => ({ status: 422, body: { error: "no" } }));
    const { url } = await routerOver(refusing.address);
    const refused = await fetch(url);
    expect(refused.status).to.equal(422);
    expect(await refused.json()).to.deep.equal({ error: "no" });
    expect(refusing.received).to.have.length(1);

    await using living = await HttpServer.start(() => ({}));
    const half = await routerOver(await deadAddress(), living.address);
    half.servers[1].open = 5;
    expect((await fetch(half.url)).status).to.equal(200);

    const dead = await routerOver(await deadAddress());
    expect((await fetch(dead.url)).status).to.equal(502);
    const none = await routerOver();
    const unavailable = await fetch(none.url);
    expect(unavailable.status).to.equal(503);
    expect(await unavailable.json()).to.have.key("error");
  });

  it("is not for web pages, nor for other methods", async () => {
    await using server = await HttpServer.start(() => ({}));
    const { url } = await routerOver(server.address);
    expect((await fetch(url, { headers: { origin: "http://evil.example" } })).status).to.equal(403);
    expect((await fetch(url, { method: "DELETE" })).status).to.equal(405);
    expect(server.received).to.have.length(0);
  });
});
