import { mkdtemp, readFile, rm } from "node:fs/promises";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import { ATTRIBUTE, type Gauge, type SpanKind, type Tracer, type TracerOptions } from "../../../core/plugin.js";
import { prometheusTracer } from "../../../plugins/tracing/index.js";
import { runConformance, tracerConformance, tracerOptions } from "../../../testing/index.js";

describe("plugins/tracing/prometheus", () => {
  let dir: string;
  beforeEach(async () => {
    dir = await mkdtemp(path.join(tmpdir(), "verl-prometheus-"));
  });
  afterEach(() => rm(dir, { recursive: true }));

  runConformance("as a tracer", tracerConformance({ factory: prometheusTracer }), { describe, it });

  interface Opened extends AsyncDisposable {
    readonly tracer: Tracer;
    readonly address: string;
    readonly warnings: readonly string[];
    /** Values by name and labels. */
    scrape(): Promise<Readonly<Record<string, number>>>;
  }

  async function open(prometheus: Partial<TracerOptions["prometheus"]> = {}): Promise<Opened> {
    const lines: string[] = [];
    const warnings: string[] = [];
    const logger = {
      ...tracerOptions(dir).logger,
      info: (text: string) => void lines.push(text),
      warn: (text: string) => void warnings.push(text),
    };
    const tracer = await prometheusTracer.create({
      ...tracerOptions(dir),
      logger,
      prometheus: { port: 0, file: null, servedModelName: null, ...prometheus },
    });
    const address = /http:\/\/(127\.0\.0\.1:\d+)\/metrics/.exec(lines.join("\n"))?.[1] ?? "";
    return {
      ...{ tracer, address, warnings },
      async scrape() {
        const response = await fetch(`http://${address}/metrics`);
        expect(response.headers.get("content-type")).to.match(/^text\/plain; version=0\.0\.4/);
        const values = (await response.text())
          .split("\n")
          .filter((line) => line !== "" && !line.startsWith("#"))
          .map(
            (line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.slice(line.lastIndexOf(" ") + 1))] as const,
          );
        return Object.fromEntries(values);
      },
      [Symbol.asyncDispose]: () => tracer.finish(),
    };
  }

  const span = (tracer: Tracer, kind: SpanKind, name: string, attributes: Record<string, string | number | boolean>) =>
    tracer.span({ kind, name }, async (of) => of.set(attributes));

  it("answers a real client with what sessions, turns, calls, rewards and steps came to", async () => {
    await using opened = await open();
    const { tracer } = opened;
    await tracer.span({ kind: "step", name: "step", attributes: { [ATTRIBUTE.step]: 4 } }, async () => {
      await span(tracer, "phase", "gen", {});
      const attributes = { [ATTRIBUTE.validate]: true };
      await tracer.span({ kind: "session", name: "tool_agent", attributes }, async (session) => {
        await tracer.span({ kind: "generate", name: "generate" }, async (turn) =>
          turn.set({
            [ATTRIBUTE.inputTokens]: 30,
            [ATTRIBUTE.outputTokens]: 12,
            [ATTRIBUTE.finishReasons]: ["stop"],
          }),
        );
        await span(tracer, "tool", "add", { [ATTRIBUTE.outcome]: "timeout" });
        for (const score of [0.5, -1]) {
          const of = { [ATTRIBUTE.dataSource]: "gsm8k", [ATTRIBUTE.outcome]: "scored", [ATTRIBUTE.score]: score };
          await span(tracer, "reward", "reward", of);
          await span(tracer, "score", "function", { [ATTRIBUTE.outcome]: "scored", [ATTRIBUTE.score]: score });
        }
        await span(tracer, "judge", "judge", {});
        expect(await opened.scrape()).to.include({ verl_sessions_in_flight: 1, verl_generate_requests_in_flight: 0 });
        session.set({ [ATTRIBUTE.outcome]: "scored" });
      });
      await tracer.span({ kind: "session", name: "lost" }, () => Promise.reject(new Error("x"))).catch(() => {});
    });
    expect(await opened.scrape()).to.include({
      verl_step: 4,
      verl_step_seconds_count: 1,
      verl_sessions_in_flight: 0,
      'verl_session_seconds_count{loop="tool_agent",split="val",outcome="scored"}': 1,
      'verl_session_seconds_count{loop="lost",split="train",outcome="error"}': 1,
      'verl_generate_seconds_count{stop_reason="stop"}': 1,
      verl_prompt_tokens_total: 30,
      verl_response_tokens_total: 12,
      'verl_tool_call_seconds_count{tool="add",outcome="timeout"}': 1,
      'verl_reward_seconds_count{data_source="gsm8k",outcome="scored"}': 2,
      'verl_score_seconds_count{scorer="function",outcome="scored"}': 2,
      'verl_judge_seconds_count{outcome="ok"}': 1,
      'verl_reward_score_sum{data_source="gsm8k"}': -0.5,
      'verl_reward_score_count{data_source="gsm8k"}': 2,
    });
  });

  it("says whose model it is, by the last part of its path or id, where one is named", async () => {
    for (const servedModelName of ["Qwen/Qwen3-0.6B", "/models/Qwen3-0.6B/"]) {
      await using opened = await open({ servedModelName });
      await opened.tracer.span({ kind: "generate", name: "generate" }, async () => {});
      expect(await opened.scrape()).to.include({
        'verl_generate_seconds_count{model_name="Qwen3-0.6B",stop_reason="error"}': 1,
        'verl_step{model_name="Qwen3-0.6B"}': 0,
      });
    }
  });

  it("takes the times of a span that is told of later", async () => {
    await using opened = await open();
    const startedAt = Date.now() - 60_000;
    const tool = { kind: "tool", name: "add", startedAt } as const;
    await opened.tracer.span(tool, async (span) => span.endAt?.(startedAt + 7000));
    expect(await opened.scrape()).to.include({ 'verl_tool_call_seconds_sum{tool="add",outcome="ok"}': 7 });
  });

  it("reads what can be read at any time when it is asked", async () => {
    await using opened = await open();
    let gauges: Gauge[] = [
      { name: "verl_replica_requests_in_flight", help: "h", labels: { replica: "0" }, value: 3 },
      { name: "verl_sessions_waiting", help: "h", labels: { waits_for: "reward" }, value: 2 },
    ];
    opened.tracer.observe?.(() => gauges);
    expect(await opened.scrape()).to.include({
      'verl_replica_requests_in_flight{replica="0"}': 3,
      'verl_sessions_waiting{waits_for="reward"}': 2,
    });
    gauges = gauges.slice(0, 1);
    expect(await opened.scrape()).to.not.have.property('verl_sessions_waiting{waits_for="reward"}');
  });

  it("bounds the values of labels", async () => {
    await using opened = await open();
    for (let i = 0; i < 200; i++) await span(opened.tracer, "tool", `tool ${i}`, {});
    const values = await opened.scrape();
    const counts = Object.entries(values).filter(([name]) => name.startsWith("verl_tool_call_seconds_count"));
    expect(counts).to.have.length(51);
    expect(values['verl_tool_call_seconds_count{tool="other",outcome="ok"}']).to.equal(150);
  });

  it("answers this machine alone, for metrics alone", async () => {
    await using opened = await open();
    const ask = (method: string, path: string, host = opened.address) =>
      new Promise<number | undefined>((resolve, reject) => {
        const [hostname, port] = opened.address.split(":");
        const request = http.request({ hostname, port, path, method, headers: { host } }, (response) => {
          response.resume();
          resolve(response.statusCode);
        });
        request.on("error", reject).end();
      });
    expect(await ask("GET", "/metrics")).to.equal(200);
    expect(await ask("GET", "/metrics", "evil.example")).to.equal(403);
    expect(await ask("GET", "/")).to.equal(404);
    expect(await ask("POST", "/metrics")).to.equal(405);
  });

  it("a port that is taken is a warning, and the run goes on", async () => {
    const other = http.createServer();
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    try {
      await using opened = await open({ port: (other.address() as AddressInfo).port });
      const { port } = other.address() as AddressInfo;
      expect(opened.warnings.join()).to.match(/VERL_TRACING_LISTEN: metrics for Prometheus are not served/);
      expect(opened.warnings.join()).to.match(new RegExp(`listens on port ${port} \\(EADDRINUSE\\)`));
      expect(opened.warnings.join()).to.match(/rollout\.prometheus\.port to another one, or to 0/);
      expect(await opened.tracer.span({ kind: "step", name: "step" }, async () => 7)).to.equal(7);
    } finally {
      other.close();
    }
  });

  it("writes a scrape configuration that leads to it", async () => {
    await using opened = await open({ file: "prometheus/prometheus.yml" });
    const text = await readFile(path.join(dir, "prometheus", "prometheus.yml"), "utf8");
    expect(text).to.contain("scrape_interval: 10s").and.contain(`- targets: ["${opened.address}"]`);
  });

  it("answers nobody after the run's end", async () => {
    const opened = await open();
    await opened.tracer.finish();
    expect(await fetch(`http://${opened.address}/metrics`).catch(() => "refused")).to.equal("refused");
  });
});
