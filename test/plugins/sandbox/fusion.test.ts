import http from "node:http";
import type { AddressInfo } from "node:net";
import { expect } from "chai";
import { isVerlError, type SandboxRequest } from "../../../core/plugin.js";
import { fusionSandboxFactory } from "../../../plugins/sandbox/fusion/fusion-sandbox.js";
import { OPTIONS } from "./support.js";

const FINISHED = { status: "Finished", stdout: "", stderr: "", return_code: 0, execution_time: 0.25 };
const SUCCESS = { status: "Success", compile_result: null, run_result: FINISHED, files: {} };
const HELLO: SandboxRequest = { language: "python", code: "print('hello')" };

interface Seen {
  readonly body: Record<string, unknown>;
  readonly authorization?: string;
  readonly path?: string;
}

describe("plugins/sandbox/fusion", () => {
  let server: http.Server;
  let seen: Seen[];
  /** Answers of the service, in order; the last one stays. */
  let answers: (object | number | "hang" | string)[];
  const factory = fusionSandboxFactory([1, 2]);
  const address = (user = "") => `http://${user}127.0.0.1:${(server.address() as AddressInfo).port}/run_code`;

  beforeEach(async () => {
    [seen, answers] = [[], [SUCCESS]];
    server = http.createServer(async (request, response) => {
      let text = "";
      for await (const chunk of request) text += chunk;
      const { authorization } = request.headers;
      seen.push({ body: JSON.parse(text), path: request.url, ...(authorization ? { authorization } : {}) });
      const answer = answers.length > 1 ? answers.shift()! : answers[0];
      if (answer === "hang") return;
      if (typeof answer === "number") response.statusCode = answer;
      if (answer === 302) response.setHeader("location", "http://elsewhere:1/run_code");
      response.end(typeof answer === "object" ? JSON.stringify(answer) : String(answer));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  });
  afterEach(() => {
    server.close();
    server.closeAllConnections();
  });

  /** What a program that was answered so is reported as. The first request is the greeting. */
  const run = async (answer: (typeof answers)[number], request: SandboxRequest = HELLO, signal?: AbortSignal) => {
    const sandbox = await factory.create({ ...OPTIONS, extra: { url: address() } });
    answers = [answer];
    return sandbox.run(request, { signal });
  };
  const failure = async (work: Promise<unknown>) => {
    const error = await work.catch((e: unknown) => e);
    if (isVerlError(error)) return error;
    throw error;
  };

  it("sends a program with its limits, and reads what came out", async () => {
    const ran = { ...FINISHED, stdout: "hello\n", stderr: "warning" };
    const files = { "out.txt": Buffer.from("made").toString("base64") };
    const result = await run(
      { ...SUCCESS, run_result: ran, files },
      { ...HELLO, stdin: "in", files: { a: "b" }, collect: ["out.txt"], limits: { wallMs: 1500, memoryMiB: 128 } },
    );
    expect(seen[1].path).to.equal("/run_code");
    expect(seen[1].body).to.deep.equal({
      compile_timeout: 1.5,
      run_timeout: 1.5,
      memory_limit_MB: 128,
      language: "python",
      code: "print('hello')",
      stdin: "in",
      files: { a: Buffer.from("b").toString("base64") },
      fetch_files: ["out.txt"],
    });
    const { outcome, exitCode, stdout, stderr, wallMs, cpuMs } = result;
    expect({ outcome, exitCode, stdout, stderr, wallMs, cpuMs }).to.deep.equal({
      outcome: "ok",
      exitCode: 0,
      stdout: "hello\n",
      stderr: "warning",
      wallMs: 250,
      cpuMs: null,
    });
    expect(Buffer.from(result.files["out.txt"]).toString()).to.equal("made");
  });

  const failed = (run_result: object | null, compile_result: object | null = null) => ({
    status: "Failed",
    run_result: run_result && { ...FINISHED, ...run_result },
    compile_result: compile_result && { ...FINISHED, ...compile_result },
  });
  const outcomes: [string, object, object][] = [
    ["an exit code", failed({ return_code: 3 }), { outcome: "exit", exitCode: 3 }],
    ["an error without one", failed({ status: "Error", return_code: null }), { outcome: "exit", exitCode: null }],
    [
      "too long a run",
      failed({ status: "TimeLimitExceeded", return_code: null }),
      { outcome: "timeout", exitCode: null },
    ],
    ["a compile error", failed(null, { return_code: 1, stderr: "bad" }), { outcome: "compile-error", stderr: "bad" }],
    ["too long a compilation", failed(null, { status: "TimeLimitExceeded" }), { outcome: "compile-error" }],
    ["a run after a compilation", { ...SUCCESS, compile_result: FINISHED }, { outcome: "ok", exitCode: 0 }],
  ];
  for (const [what, answer, expected] of outcomes) {
    it(`reports ${what}`, async () => expect(await run(answer)).to.include(expected));
  }

  it("cuts output at the limit", async () => {
    const answer = { ...SUCCESS, run_result: { ...FINISHED, stdout: "x".repeat(100) } };
    const { outcome, stdout, truncated } = await run(answer, { ...HELLO, limits: { outputBytes: 10 } });
    expect({ outcome, stdout, cut: truncated.stdout }).to.deep.equal({
      outcome: "output-limit",
      stdout: "x".repeat(10),
      cut: true,
    });
  });

  it("ends the answer of a program that prints without end", async () => {
    const answer = { ...SUCCESS, run_result: { ...FINISHED, stdout: "x".repeat(2 ** 20) } };
    const result = await run(answer, { ...HELLO, limits: { outputBytes: 10, filesMiB: 0.1 } });
    expect(result).to.include({ outcome: "output-limit", stdout: "" });
  });

  it("hands back the files that were asked for, up to the limit", async () => {
    const file = (length: number) => Buffer.alloc(length).toString("base64");
    const files = { a: file(600), b: file(600), c: file(400), stranger: file(1) };
    const request = { ...HELLO, collect: ["a", "b", "c", "missing"], limits: { filesMiB: 1000 / 2 ** 20 } };
    expect(Object.keys((await run({ ...SUCCESS, files }, request)).files)).to.deep.equal(["a", "c"]);
  });

  const broken: [string, object | number | string, RegExp][] = [
    ["an error of its own", { status: "SandboxError", message: "no cgroups" }, /status SandboxError[\s\S]*no cgroups/],
    ["an HTTP error", 500, /answered 500 Internal Server Error/],
    ["an HTTP error's text", 503, /answered 503 Service Unavailable[\s\S]*"503"/],
    ["a redirect", 302, /answered 302 Found, a redirect to "http:\/\/elsewhere:1\/run_code"/],
    ["an error in place of an answer", { error: "over quota" }, /status \(none\)[\s\S]*over quota/],
    ["no JSON", "<html>", /cannot be read/],
    ["nothing about the program", { status: "Success" }, /answered with the status Success/],
    ["an unknown status of the run", { ...SUCCESS, run_result: { status: "Odd" } }, /answered with the status Success/],
    ["no status", {}, /answered with the status \(none\)/],
    ["a list", [], /cannot be read[\s\S]*expected object, received array/],
    ["null", "null", /cannot be read/],
    ["output that is no text", { ...SUCCESS, run_result: { stdout: {} } }, /run_result\.stdout: .*expected string/],
    ["a file that is no text", { ...SUCCESS, files: { a: 5 } }, /files\.a: .*expected string/],
  ];
  for (const [what, answer, words] of broken) {
    it(`is broken, not the program, when it answers with ${what}`, async () => {
      const error = await failure(run(answer));
      expect(error.code).to.equal("VERL_SANDBOX_FAILED");
      expect(error.message).to.match(words);
    });
  }

  it("asks again after a gateway's timeout, twice, and after nothing else", async () => {
    const sandbox = await factory.create({ ...OPTIONS, extra: { url: address() } });
    answers = [504, 504, SUCCESS];
    expect(await sandbox.run(HELLO)).to.include({ outcome: "ok" });
    answers = [504, 504, 504, SUCCESS];
    expect((await failure(sandbox.run(HELLO))).message).to.contain("504");
    answers = [503, SUCCESS];
    expect((await failure(sandbox.run(HELLO))).message).to.contain("503");
    expect(seen).to.have.length(1 + 3 + 3 + 1);
  });

  it("gives up when the caller does", async () => {
    const controller = new AbortController();
    const reason = new Error("stopped");
    const work = run("hang", HELLO, controller.signal).catch((e: unknown) => e);
    setTimeout(() => controller.abort(reason), 20);
    expect(await work).to.equal(reason);
  });

  it("sends credentials of the address as a header, and says them to nobody", async () => {
    const sandbox = await factory.create({ ...OPTIONS, extra: { url: address("user:se%3Acret@") } });
    expect(seen[0].authorization).to.equal(`Basic ${Buffer.from("user:se:cret").toString("base64")}`);
    answers = [500];
    const error = await failure(sandbox.run(HELLO));
    const probe = await factory.probe({ extra: { url: address("user:se%3Acret@") } });
    for (const text of [error.message, JSON.stringify(error), JSON.stringify(probe)]) {
      expect(text).to.not.match(/user|se%3Acret|se:cret/);
    }
  });

  it("says that it cannot be used without an address, with one that is none, and where nobody answers", async () => {
    expect(await factory.probe()).to.deep.equal({ available: false, reason: "reward.sandbox_fusion.url is not set" });
    for (const url of ["run_code", "file:///x", "http://127.0.0.1:1/run_code"]) {
      expect((await factory.probe({ extra: { url } })).available).to.equal(false);
      const error = await failure(Promise.resolve(factory.create({ ...OPTIONS, extra: { url } })));
      expect(error.code).to.equal("VERL_SANDBOX_UNAVAILABLE");
    }
    expect((await factory.probe({ extra: { url: address() } })).available).to.equal(true);
  });

  it("refuses arguments, which the service does not take", async () => {
    expect((await failure(run(SUCCESS, { ...HELLO, argv: ["x"] }))).code).to.equal("VERL_SANDBOX_BAD_REQUEST");
  });
});
