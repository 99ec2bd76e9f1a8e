import { expect } from "chai";
import { crc32 } from "../../../../core/host/util/crc32.js";
import type { VerlError } from "../../../../core/plugin.js";
import { checkServers, createServerClient, readServer } from "../../../../core/reward/index.js";
import { rejection } from "../../host/support/hosts.js";
import { deadAddress, HttpServer, heldReply } from "./http-server.js";

const quick = { waitMs: () => 1 };
const post = (client: ReturnType<typeof createServerClient>, signal?: AbortSignal) =>
  client.request("POST", "/score", { text: "hello" }, { signal });

describe("client of reward servers", () => {
  it("sends and reads JSON", async () => {
    await using server = await HttpServer.start(({ body }) => ({ body: { got: body } }));
    expect(await post(createServerClient({ addresses: [server.address] }))).to.deep.equal({ got: { text: "hello" } });
    expect(server.received[0]).to.include({ method: "POST", path: "/score" });
  });

  it("under full determinism asks the server that a request's content picks", async () => {
    await using one = await HttpServer.start(() => ({}));
    await using two = await HttpServer.start(() => ({}));
    const servers = [one, two];
    const client = createServerClient({ addresses: servers.map(({ address }) => address), fullDeterminism: true });
    for (let n = 0; n < 8; n++) {
      const body = { n };
      const picked = servers[crc32(Buffer.from(JSON.stringify(body))) % 2];
      const before = picked.received.length;
      await client.request("POST", "/score", body);
      await client.request("POST", "/score", body);
      expect(picked.received.length - before).to.equal(2);
    }
    expect(one.received).to.have.length.within(1, 15);
  });

  it("understands addresses without scheme, with a path, and as OpenAI clients write them", () => {
    expect(readServer("host:8000", "x").base).to.equal("http://host:8000");
    expect(readServer("https://host/judge/", "x").base).to.equal("https://host/judge");
    expect(readServer("https://host/api/v1", "x").base).to.equal("https://host/api");
    expect(readServer("http://[::1]:80/v1/", "x").base).to.equal("http://[::1]");
    expect(() => readServer("ftp://host", "reward.reward_model.addresses")).to.throw("VERL_REWARD_BAD_SERVER");
  });

  it("sends the key of the environment, and says neither it nor an address's password in any error", async () => {
    const key = "sk-very-secret";
    await using server = await HttpServer.start(({ headers }) => ({
      status: 400,
      body: { error: `bad request with ${headers.authorization}` },
    }));
    const client = createServerClient({ addresses: [server.address], apiKeyEnv: "JUDGE_KEY", env: { JUDGE_KEY: key } });
    const error = await rejection(post(client));
    expect(server.received[0].headers.authorization).to.equal(`Bearer ${key}`);
    expect(JSON.stringify(error) + error.message + error.stack).to.not.contain(key);
    const address = server.address.replace("http://", "http://me:hidden@");
    const other = await rejection(post(createServerClient({ addresses: [address] })));
    expect(server.received[1].headers.authorization).to.match(/^Basic /);
    expect(other.message).to.not.contain("hidden");
  });

  it("asks once where it is redirected, and says where to", async () => {
    const location = "http://me:hidden@elsewhere:1/v1?token=hidden";
    await using server = await HttpServer.start(() => ({ status: 302, headers: { location } }));
    const error = await rejection(post(createServerClient({ addresses: [server.address], ...quick })));
    expect(error.code).to.equal("VERL_REWARD_SERVER_FAILED");
    expect(error.message)
      .to.contain('answered 302 Found, a redirect to "http://elsewhere:1/v1"')
      .and.not.contain("hidden");
    expect(server.received).to.have.length(1);
  });

  it("says of an answer that breaks off that there was one", async () => {
    await using server = await HttpServer.start(() => ({ headers: { "content-encoding": "gzip" }, body: "no gzip" }));
    const error = await rejection(post(createServerClient({ addresses: [server.address], maxTries: 2, ...quick })));
    expect(error.code).to.equal("VERL_REWARD_SERVER_FAILED");
    expect(error.message).to.contain("broke off, or is not compressed as it says (the last of 2 attempts)");
  });

  it("refuses a key that is not there, naming the variable", () => {
    const make = () => createServerClient({ addresses: ["host"], apiKeyEnv: "JUDGE_KEY", env: {} });
    expect(make).to.throw("VERL_REWARD_NO_KEY").with.property("message").that.contains("JUDGE_KEY");
  });

  it("tries again after 5xx and 429, and when nobody answers", async () => {
    const statuses = [503, 429, 500, 200];
    await using server = await HttpServer.start(() => ({ status: statuses.shift() }));
    await post(createServerClient({ addresses: [server.address], ...quick }));
    expect(server.received).to.have.length(4);
    const client = createServerClient({ addresses: [await deadAddress()], maxTries: 3, ...quick });
    const error = await rejection(post(client));
    expect(error.code).to.equal("VERL_REWARD_SERVER_UNREACHABLE");
    expect(error.message).to.contain("127.0.0.1").and.contain("the last of 3 attempts").and.contain("ECONNREFUSED");
  });

  it("does not try again after another 4xx, and quotes what the server said", async () => {
    for (const status of [400, 401, 403, 404, 422]) {
      await using server = await HttpServer.start(() => ({ status, body: { error: "no such model" } }));
      const error = await rejection(post(createServerClient({ addresses: [server.address], ...quick })));
      expect(error.code).to.equal("VERL_REWARD_SERVER_FAILED");
      expect(error.message).to.contain(String(status)).and.contain("no such model");
      expect(server.received, String(status)).to.have.length(1);
    }
  });

  it("waits as long as a server asks it to", async () => {
    const statuses = [429, 200];
    const waits: number[] = [];
    await using server = await HttpServer.start(() => ({
      status: statuses.shift(),
      headers: { "retry-after": "0.05" },
    }));
    const waitMs = (attempt: number) => {
      waits.push(attempt);
      return 0;
    };
    const before = performance.now();
    await post(createServerClient({ addresses: [server.address], waitMs }));
    expect(performance.now() - before).to.be.above(45);
    expect(waits).to.deep.equal([2]);
  });

  it("sends requests to the server with the fewest under way, and on to another when one is gone", async () => {
    const { reply, release } = heldReply();
    await using one = await HttpServer.start(reply);
    await using two = await HttpServer.start(reply);
    const client = createServerClient({ addresses: [one.address, two.address] });
    const scoring = Promise.all(Array.from({ length: 6 }, () => post(client)));
    while (one.received.length + two.received.length < 6) await new Promise(setImmediate);
    expect([one.received.length, two.received.length]).to.deep.equal([3, 3]);
    release();
    await scoring;
    expect(client.servers.map(({ open }) => open)).to.deep.equal([0, 0]);

    const failing = createServerClient({ addresses: [await deadAddress(), one.address], ...quick });
    failing.servers[1].open = 5;
    await post(failing);
    expect(one.received).to.have.length(4);
  });

  it("keeps to the number of requests under way", async () => {
    await using server = await HttpServer.start(async () => {
      await new Promise((resolve) => setTimeout(resolve, 2));
      return {};
    });
    const client = createServerClient({ addresses: [server.address], maxConcurrent: 2 });
    await Promise.all(Array.from({ length: 8 }, () => post(client)));
    expect(server.mostOpen).to.be.at.most(2);
  });

  it("ends with the caller's reason, in a request or between two", async () => {
    await using server = await HttpServer.start(() => new Promise(() => {}));
    const reason = new Error("too late");
    const inside = new AbortController();
    const asking = post(createServerClient({ addresses: [server.address] }), inside.signal).catch((e: unknown) => e);
    while (server.received.length === 0) await new Promise(setImmediate);
    inside.abort(reason);
    expect(await asking).to.equal(reason);
    const between = new AbortController();
    const dead = createServerClient({ addresses: [await deadAddress()], waitMs: () => 60_000 });
    const waiting = post(dead, between.signal).catch((e: unknown) => e);
    setTimeout(() => between.abort(reason), 20);
    expect(await waiting).to.equal(reason);
  });

  it("refuses answers that are no JSON", async () => {
    await using server = await HttpServer.start(() => ({ body: "<html>" }));
    const error = await rejection(post(createServerClient({ addresses: [server.address], ...quick })));
    expect(error.message).to.contain("is no JSON");
    expect(server.received).to.have.length(1);
  });

  describe("before a run", () => {
    const check = (address: string, model = "judge") =>
      checkServers(createServerClient({ addresses: [address], where: "reward.reward_model" }), model).then(
        () => null,
        (error: VerlError) => error,
      );

    it("accepts a server that lists the model, and one that lists none", async () => {
      await using lists = await HttpServer.start(() => ({ body: { data: [{ id: "judge" }] } }));
      expect(await check(lists.address)).to.equal(null);
      expect(lists.received[0]).to.include({ method: "GET", path: "/v1/models" });
      await using none = await HttpServer.start(() => ({ status: 404 }));
      expect(await check(none.address)).to.equal(null);
    });

    it("names an address at which nobody answers, a model that is not served, and a key that is refused", async () => {
      const dead = await deadAddress();
      const gone = await check(dead);
      expect(gone?.code).to.equal("VERL_REWARD_SERVER_UNREACHABLE");
      expect(gone?.message).to.contain(new URL(dead).host);
      await using other = await HttpServer.start(() => ({ body: { data: [{ id: "qwen" }] } }));
      expect((await check(other.address))?.message)
        .to.contain("does not serve the model judge")
        .and.contain("qwen");
      await using closed = await HttpServer.start(() => ({ status: 401 }));
      expect((await check(closed.address))?.message)
        .to.contain("401")
        .and.contain("api_key_env");
    });
  });
});
