import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { context, trace } from "@opentelemetry/api";
import { expect } from "chai";
import { ATTRIBUTE, defineErrors, type Tracer, type TracerOptions } from "../../../core/plugin.js";
import { type ReadSpan, readSpans } from "../../../core/tracing/index.js";
import { otelTracer } from "../../../plugins/tracing/index.js";
import { runConformance, tracerConformance, tracerOptions } from "../../../testing/index.js";

describe("plugins/tracing/otel", () => {
  let dir: string;
  beforeEach(async () => {
    dir = await mkdtemp(path.join(tmpdir(), "verl-otel-"));
  });
  afterEach(() => rm(dir, { recursive: true }));
  const file = () => path.join(dir, "traces.jsonl");

  type Over = Partial<Omit<TracerOptions, "trace">> & { readonly trace?: Partial<TracerOptions["trace"]> };

  /** What a run that does this writes. */
  async function spansOf(work: (tracer: Tracer) => Promise<unknown>, { trace: settings, ...over }: Over = {}) {
    const options = tracerOptions(dir);
    const tracer = await otelTracer.create({ ...options, ...over, trace: { ...options.trace, ...settings } });
    try {
      await work(tracer);
    } finally {
      await tracer.finish();
    }
    const spans: ReadSpan[] = [];
    for await (const span of readSpans(file())) spans.push(span);
    return spans;
  }

  runConformance("as a tracer", tracerConformance({ factory: otelTracer }), { describe, it });

  const session = {
    kind: "session",
    name: "agent",
    root: true,
    attributes: { [ATTRIBUTE.step]: 3, "x.own": 1 },
  } as const;

  it("writes exports that OpenTelemetry's collector reads, one a line", async () => {
    await spansOf((tracer) =>
      tracer.span(session, (span) =>
        tracer.span({ kind: "tool", name: "add" }, async () => {
          span.set({ list: ["a", "b"], half: 0.5, yes: true, none: undefined, nan: Number.NaN });
        }),
      ),
    );
    const [line, end] = (await readFile(file(), "utf8")).split("\n");
    expect(end).to.equal("");
    const { resourceSpans } = JSON.parse(line);
    expect(resourceSpans[0].resource.attributes).to.deep.include.members([
      { key: "service.name", value: { stringValue: "verl-ts" } },
      { key: "service.namespace", value: { stringValue: "tests" } },
    ]);
    const { scope, spans } = resourceSpans[0].scopeSpans[0];
    expect(scope.name).to.equal("verl-ts");
    const [tool, agent] = spans;
    expect([tool.name, agent.name]).to.deep.equal(["execute_tool add", "invoke_agent agent"]);
    expect(agent.traceId).to.match(/^[0-9a-f]{32}$/);
    expect(agent.spanId).to.match(/^[0-9a-f]{16}$/);
    expect([tool.traceId, tool.parentSpanId]).to.deep.equal([agent.traceId, agent.spanId]);
    expect(agent).to.not.have.property("parentSpanId");
    expect([agent.kind, agent.status.code]).to.deep.equal([1, 0]);
    expect(agent.startTimeUnixNano).to.match(/^\d{19}$/);
    expect(BigInt(agent.endTimeUnixNano) >= BigInt(agent.startTimeUnixNano)).to.equal(true);
    expect(agent.attributes).to.deep.include.members([
      { key: "verl.step", value: { intValue: "3" } },
      { key: "gen_ai.operation.name", value: { stringValue: "invoke_agent" } },
      { key: "list", value: { arrayValue: { values: [{ stringValue: "a" }, { stringValue: "b" }] } } },
      { key: "half", value: { doubleValue: 0.5 } },
      { key: "yes", value: { boolValue: true } },
      { key: "nan", value: { stringValue: "NaN" } },
    ]);
  });

  it("takes the times of a span that is told of later", async () => {
    const startedAt = Date.now() - 60_000;
    const [span] = await spansOf((tracer) =>
      tracer.span({ kind: "tool", name: "add", startedAt }, async (span) => span.endAt?.(startedAt + 7000.5)),
    );
    expect([span.start, span.end]).to.deep.equal([startedAt, startedAt + 7000.5]);
  });

  it("keeps sessions that run at the same time apart, and says of each span whose it is", async () => {
    const spans = await spansOf((tracer) =>
      Promise.all(
        [0, 1, 2].map((n) =>
          tracer.span({ ...session, attributes: { [ATTRIBUTE.trajectory]: `u_${n}` } }, async () => {
            await new Promise(setImmediate);
            await tracer.span({ kind: "generate", name: "generate" }, () => new Promise(setImmediate));
          }),
        ),
      ),
    );
    const turns = spans.filter(({ name }) => name === "generate");
    expect(turns.map(({ attributes }) => attributes[ATTRIBUTE.trajectory]).sort()).to.deep.equal(["u_0", "u_1", "u_2"]);
    for (const turn of turns) {
      const parent = spans.find(({ spanId }) => spanId === turn.parentSpanId);
      expect(parent?.attributes[ATTRIBUTE.trajectory]).to.equal(turn.attributes[ATTRIBUTE.trajectory]);
    }
  });

  it("a session begins a trace of its own, also within a step", async () => {
    const spans = await spansOf((tracer) =>
      tracer.span({ kind: "step", name: "step", root: true }, () => tracer.span(session, async () => {})),
    );
    expect(new Set(spans.map(({ traceId }) => traceId)).size).to.equal(2);
    expect(spans.map(({ parentSpanId }) => parentSpanId)).to.deep.equal([null, null]);
  });

  it("leaves out sessions that are not traced with everything in them, and goes on after them", async () => {
    const spans = await spansOf(async (tracer) => {
      const inside = () => tracer.span({ kind: "tool", name: "hidden" }, () => Promise.reject(new Error("x")));
      await tracer.span({ ...session, name: "hidden", traced: false }, inside).catch(() => {});
      await tracer.span(session, async () => {});
    });
    expect(spans.map(({ name }) => name)).to.deep.equal(["invoke_agent agent"]);
  });

  it("holds texts where they are wanted alone, and secrets never", async () => {
    const errors = defineErrors({ VERL_X_LOST: { summary: "It is lost." } });
    const work = async (tracer: Tracer) => {
      const texts = { [ATTRIBUTE.promptText]: "my prompt with hunter22", [ATTRIBUTE.arguments]: '{"q": 1}' };
      const failing = tracer.span(session, async (span) => {
        span.set(texts);
        throw errors.VERL_X_LOST({ what: "wrote: my answer" });
      });
      await failing.catch(() => {});
    };
    const env = { SOME_API_KEY: "hunter22" };
    const [silent] = await spansOf(work, { env });
    expect(JSON.stringify(silent)).to.not.match(/my prompt|my answer|hunter22|"q"/);
    expect([silent.isError, silent.attributes[ATTRIBUTE.errorType]]).to.deep.equal([true, "VERL_X_LOST"]);
    const [telling] = await spansOf(work, { env, trace: { token2text: true } });
    expect(telling.attributes[ATTRIBUTE.promptText]).to.equal("my prompt with ********");
    expect(await readFile(file(), "utf8"))
      .to.contain("my answer")
      .and.not.contain("hunter22");
  });

  it("takes in the spans that tools and agents open by OpenTelemetry's API", async () => {
    const spans = await spansOf((tracer) =>
      tracer.span(session, async () => {
        await new Promise((resolve) => setTimeout(resolve));
        trace.getTracer("my-tool").startActiveSpan("fetch the page", (span) => span.end());
      }),
    );
    const own = spans.find(({ name }) => name === "fetch the page");
    expect(own?.parentSpanId).to.equal(spans.find(({ name }) => name === "invoke_agent agent")?.spanId);
  });

  it("writes events and links, without what may be a secret", async () => {
    const elsewhere = { traceId: "a".repeat(32), spanId: "b".repeat(16) };
    const env = { MY_API_KEY: "hunter22" };
    await spansOf(
      (tracer) =>
        tracer.span(session, async (span) => {
          span.addEvent?.({ name: "asked", at: 1e12, attributes: { "my.key": "hunter22", "my.n": 2 } });
          span.addLink?.({ to: elsewhere, attributes: { "my.why": "again" } });
          const own = span.ids?.();
          await tracer.span({ kind: "tool", name: "add" }, async (inner) => {
            if (own) inner.addLink?.({ to: own });
          });
        }),
      { env },
    );
    const lines = (await readFile(file(), "utf8")).trim().split("\n");
    const spans = lines.flatMap((line) => JSON.parse(line).resourceSpans[0].scopeSpans[0].spans as WrittenSpan[]);
    const [root, tool] = ["invoke_agent agent", "execute_tool add"].map((name) => spans.find((s) => s.name === name));
    const text = (key: string, stringValue: string) => ({ key, value: { stringValue } });
    expect(root?.events).to.deep.equal([
      {
        timeUnixNano: "1000000000000000000",
        name: "asked",
        attributes: [text("my.key", "********"), { key: "my.n", value: { intValue: "2" } }],
      },
    ]);
    expect(root?.links).to.deep.equal([{ ...elsewhere, attributes: [text("my.why", "again")] }]);
    expect(tool?.links).to.deep.equal([{ traceId: root?.traceId, spanId: root?.spanId, attributes: [] }]);
  });

  it("leaves nothing behind in the process", async () => {
    await spansOf((tracer) => tracer.span(session, async () => {}));
    const span = trace.getTracer("x").startSpan("after");
    expect(span.isRecording()).to.equal(false);
    expect(context.active()).to.equal(context.active());
  });

  it("a new run begins its file anew, and a resumed one goes on with it", async () => {
    await writeFile(file(), "of another run\n");
    const once = (tracer: Tracer) => tracer.span(session, async () => {});
    expect(await spansOf(once)).to.have.length(1);
    expect(await spansOf(once, { resumed: true })).to.have.length(2);
  });

  it("a file that cannot be written is one warning", async () => {
    const warnings: string[] = [];
    const logger = { ...tracerOptions(dir).logger, warn: (text: string) => void warnings.push(text) };
    await writeFile(path.join(dir, "taken"), "");
    const options = { ...tracerOptions(path.join(dir, "taken", "below")), logger };
    const tracer = await otelTracer.create(options);
    for (let i = 0; i < 3; i++) await tracer.span(session, async () => {});
    await tracer.finish();
    expect(warnings[0]).to.contain("traces cannot be written");
    expect(warnings).to.have.length.at.most(2);
  });

  describe("to an endpoint", () => {
    interface Received {
      readonly url: string;
      readonly headers: http.IncomingHttpHeaders;
      readonly body: string;
    }
    const received: Received[] = [];
    let answer = 200;
    const collector = http.createServer(async (request, response) => {
      let body = "";
      for await (const chunk of request) body += chunk;
      received.push({ url: request.url ?? "", headers: request.headers, body });
      response.writeHead(answer, { "content-type": "application/json" }).end("{}");
    });
    before((done) => void collector.listen(0, "127.0.0.1", done));
    after((done) => void collector.close(done));
    beforeEach(() => {
      received.length = 0;
      answer = 200;
    });
    const endpoint = () => `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;

    it("posts what it writes, with the headers that are named", async () => {
      const headers = { authorization: "Bearer t0ken" };
      const spans = await spansOf((tracer) => tracer.span(session, async () => {}), {
        trace: { endpoint: endpoint(), headers },
      });
      expect(received).to.have.length(1);
      expect(received[0].url).to.equal("/v1/traces");
      expect(received[0].headers).to.deep.include({
        authorization: "Bearer t0ken",
        "content-type": "application/json",
      });
      const [span] = JSON.parse(received[0].body).resourceSpans[0].scopeSpans[0].spans;
      expect(span.spanId).to.equal(spans[0].spanId);
    });

    it("goes on without a collector that refuses or is not there, with a warning", async () => {
      answer = 503;
      for (const address of [`${endpoint()}/custom?key=s3cret`, "http://127.0.0.1:9"]) {
        const warnings: string[] = [];
        const logger = { ...tracerOptions(dir).logger, warn: (text: string) => void warnings.push(text) };
        const spans = await spansOf((tracer) => tracer.span(session, async () => {}), {
          logger,
          trace: { endpoint: address },
        });
        expect(spans).to.have.length(1);
        expect(warnings).to.have.length(2);
        expect(warnings[0]).to.contain("traces cannot be sent");
        expect(warnings[0], "fetch says only that it failed").to.match(
          /it answered 503|\((bad port|connect ECONNREFUSED)/,
        );
        expect(warnings[1]).to.contain("1 spans were not delivered");
        expect(warnings.join()).to.not.contain("s3cret");
      }
    });

    it("refuses an address that is none", async () => {
      for (const address of ["nowhere", "ftp://x", "http://user:pass@x"]) {
        const error = await spansOf(async () => {}, { trace: { endpoint: address } }).catch((e: unknown) => e);
        expect(error).to.have.property("code", "VERL_TRACING_BAD_OPTION");
      }
    });
  });
});

interface WrittenSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly events?: unknown;
  readonly links?: unknown;
}
