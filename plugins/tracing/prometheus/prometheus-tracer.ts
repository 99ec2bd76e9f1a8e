import { Counter, Histogram, Gauge as PromGauge, Registry, Summary } from "prom-client";
import {
  ATTRIBUTE,
  type Gauge,
  type Span,
  type SpanAttributes,
  type SpanStart,
  type Tracer,
} from "../../../core/plugin.js";
import { LabelCap } from "./label-cap.js";

/** Seconds: from a tool that computes to a session of many turns. */
const SECONDS = [0.005, 0.02, 0.1, 0.5, 1, 2, 5, 10, 30, 60, 300, 1800];
const NO_LABELS: Readonly<Record<string, string>> = {};

/** Counts and times what spans tell. Labels come from names of the run's own parts, and each has at most so many values. */
export class PrometheusTracer implements Tracer {
  readonly wantsText = false;
  readonly promptsPerWorker = null;
  readonly #registry = new Registry();
  readonly #cap = {
    loop: new LabelCap(),
    tool: new LabelCap(),
    scorer: new LabelCap(),
    source: new LabelCap(),
    phase: new LabelCap(),
    reason: new LabelCap(),
  };
  readonly #gauges = new Map<string, PromGauge>();
  #read: (() => readonly Gauge[]) | null = null;

  readonly #inFlight = {
    session: this.#gauge("verl_sessions_in_flight", "Sessions that run."),
    generate: this.#gauge("verl_generate_requests_in_flight", "Turns that the servers are asked for."),
    tool: this.#gauge("verl_tool_calls_in_flight", "Tool calls that run."),
    reward: this.#gauge("verl_rewards_in_flight", "Sessions that wait for their score."),
    score: this.#gauge("verl_scores_in_flight", "Calls of scorers, reward functions and reward models that run."),
    judge: this.#gauge("verl_judge_requests_in_flight", "Requests that judges are asked."),
  };
  readonly #sessions = this.#seconds("verl_session_seconds", "Sessions, by outcome.", ["loop", "split", "outcome"]);
  readonly #turns = this.#seconds("verl_generate_seconds", "Turns of the model.", ["stop_reason"]);
  readonly #promptTokens = this.#counter("verl_prompt_tokens_total", "Tokens of the prompts of all turns.");
  readonly #responseTokens = this.#counter("verl_response_tokens_total", "Tokens that the model wrote.");
  readonly #tools = this.#seconds("verl_tool_call_seconds", "Tool calls, by outcome.", ["tool", "outcome"]);
  readonly #rewards = this.#seconds("verl_reward_seconds", "Scores, by outcome.", ["data_source", "outcome"]);
  readonly #scores = this.#seconds("verl_score_seconds", "Calls of scorers, by outcome.", ["scorer", "outcome"]);
  readonly #judges = this.#seconds("verl_judge_seconds", "Requests to judges, by outcome.", ["outcome"]);
  readonly #values = new Summary({
    name: "verl_reward_score",
    help: "All scores: their sum and number.",
    labelNames: ["data_source"],
    percentiles: [],
    registers: [this.#registry],
  });
  readonly #steps = this.#seconds("verl_step_seconds", "Training steps.");
  readonly #step = this.#gauge("verl_step", "The training step that runs.");
  readonly #phases = this.#counter("verl_phase_seconds_total", "Seconds in parts of a step.", ["phase"]);

  /** `labels`: on every metric. */
  constructor(labels: Readonly<Record<string, string>> = {}) {
    this.#registry.setDefaultLabels({ ...labels });
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  /** All metrics in Prometheus's text form. */
  metrics(): Promise<string> {
    for (const gauge of this.#gauges.values()) gauge.reset();
    for (const { name, help, labels, value } of this.#read?.() ?? []) {
      const gauge = this.#gauges.get(name) ?? this.#gauge(name, help, Object.keys(labels));
      this.#gauges.set(name, gauge);
      gauge.set(labels, value);
    }
    return this.#registry.metrics();
  }

  observe(read: () => readonly Gauge[]): void {
    this.#read = read;
  }

  async span<T>(start: SpanStart, work: (span: Span) => Promise<T>): Promise<T> {
    const { kind } = start;
    const attributes: Record<string, SpanAttributes[string]> = { ...start.attributes };
    const running = kind === "step" || kind === "phase" || kind === "own" ? null : this.#inFlight[kind];
    if (kind === "step") this.#step.set(Number(attributes[ATTRIBUTE.step]));
    running?.inc();
    const began = performance.now();
    let endedAt: number | null = null;
    let failed = true;
    try {
      const result = await work({
        set: (more) => void Object.assign(attributes, more),
        endAt: (time) => {
          endedAt = time;
        },
      });
      failed = false;
      return result;
    } finally {
      running?.dec();
      const { startedAt } = start;
      const took = startedAt === undefined ? performance.now() - began : (endedAt ?? Date.now()) - startedAt;
      this.#count(start, attributes, { seconds: Math.max(0, took) / 1000, failed });
    }
  }

  async finish(): Promise<void> {
    this.#read = null;
    this.#registry.clear();
  }

  #count(
    { kind, name }: SpanStart,
    attributes: SpanAttributes,
    { seconds, failed }: { readonly seconds: number; readonly failed: boolean },
  ): void {
    const outcome = failed ? "error" : String(attributes[ATTRIBUTE.outcome] ?? "ok");
    if (kind === "step") this.#steps.observe(NO_LABELS, seconds);
    if (kind === "phase") this.#phases.inc({ phase: this.#cap.phase.of(name) }, seconds);
    if (kind === "tool") this.#tools.observe({ tool: this.#cap.tool.of(name), outcome }, seconds);
    if (kind === "session") {
      const split = attributes[ATTRIBUTE.validate] === true ? "val" : "train";
      this.#sessions.observe({ loop: this.#cap.loop.of(name), split, outcome }, seconds);
    }
    if (kind === "generate") this.#countTurn(attributes, seconds);
    if (kind === "score") this.#scores.observe({ scorer: this.#cap.scorer.of(name), outcome }, seconds);
    if (kind === "judge") this.#judges.observe({ outcome }, seconds);
    if (kind === "reward") this.#countReward(attributes, outcome, seconds);
  }

  #countTurn(attributes: SpanAttributes, seconds: number): void {
    const [reason] = (attributes[ATTRIBUTE.finishReasons] as readonly string[] | undefined) ?? ["error"];
    this.#promptTokens.inc(NO_LABELS, Number(attributes[ATTRIBUTE.inputTokens] ?? 0));
    this.#responseTokens.inc(NO_LABELS, Number(attributes[ATTRIBUTE.outputTokens] ?? 0));
    this.#turns.observe({ stop_reason: this.#cap.reason.of(reason) }, seconds);
  }

  #countReward(attributes: SpanAttributes, outcome: string, seconds: number): void {
    const source = this.#cap.source.of(attributes[ATTRIBUTE.dataSource]);
    const score = attributes[ATTRIBUTE.score];
    if (typeof score === "number" && Number.isFinite(score)) {
      this.#values.observe({ data_source: source }, score);
    }
    this.#rewards.observe({ data_source: source, outcome }, seconds);
  }

  #gauge(name: string, help: string, labelNames: readonly string[] = []): PromGauge {
    return new PromGauge({ name, help, labelNames: [...labelNames], registers: [this.#registry] });
  }

  #counter(name: string, help: string, labelNames: readonly string[] = []): Counter {
    return new Counter({ name, help, labelNames: [...labelNames], registers: [this.#registry] });
  }

  #seconds(name: string, help: string, labelNames: readonly string[] = []): Histogram {
    return new Histogram({
      name,
      help: `${help} Seconds.`,
      labelNames: [...labelNames],
      buckets: SECONDS,
      registers: [this.#registry],
    });
  }
}
