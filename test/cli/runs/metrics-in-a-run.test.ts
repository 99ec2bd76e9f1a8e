import type { ChildProcess } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { verl } from "../../core/trainer/support/child.js";
import { ECHO, LETTER_CALLS, writeLetters } from "../../core/trainer/support/letter-calls.js";
import { ToyFolder } from "../../core/trainer/support/toy-run.js";
import { TOY_OVERRIDES } from "../../core/trainer/support/toy-task.js";

const rollout = "actor_rollout_ref.rollout";
const TOOLS = `export const echo = {
  name: "echo",
  schema: { type: "function", function: { name: "echo", parameters: { type: "object" } } },
  execute: () => ({ text: "k" }),
};`;

interface Sample {
  readonly name: string;
  readonly labels: ReadonlyMap<string, string>;
  readonly value: number;
}

interface Family {
  readonly type: string;
  readonly samples: Sample[];
}

const SUFFIXES: Readonly<Record<string, readonly string[]>> = {
  histogram: ["_bucket", "_sum", "_count"],
  summary: ["", "_sum", "_count"],
};

/** Prometheus' text format, read as strictly as its specification has it. */
function parse(text: string): ReadonlyMap<string, Family> {
  expect(text.endsWith("\n")).to.equal(true);
  const families = new Map<string, Family>();
  const helped = new Set<string>();
  let current = "";
  for (const line of text.split("\n")) {
    if (line === "") continue;
    const help = /^# HELP ([a-zA-Z_:][a-zA-Z0-9_:]*) \S.*$/.exec(line);
    const type = /^# TYPE ([a-zA-Z_:][a-zA-Z0-9_:]*) (counter|gauge|histogram|summary|untyped)$/.exec(line);
    if (help) {
      expect(helped.has(help[1]), line).to.equal(false);
      helped.add(help[1]);
      continue;
    }
    if (type) {
      expect(families.has(type[1]), line).to.equal(false);
      expect(helped.has(type[1]), line).to.equal(true);
      current = type[1];
      families.set(current, { type: type[2], samples: [] });
      continue;
    }
    const sample = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (-?[0-9.e+-]+|[+-]Inf|NaN)$/.exec(line);
    if (!sample) throw new Error(`no line of the format: ${line}`);
    const [, name, inner = "", value] = sample;
    const pairs = [...inner.matchAll(/([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"(?:,|$)/g)];
    expect(pairs.map(([whole]) => whole).join(""), line).to.equal(inner);
    const family = families.get(current) as Family;
    const suffix = name.slice(current.length);
    expect(name.startsWith(current), line).to.equal(true);
    expect(SUFFIXES[family.type] ?? [""], line).to.include(suffix);
    family.samples.push({ name, labels: new Map(pairs.map(([, key, of]) => [key, of])), value: Number(value) });
  }
  return families;
}

/** Buckets grow, and the last of them counts all. */
function checkHistogram(family: string, samples: readonly Sample[]): void {
  const series = new Map<string, Sample[]>();
  for (const sample of samples) {
    const key = JSON.stringify([...sample.labels].filter(([name]) => name !== "le"));
    series.set(key, [...(series.get(key) ?? []), sample]);
  }
  for (const own of series.values()) {
    const buckets = own.filter(({ name }) => name === `${family}_bucket`);
    const counts = buckets.map(({ value }) => value);
    expect(counts, family).to.deep.equal(counts.toSorted((a, b) => a - b));
    expect(buckets.at(-1)?.labels.get("le")).to.equal("+Inf");
    expect(own.find(({ name }) => name === `${family}_count`)?.value).to.equal(counts.at(-1));
  }
}

describe("verl train, asked for its metrics while it goes on", function () {
  this.timeout(120_000);

  it("gives whole series in Prometheus' format, as many after many prompts as after few", async () => {
    await using folder = await ToyFolder.create();
    await writeLetters(folder, ECHO);
    await folder.write("tools.mjs", TOOLS);
    let [child, stderr] = [null as ChildProcess | null, ""];
    const metrics = [`${rollout}.prometheus.enable=true`, `${rollout}.prometheus.port=0`];
    const tools = [...LETTER_CALLS, `${rollout}.multi_turn.function_tool_path=./tools.mjs`];
    const steps = ["trainer.total_training_steps=100000", "trainer.logger=[]"];
    const ended = verl(["train", ...TOY_OVERRIDES, ...tools, ...metrics, ...steps], {
      cwd: folder.dir,
      onStarted: (started) => {
        child = started;
      },
      onOutput: (output) => {
        ({ stderr } = output);
      },
    });
    const until = async <T>(what: string, find: () => Promise<T | null> | T | null): Promise<T> => {
      for (const begun = performance.now(); performance.now() - begun < 60_000; await sleep(10)) {
        const found = await find();
        if (found !== null) return found;
      }
      throw new Error(`waited too long for ${what}: ${stderr}`);
    };
    const address = await until("the address", () => /http:\/\/127\.0\.0\.1:\d+\/metrics/.exec(stderr)?.[0] ?? null);
    const atStep = (step: number) =>
      until(`step ${step}`, async () => {
        const families = parse(await (await fetch(address)).text());
        return (families.get("verl_step")?.samples[0]?.value ?? 0) >= step ? families : null;
      });
    const seriesOf = (families: ReadonlyMap<string, Family>) =>
      [...families.values()].flatMap(({ samples }) => samples.map(({ name, labels }) => [name, ...labels].join()));

    const early = await atStep(3);
    const late = await atStep(15);
    child?.kill("SIGINT");
    expect((await ended).code, stderr).to.equal(130);

    for (const name of ["verl_session_seconds", "verl_tool_call_seconds", "verl_reward_seconds", "verl_step_seconds"]) {
      expect(late.get(name)?.samples, name).to.not.deep.equal([]);
    }
    for (const [name, { type, samples }] of late) {
      if (type === "histogram") checkHistogram(name, samples);
      if (type === "counter") expect(name).to.match(/_total$/);
      if (type === "histogram") expect(name).to.match(/_seconds$/);
      for (const { labels } of samples) {
        // Nothing of a single prompt, session or row.
        for (const [, value] of labels) expect(value).to.not.match(/\d{10}-|train\.jsonl|_\d+$/);
      }
    }
    // What sessions wait for at a moment comes and goes.
    const lasting = (all: readonly string[]) => all.filter((one) => !one.startsWith("verl_sessions_waiting"));
    const before = new Set(lasting(seriesOf(early)));
    const added = lasting(seriesOf(late)).filter((one) => !before.has(one));
    expect(added.filter((one) => !/stop_reason|outcome|phase/.test(one))).to.deep.equal([]);
    expect(seriesOf(late).length).to.be.below(300);
    await fetch(address).then(
      () => expect.fail("nobody is to answer after the run"),
      () => {},
    );
  });
});
