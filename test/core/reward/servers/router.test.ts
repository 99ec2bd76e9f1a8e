import { expect } from "chai";
import { createJudge, type Router, readServer, startRouter } from "../../../../core/reward/index.js";
import { completion, deadAddress, HttpServer, heldReply } from "./http-server.js";

describe("router over judges", () => {
  const routers: Router[] = [];
  afterEach(() => Promise.all(routers.splice(0).map((router) => router.close())));

  async function routerOver(...addresses: string[]) {
    const servers = addresses.map((address) => readServer(address, "test"));
    const router = await startRouter({ servers, waits: [1, 1] });
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
