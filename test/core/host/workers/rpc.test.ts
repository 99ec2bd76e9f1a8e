import { expect } from "chai";
import { defineErrors, type RpcMethods, rpcClient, serveRpc } from "../../../../core/host/index.js";
import { channelPair } from "../support/channel-pair.js";
import { rejection } from "../support/hosts.js";

const errors = defineErrors({
  VERL_TEST_LOST: { summary: "The other side ended." },
  VERL_TEST_BAD: { summary: "It went wrong.", fix: "Try again." },
});

describe("core/host calls over a channel", () => {
  const open: { close(): void }[] = [];
  afterEach(() => {
    for (const channel of open.splice(0)) channel.close();
  });

  function connected(methods: RpcMethods) {
    const { near, far } = channelPair();
    open.push(near, far);
    serveRpc(far, methods, "VERL_TEST_BAD");
    return { far, client: rpcClient(near, "rank 3", (what) => errors.VERL_TEST_LOST({ what })) };
  }

  it("carry arguments and results, several at once and in any order", async () => {
    const waiting: (() => void)[] = [];
    const { client } = connected({
      async double(values: Float32Array) {
        const turn = new Promise<void>((resolve) => waiting.push(resolve));
        if (waiting.length === 3) for (const resolve of waiting.reverse()) resolve();
        await turn;
        return new Map([["doubled", values.map((x) => 2 * x)]]);
      },
    });
    const results = await Promise.all([1, 2, 3].map((x) => client.call("double", Float32Array.of(x))));
    expect(results).to.deep.equal([2, 4, 6].map((x) => new Map([["doubled", Float32Array.of(x)]])));
  });

  it("carry coded errors with the place where they arose", async () => {
    const { client } = connected({
      async fail() {
        throw errors.VERL_TEST_BAD({ what: "no such tensor", where: "layer 2", data: { layer: 2 } });
      },
    });
    const error = await rejection(client.call("fail", null));
    expect(error.toJSON()).to.deep.equal({
      code: "VERL_TEST_BAD",
      what: "rank 3: no such tensor",
      where: "layer 2",
      why: undefined,
      fix: "Try again.",
      data: { layer: 2 },
    });
  });

  it("give other errors the code of the server", async () => {
    const { client } = connected({
      async fail() {
        throw new TypeError("x is not a function");
      },
    });
    const error = await rejection(client.call("fail", null));
    expect(error.code).to.equal("VERL_TEST_BAD");
    // Which of its frames is the first is the engine's to say; the file is this one.
    expect(error.what).to.match(/^rank 3: x is not a function \(at .*rpc\.test\.[jt]s:\d+:\d+\)+$/);
  });

  it("abort the work on the other side, wait until it has stopped, and reject with the reason", async () => {
    let stopped = false;
    const controller = new AbortController();
    const reason = new Error("enough");
    const { client } = connected({
      async work(_: null, { signal }) {
        setImmediate(() => controller.abort(reason));
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
        stopped = true;
        throw signal.reason;
      },
    });
    const error = await client.call("work", null, { signal: controller.signal }).catch((e) => e);
    expect(error).to.equal(reason);
    expect(stopped).to.equal(true);
  });

  it("are not made once aborted", async () => {
    const { client } = connected({});
    const reason = new Error("enough");
    expect(await client.call("any", null, { signal: AbortSignal.abort(reason) }).catch((e) => e)).to.equal(reason);
  });

  it("reject when the other side ends, those under way and those to come", async () => {
    const { client, far } = connected({
      async end() {
        far.close();
        await new Promise(() => {});
      },
    });
    const [first, second] = [client.call("end", null), client.call("end", null)];
    expect((await rejection(first)).code).to.equal("VERL_TEST_LOST");
    expect((await rejection(second)).what).to.equal("the line was closed");
    expect((await rejection(client.call("end", null))).code).to.equal("VERL_TEST_LOST");
  });
});
