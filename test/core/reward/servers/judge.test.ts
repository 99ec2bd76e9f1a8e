import { expect } from "chai";
import { type DeadlineExceeded, withDeadline } from "../../../../core/reward/deadline.js";
import { createJudge, MergedCalls } from "../../../../core/reward/index.js";
import { rejection } from "../../host/support/hosts.js";
import { completion, HttpServer } from "./http-server.js";

const ask = (content: string) => ({ messages: [{ role: "user", content }] });

describe("judge", () => {
  it("asks an OpenAI-compatible server and reads the first choice", async () => {
    await using server = await HttpServer.start(() => completion("8/10"));
    const judge = createJudge({ addresses: [`${server.address}/v1`], model: "judge" });
    const answer = await judge.chat({ ...ask("Rate this."), temperature: 0, max_tokens: 4 });
    expect(answer).to.deep.include({ text: "8/10", finishReason: "stop" });
    expect(answer.response.id).to.equal("c1");
    expect(server.received[0]).to.deep.include({
      path: "/v1/chat/completions",
      body: { model: "judge", messages: [{ role: "user", content: "Rate this." }], temperature: 0, max_tokens: 4 },
    });
  });

  it("takes a choice without content for an empty text, and refuses an answer without choices", async () => {
    await using silent = await HttpServer.start(() => completion(null));
    expect((await createJudge({ addresses: [silent.address], model: "m" }).chat(ask("?"))).text).to.equal("");
    await using other = await HttpServer.start(() => ({ body: { data: [] } }));
    const error = await rejection(createJudge({ addresses: [other.address], model: "m" }).chat(ask("?")));
    expect(error.code).to.equal("VERL_REWARD_SERVER_FAILED");
  });

  it("says what the server says of an error in an answer without choices, never the key", async () => {
    const key = "sk-very-secret";
    await using server = await HttpServer.start(() => ({ body: { error: { message: `over quota of ${key}` } } }));
    const options = { addresses: [server.address], model: "m", apiKeyEnv: "K", env: { K: key } };
    const error = await rejection(createJudge(options).chat(ask("?")));
    expect(error.message).to.contain('the server says "over quota of ***"');
  });

  it("tells each deadline of merged requests what was waited for", async () => {
    await using server = await HttpServer.start(() => ({ status: 429 }));
    const judge = createJudge({ addresses: [server.address], model: "m", maxTries: 1000, waitMs: () => 5 });
    const late = [1, 2].map(() =>
      withDeadline(150, async (signal) => judge.chat(ask("?"), { signal })).then(
        () => "an answer",
        (error: DeadlineExceeded) => error.waitedFor,
      ),
    );
    for (const waitedFor of await Promise.all(late)) expect(waitedFor).to.match(/127\.0\.0\.1:\d+: 429, \d+ tr/);
  });

  it("sends equal requests that are under way once, unless told otherwise", async () => {
    await using server = await HttpServer.start(({ body }) => completion(body.messages[0].content));
    const judge = createJudge({ addresses: [server.address], model: "m" });
    const answers = await Promise.all(["a", "a", "b", "a"].map((text) => judge.chat(ask(text))));
    expect(answers.map(({ text }) => text)).to.deep.equal(["a", "a", "b", "a"]);
    expect(server.received).to.have.length(2);
    await judge.chat(ask("a"));
    expect(server.received, "nothing is kept").to.have.length(3);
    const plain = createJudge({ addresses: [server.address], model: "m", mergeRequests: false });
    await Promise.all([plain.chat(ask("a")), plain.chat(ask("a"))]);
    expect(server.received).to.have.length(5);
  });
});

describe("merged calls", () => {
  it("leave the others their call when one caller gives up, and end it when all have", async () => {
    const calls = new MergedCalls<string>();
    const signals: AbortSignal[] = [];
    let finish = (_: string) => {};
    const call = (signal: AbortSignal) => {
      signals.push(signal);
      return new Promise<string>((resolve, reject) => {
        finish = resolve;
        signal.addEventListener("abort", () => reject(signal.reason));
      });
    };
    const [one, two] = [new AbortController(), new AbortController()];
    const first = calls.run("k", call, { signal: one.signal }).catch((e: unknown) => e);
    const second = calls.run("k", call, { signal: two.signal });
    one.abort("gone");
    expect(await first).to.equal("gone");
    finish("done");
    expect(await second).to.equal("done");
    expect(signals).to.have.length(1);

    const three = new AbortController();
    const third = calls.run("k", call, { signal: three.signal }).catch((e: unknown) => e);
    three.abort("all gone");
    expect(await third).to.equal("all gone");
    expect(signals[1].aborted).to.equal(true);
    const fourth = calls.run("k", call);
    finish("anew");
    expect(await fourth).to.equal("anew");
  });

  it("pass an error to everybody", async () => {
    const calls = new MergedCalls<string>();
    const fail = async () => {
      throw new Error("no judge");
    };
    const errors = await Promise.all([1, 2].map(() => calls.run("k", fail).catch((e: Error) => e.message)));
    expect(errors).to.deep.equal(["no judge", "no judge"]);
  });
});
