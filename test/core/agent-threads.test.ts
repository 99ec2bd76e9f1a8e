import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import { AGENT_MAIN, BUILTINS } from "../../cli/builtins.js";
import {
  type AgentLoopFactory,
  agentSettings,
  functionTool,
  type Interaction,
  LoopThreads,
  loadAgentLoops,
  type Tool,
  ToolSet,
} from "../../core/agent/index.js";
import { charTokenizerFiles, loadTokenizer, MediaStore, RunMedia, type Tokenizer } from "../../core/data/index.js";
import { lineLogger } from "../../core/host/index.js";
import { createHost } from "../../core/index.js";
import { ATTRIBUTE, createJudge, type PlacedMedia } from "../../core/plugin.js";
import { composeTracers, type ReadSpan, readSpans } from "../../core/tracing/index.js";
import { otelTracer, prometheusTracer } from "../../plugins/tracing/index.js";
import {
  createFakeProcessor,
  type RecordedSpan,
  RecordingTracer,
  ScriptedClient,
  solidPng,
  tracerOptions,
} from "../../testing/index.js";
import { configOf, type HarnessOptions, harness, task } from "./agent/harness.js";
import { completion, HttpServer } from "./reward/servers/http-server.js";
import { ToyFolder } from "./trainer/support/toy-run.js";

interface RigOptions extends HarnessOptions {
  readonly count?: number;
  readonly graceMs?: number;
  readonly media?: RunMedia;
}

const CORE = JSON.stringify(new URL("../../core/plugin.js", import.meta.url).href);
const OTEL = JSON.stringify(import.meta.resolve("@opentelemetry/api"));
const AGENT = JSON.stringify(new URL("../../core/agent/index.js", import.meta.url).href);

const LOOPS = `
import { isMainThread, threadId } from "node:worker_threads";
import { trace } from ${OTEL};
import { AgentLoopBase } from ${CORE};
export { ToolAgentLoop } from ${AGENT};

/** Looks at the bytes of what the prompt shows. */
export class Looking extends AgentLoopBase {
  async run({ messages }) {
    const { promptIds, media } = await this.context.preparePrompt(messages);
    const bytes = await this.context.media.bytes(media[0]);
    const output = await this.generate(promptIds, undefined, [], media);
    const { tokenIds, minWeightVersion, maxWeightVersion, stopReason } = output;
    return {
      promptIds, responseIds: tokenIds, responseMask: tokenIds.map(() => 1), responseLogProbs: output.logProbs, multiModalData: media,
      numTurns: 2, stopReason, minWeightVersion, maxWeightVersion, metrics: this.metrics, extraFields: { seen: bytes.length },
    };
  }
}

/** Asks once, and does what the prompt says. */
export class Obedient extends AgentLoopBase {
  async run({ messages }) {
    const promptIds = this.context.encodePrompt(messages);
    const order = messages[0].content;
    if (order === "leave") process.exit(3);
    if (order === "throw") throw new Error("as I was told");
    if (order === "warn") this.context.logger.warn("I was told to warn");
    if (order === "wait") await new Promise(() => {});
    if (order === "compute") for (;;);
    if (order === "traced") {
      const span = { kind: "phase", name: "search", attributes: { "my.depth": 2 } };
      return this.context.tracer.span(span, () => this.answer(promptIds));
    }
    if (order === "by the API") {
      const tracer = trace.getTracer("my-library");
      return tracer.startActiveSpan("fetch the page", { attributes: { "my.url": "x" } }, async (span) => {
        await new Promise(setImmediate);
        await this.context.tracer.span({ kind: "phase", name: "search" }, async () => {
          const inner = tracer.startSpan("look it up");
          inner.setStatus({ code: 2, message: "not there" });
          inner.end();
        });
        const output = await this.answer(promptIds);
        span.setAttribute("my.found", true);
        span.addEvent("cached", { "my.bytes": 5 });
        span.addEvent("asked", new Date(1e12));
        span.recordException(new TypeError("a secret of the page"));
        span.end();
        const elsewhere = { traceId: "a".repeat(32), spanId: "b".repeat(16), traceFlags: 1 };
        const links = [{ context: span.spanContext(), attributes: { "my.why": "again" } }, { context: elsewhere }];
        tracer.startSpan("fetch it again", { links }).end();
        return output;
      });
    }
    if (order === "reward") {
      const [tool] = this.context.tools.tools;
      const user = this.context.interactions.get("user");
      const id = this.context.trajectoryId;
      await tool.create(id, {});
      await tool.execute(id, { points: 0.25 }, this.context.signal);
      const rewardScore = (await tool.calcReward(id)) + (await user.calculateScore(id, { weight: 2 }));
      await tool.release(id);
      return { ...(await this.answer(promptIds)), rewardScore };
    }
    if (order === "traced and gone") {
      await this.context.tracer.span({ kind: "phase", name: "last" }, async () => process.exit(3));
    }
    return this.answer(promptIds);
  }
  async answer(promptIds) {
    const output = await this.generate(promptIds);
    return {
      promptIds,
      responseIds: output.tokenIds,
      responseMask: output.tokenIds.map(() => 1),
      responseLogProbs: output.logProbs,
      numTurns: 2,
      stopReason: output.stopReason,
      minWeightVersion: output.minWeightVersion,
      maxWeightVersion: output.maxWeightVersion,
      metrics: this.metrics,
      extraFields: { isMainThread, threadId, option: this.context.options.level ?? null },
    };
  }
}`;

async function spansIn(folder: string): Promise<ReadSpan[]> {
  const spans: ReadSpan[] = [];
  for await (const span of readSpans(path.join(folder, "traces.jsonl"))) spans.push(span);
  return spans;
}

describe("agent loops in threads", function () {
  this.timeout(60_000);
  let folder: string;
  let tokenizer: Tokenizer;
  const cleanups: (() => Promise<void>)[] = [];
  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "verl-threads-"));
    const alphabet = Array.from({ length: 95 }, (_, i) => String.fromCharCode(32 + i)).join("");
    const files = charTokenizerFiles(alphabet.replace("~", "").replace("^", ""), {
      pad: "~",
      eos: "^",
      chatTemplate:
        "{% for m in messages %}<{{ m.role }}>{% if m.content is string %}{{ m.content }}{% else %}{% for p in m.content %}{% if p.type == 'image' %}<image>{% else %}{{ p.text }}{% endif %}{% endfor %}{% endif %}^{% endfor %}{% if add_generation_prompt %}<assistant>{% endif %}",
    });
    const added = files.tokenizerJson.added_tokens as Record<string, unknown>[];
    added.push({ ...added[0], id: 95, content: "<image>" });
    const json = (name: string, value: unknown) => writeFile(path.join(folder, name), JSON.stringify(value));
    await json("tokenizer.json", files.tokenizerJson);
    await json("tokenizer_config.json", { ...files.tokenizerConfig, chat_template: files.chatTemplate });
    await json("generation_config.json", files.generationConfig);
    await writeFile(path.join(folder, "loops.mjs"), LOOPS);
    tokenizer = await loadTokenizer(folder);
  });
  after(() => rm(folder, { recursive: true, force: true }));
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  });

  const loop = (exportName: string) => ({
    name: exportName,
    module: path.join(folder, "loops.mjs"),
    exportName,
    options: { level: 4 },
  });

  /** Threads of a real host, and a manager whose loop runs in them. */
  async function rig(exportName: string, answers: readonly string[], setup: RigOptions = {}) {
    const host = await createHost({
      cwd: folder,
      env: {},
      builtins: BUILTINS,
      logger: lineLogger(() => {}),
      agentMain: AGENT_MAIN,
    });
    cleanups.push(() => host.dispose());
    const services = await host.services({ device: "cpu" });
    const rollout = { n: 1, prompt_length: 600, response_length: 600, ...setup.rollout };
    const { promptLength, responseLength, multiTurn } = agentSettings(configOf({ ...setup, rollout }));
    const media =
      setup.media ??
      new RunMedia({ store: new MediaStore(), processor: createFakeProcessor(tokenizer), tokenizer, model: "toys" });
    const { kinds, placeholders, placeholderTexts } = media;
    const client = new ScriptedClient(
      answers.map((text) => ({ tokenIds: [...tokenizer.encode(text), tokenizer.eosTokenId as number] })),
    );
    let started = 0;
    const warnings: string[] = [];
    const threads = new LoopThreads({
      count: setup.count ?? 1,
      graceMs: setup.graceMs,
      logger: { debug() {}, info() {}, warn: (text: string) => void warnings.push(text), error() {} },
      start: (...args) => {
        started++;
        return services.startAgentThread(...args);
      },
      task: {
        loops: [loop(exportName)],
        tokenizer: { path: folder, chatTemplate: null },
        now: 0,
        modelType: null,
        toolParser: "hermes",
        applyChatTemplateKwargs: {},
        seed: 5,
        tracers: ["otel", "prometheus"],
        media: { kinds, placeholders, placeholderTexts },
        ...{ promptLength, responseLength, multiTurn },
      },
    });
    cleanups.push(() => threads.close());
    await threads.open();
    const factory: AgentLoopFactory = threads.factory(loop(exportName));
    const rest = { ...setup, rollout, loops: [factory], agent: { default_agent_loop: exportName, ...setup.agent } };
    const run = harness({ ...rest, over: { client, tokenizer, media, ...setup.over } });
    return { ...run, client, threads, warned: warnings, started: () => started };
  }

  const say = (uid: string, content: string) => task(uid, { messages: [{ role: "user", content }] });

  it("answer as they do here, with the model of the driver, in a thread of their own", async () => {
    const { submit, manager, rows, client } = await rig("Obedient", ["yes"]);
    await submit([say("a", "please")]);
    await manager.drain();
    const { a_0_0: row } = await rows();
    expect(tokenizer.decode(row.promptIds as Int32Array)).to.equal("<user>please^<assistant>");
    expect(tokenizer.decode(row.responseIds as Int32Array)).to.equal("yes^");
    expect(row.extraFields).to.include({ isMainThread: false, option: 4 });
    expect(row.score).to.equal(1);
    expect(client.requests[0]).to.deep.include({ requestId: "a_0", seed: 5 });
  });

  it("use tools and simulated users of the driver, whose state stays there", async () => {
    const seen: unknown[] = [];
    const count = functionTool(
      (_, { session }) => {
        const calls = (Number(session.state.get("calls")) || 0) + 1;
        session.state.set("calls", calls);
        return `call ${calls}`;
      },
      { name: "count", description: "Counts.", parameters: { type: "object" } },
    );
    const user: Interaction = {
      name: "user",
      generateResponse(_, messages, { mood }) {
        seen.push(messages.at(-1)?.content, mood);
        return { text: "Thanks.", terminate: true, score: 0.5 };
      },
      finalizeInteraction: (id) => void seen.push(id),
    };
    const call = '<tool_call>{"name": "count", "arguments": {}}</tool_call>';
    const over = { tools: await ToolSet.of([count]), interactions: new Map([["user", user]]) };
    const { submit, manager, rows } = await rig("ToolAgentLoop", [call, call, "done"], { over });
    const one = say("a", "count");
    const row = { ...one.row, extra_info: { interaction_kwargs: { name: "user", mood: "good" } } };
    await submit([{ ...one, row: row as never }]);
    await manager.drain();
    const { a_0_0: stored } = await rows();
    const text = tokenizer.decode(stored.responseIds as Int32Array);
    expect(text).to.contain("<tool>call 1^").and.to.contain("<tool>call 2^").and.to.contain("<user>Thanks.^");
    expect(stored.extraFields).to.deep.include({ turn_scores: [0.5] });
    expect(stored.metrics).to.include({ "tool/calls": 2, "tool/ok": 2 });
    expect(seen).to.deep.equal(["done", "good", "a_0"]);
  });

  it("ask tools and simulated users of the driver for their rewards", async () => {
    const points = new Map<string, number>();
    const game: Tool = {
      name: "game",
      schema: { type: "function", function: { name: "game", parameters: { type: "object" } } },
      create: (id) => void points.set(id, 1),
      execute(id, args) {
        points.set(id, (points.get(id) ?? 0) + Number(args.points));
        return { text: "on" };
      },
      calcReward: (id) => points.get(id) ?? Number.NaN,
      release: (id) => void points.delete(id),
    };
    const user: Interaction = {
      name: "user",
      generateResponse: () => ({ text: "", terminate: true }),
      calculateScore: (_, { weight }) => Number(weight) * 5,
    };
    const over = { tools: await ToolSet.of([game]), interactions: new Map([["user", user]]) };
    const { submit, manager, rows } = await rig("Obedient", ["yes"], { over });
    await submit([say("a", "reward")]);
    await manager.drain();
    expect((await rows()).a_0_0.score).to.equal(11.25);
    expect(points.size).to.equal(0);
  });

  it("show media of the data and of tools, whose bytes stay with the driver", async () => {
    const media = new RunMedia({
      store: new MediaStore(),
      processor: createFakeProcessor(tokenizer),
      tokenizer,
      model: "toys",
    });
    const part = (png: Uint8Array) => ({ type: "image", image: png });
    const { messages } = await media.take([{ role: "user", content: [part(solidPng(8, 8, [1, 2, 3]))] }]);
    const look = functionTool(() => ({ text: "seen", media: [part(solidPng(16, 8, [255, 0, 0]))] }), {
      name: "look",
      description: "Looks.",
      parameters: { type: "object" },
    });
    const call = '<tool_call>{"name": "look", "arguments": {}}</tool_call>';
    const over = { tools: await ToolSet.of([look]) };
    const { submit, manager, rows, client } = await rig("ToolAgentLoop", [call, "red"], { media, over });
    await submit([task("a", { messages })]);
    await manager.drain();
    const { a_0_0: row } = await rows();
    const text = tokenizer.decode([...(row.promptIds as Int32Array), ...(row.responseIds as Int32Array)]);
    expect(text).to.contain("<user><image>^").and.to.contain("<tool><image><image>seen^");
    const placed = row.multiModalData as unknown as readonly PlacedMedia[];
    expect(placed.map(({ length }) => length)).to.deep.equal([1, 2]);
    expect(client.requests.map((request) => request.media?.length)).to.deep.equal([1, 2]);
    expect(Buffer.from(await media.bytes(placed[1])).equals(solidPng(16, 8, [255, 0, 0]))).to.equal(true);
  });

  it("are answered with media by simulated users of the driver, who see what was shown", async () => {
    const png = solidPng(8, 8, [1, 2, 3]);
    const seen: number[] = [];
    const user: Interaction = {
      name: "user",
      async generateResponse(_id, _messages, _kwargs, _signal, [first]) {
        seen.push((await first.bytes()).length);
        return { text: "this?", media: [{ type: "image", image: solidPng(16, 8, [9, 9, 9]) }], terminate: true };
      },
    };
    const over = { interactions: new Map([["user", user]]) };
    const { submit, manager, rows } = await rig("ToolAgentLoop", ["grey"], { over });
    const one = task("a", { messages: [{ role: "user", content: [{ type: "image", image: png }] }] });
    await submit([{ ...one, row: { ...one.row, extra_info: { interaction_kwargs: { name: "user" } } as never } }]);
    await manager.drain();
    const { a_0_0: row } = await rows();
    expect(tokenizer.decode(row.responseIds as Int32Array)).to.contain("<user><image><image>this?^");
    expect(seen).to.deep.equal([png.length]);
  });

  it("read the bytes of what they show where they ask for them", async () => {
    const png = solidPng(8, 8, [1, 2, 3]);
    const messages = [{ role: "user", content: [{ type: "image", image: png }] }];
    const { submit, manager, rows } = await rig("Looking", ["grey"]);
    await submit([task("a", { messages })]);
    await manager.drain();
    expect((await rows()).a_0_0.extraFields).to.deep.include({ seen: png.length });
  });

  it("wait until a tool of the driver admits a call, and leave it when the call or their session has ended", async () => {
    const events: string[] = [];
    let open = () => {};
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    const limited: Tool = {
      ...functionTool(() => void events.push("execute"), { name: "limited", description: "Does.", parameters: {} }),
      async admit() {
        events.push("admit");
        await opened;
        return () => void events.push("leave");
      },
    };
    const call = '<tool_call>{"name": "limited", "arguments": {}}</tool_call>';
    const over = { tools: await ToolSet.of([limited]) };
    const { submit, manager } = await rig("ToolAgentLoop", [call, "done"], { over });
    await submit([say("a", "go")]);
    while (events.length === 0) await new Promise(setImmediate);
    expect(events).to.deep.equal(["admit"]);
    open();
    await manager.drain();
    expect(events).to.deep.equal(["admit", "execute", "leave"]);
  });

  it("fail their session with the thread's name when they throw, and log here", async () => {
    const { submit, manager, tags, warned } = await rig("Obedient", ["yes"]);
    await submit([say("a", "throw"), say("b", "warn")]);
    await manager.drain();
    const { a, b } = await tags();
    expect(String(a.lastEvent)).to.contain("VERL_AGENT_THREAD_FAILED").and.to.contain("agent thread 1: as I was told");
    expect(b.status).to.equal("finished");
    expect(warned.join()).to.contain("I was told to warn");
  });

  it("fail by name when their thread ends; the run goes on in a new one", async () => {
    const { submit, manager, tags, warned, started } = await rig("Obedient", ["yes"]);
    await submit([say("a", "wait"), say("b", "leave")]);
    await manager.drain();
    const { a, b } = await tags();
    for (const { status, lastEvent } of [a, b]) {
      expect(status).to.equal("failure");
      expect(String(lastEvent)).to.contain("VERL_AGENT_THREAD_LOST").and.to.contain("agent thread 1 is gone");
      expect(String(lastEvent)).to.contain("status 3");
    }
    expect(warned.join()).to.contain("agent thread 1 is gone");
    await submit([say("c", "please")]);
    await manager.drain();
    expect((await tags()).c.status).to.equal("finished");
    expect(started()).to.equal(2);
  });

  it("share as many threads as they need, up to the number of workers", async () => {
    const { submit, manager, rows, started } = await rig("Obedient", ["yes"], { count: 3 });
    await submit([say("a", "please")]);
    await manager.drain();
    expect(started()).to.equal(1);
    await submit(Array.from({ length: 9 }, (_, i) => say(`p${i}`, "please")));
    await manager.drain();
    expect(started()).to.equal(3);
    const ids = Object.values(await rows()).map(({ extraFields }) => (extraFields as { threadId: number }).threadId);
    expect(new Set(ids).size).to.equal(3);
  });

  it("end with their prompt when it is cancelled", async () => {
    const { submit, manager, tags } = await rig("Obedient", ["yes"]);
    await submit([say("a", "wait")]);
    await manager.cancel(new Error("stopped"));
    expect(String((await tags()).a.lastEvent)).to.contain("VERL_AGENT_CANCELLED");
  });

  it("are ended by force where they compute on after the end of their session; the next gets a new thread", async () => {
    const agent = { session_deadline_s: 0.2 };
    const { submit, manager, tags, warned, started } = await rig("Obedient", ["yes"], { agent, graceMs: 10 });
    await submit([say("a", "compute")]);
    await manager.drain();
    const { a } = await tags();
    expect(a.status).to.equal("failure");
    expect(String(a.lastEvent)).to.contain("VERL_AGENT_SESSION_TIMEOUT").and.to.contain("longer than 0.2 s");
    while (warned.length === 0) await new Promise(setImmediate);
    expect(warned.join()).to.contain("agent thread 1 is ended by force");
    await submit([say("b", "please")]);
    await manager.drain();
    expect((await tags()).b.status).to.equal("finished");
    expect(started()).to.equal(2);
  });

  it("go to a new thread where one before them computes without end and they have not begun", async () => {
    const agent = { session_deadline_s: 0.2 };
    const { submit, manager, tags, started } = await rig("Obedient", ["yes"], { agent, graceMs: 200 });
    await submit([say("a", "compute"), say("b", "compute"), say("c", "please"), say("d", "please")]);
    await manager.drain();
    const { a, b, c, d } = await tags();
    expect([a.status, b.status, c.status, d.status]).to.deep.equal(["failure", "failure", "finished", "finished"]);
    expect(String(b.lastEvent)).to.contain("VERL_AGENT_SESSION_TIMEOUT");
    expect(started()).to.equal(3);
  });

  it("keep their thread where they only do not listen: its other sessions go on", async () => {
    const agent = { session_deadline_s: 0.2 };
    const { submit, manager, tags, started } = await rig("Obedient", ["yes"], { agent, graceMs: 10_000 });
    await submit([say("a", "wait"), say("b", "please")]);
    await manager.drain();
    expect((await tags()).a.status).to.equal("failure");
    await submit([say("c", "please")]);
    await manager.drain();
    const { b, c } = await tags();
    expect([b.status, c.status, started()]).to.deep.equal(["finished", "finished", 1]);
  });

  it("that leave with a tool in use or a user at the table have them released here", async () => {
    const events: string[] = [];
    const user: Interaction = {
      name: "user",
      startInteraction: (id) => void events.push(`start ${id}`),
      generateResponse: () => new Promise(() => {}),
      finalizeInteraction: (id) => void events.push(`finalize ${id}`),
    };
    const tool: Tool = {
      ...functionTool(() => new Promise(() => {}), { name: "hold", description: "Does.", parameters: {} }),
      create: (id) => void events.push(`create ${id}`),
      release: (id) => void events.push(`release ${id}`),
    };
    const call = '<tool_call>{"name": "hold", "arguments": {}}</tool_call>';
    const over = { tools: await ToolSet.of([tool]), interactions: new Map([["user", user]]) };
    const { submit, manager, threads } = await rig("ToolAgentLoop", [call], { over });
    const one = say("a", "count");
    await submit([{ ...one, row: { ...one.row, extra_info: { interaction_kwargs: { name: "user" } } } as never }]);
    while (!events.some((event) => event.startsWith("create"))) await new Promise(setImmediate);
    await threads.close();
    await manager.drain();
    expect(events).to.have.members(["start a_0", "create a_0_0", "finalize a_0", "release a_0_0"]);
  });

  describe("in traces", () => {
    const shape = ({ start, children }: RecordedSpan): unknown => [
      `${start.kind} ${start.name}`,
      ...children.map(shape),
    ];
    const call = '<tool_call>{"name": "ask", "arguments": {}}</tool_call>';

    it("have their turns and tool calls in their sessions, with what tools do here in the calls", async () => {
      await using server = await HttpServer.start(() => completion("42"));
      const judge = createJudge({ addresses: [server.address], model: "expert" });
      const ask = functionTool(
        async (_, { signal }) => (await judge.chat({ messages: [{ role: "user", content: "?" }] }, { signal })).text,
        { name: "ask", description: "Asks.", parameters: { type: "object" } },
      );
      const tracer = new RecordingTracer();
      const over = { tracer, tools: await ToolSet.of([ask]) };
      const rollout = { n: 3 };
      const { submit, manager } = await rig("ToolAgentLoop", [call, call, call, "done"], { over, rollout, count: 2 });
      await submit([say("a", "count")]);
      await manager.drain();
      expect(tracer.roots).to.have.length(3);
      const all = tracer.roots.map(shape);
      for (const session of tracer.roots) {
        const [, ...inside] = shape(session) as unknown[];
        const calls = inside.filter((each) => String((each as unknown[])[0]) === "tool ask");
        for (const each of calls) expect(each, JSON.stringify(all)).to.deep.equal(["tool ask", ["judge judge"]]);
        expect(inside.at(-1)).to.deep.equal(["reward reward"]);
        for (const [i, each] of inside.slice(0, -1).entries()) {
          expect((each as unknown[])[0]).to.equal(i % 2 === 0 ? "generate generate" : "tool ask");
        }
      }
      const tool = tracer.roots.flatMap(({ children }) => children).find(({ start }) => start.kind === "tool");
      expect(tool?.attributes).to.deep.include({ [ATTRIBUTE.tool]: "ask", [ATTRIBUTE.outcome]: "ok" });
    });

    it("have spans of their own, around the turns in them", async () => {
      const tracer = new RecordingTracer();
      const { submit, manager } = await rig("Obedient", ["yes"], { over: { tracer } });
      await submit([say("a", "traced")]);
      await manager.drain();
      expect(shape(tracer.roots[0])).to.deep.equal([
        "session Obedient",
        ["phase search", ["generate generate"]],
        ["reward reward"],
      ]);
      expect(tracer.roots[0].children[0].attributes).to.deep.equal({ "my.depth": 2 });
    });

    it("take in the spans that they open by OpenTelemetry's API, in their order among the others", async () => {
      const tracer = new RecordingTracer();
      const { submit, manager, tags } = await rig("Obedient", ["yes"], { over: { tracer } });
      await submit([say("a", "by the API")]);
      await manager.drain();
      expect((await tags()).a.status).to.equal("finished");
      expect(shape(tracer.roots[0])).to.deep.equal([
        "session Obedient",
        ["own fetch the page", ["phase search", ["own look it up"]], ["generate generate"], ["own fetch it again"]],
        ["reward reward"],
      ]);
      const [page] = tracer.roots[0].children;
      const [cached, asked, exception] = page.events;
      expect(cached).to.deep.include({ name: "cached", attributes: { "my.bytes": 5 } });
      expect(cached.at).to.be.at.least(page.start.startedAt as number);
      expect(asked).to.deep.equal({ name: "asked", attributes: {}, at: 1e12 });
      expect(exception).to.deep.include({ name: "exception", attributes: { "exception.type": "TypeError" } });
      const elsewhere = { traceId: "a".repeat(32), spanId: "b".repeat(16) };
      expect(page.children[2].links).to.deep.equal([
        { to: page.ids(), attributes: { "my.why": "again" } },
        { to: elsewhere, attributes: {} },
      ]);
      expect(page.attributes).to.deep.equal({ "my.url": "x", "my.found": true });
      const [lookUp] = page.children[0].children;
      expect(String(lookUp.error)).to.contain("not there");
      expect([page.error, page.ended]).to.deep.equal([null, true]);
    });

    it("end with their thread, in the file before their session", async () => {
      const outputDir = await mkdtemp(path.join(folder, "traces-"));
      const options = tracerOptions(outputDir);
      const tracer = composeTracers([await otelTracer.create(options), await prometheusTracer.create(options)]);
      const { submit, manager } = await rig("Obedient", ["yes"], {
        over: { tracer },
        agent: { session_deadline_s: 5 },
      });
      await submit([say("a", "traced and gone")]);
      await manager.drain();
      await tracer.finish();
      const spans = await spansIn(outputDir);
      expect(spans.map(({ name }) => name)).to.deep.equal(["last", "invoke_agent Obedient"]);
      const [last, session] = spans;
      expect(last.parentSpanId).to.equal(session.spanId);
      expect(last.attributes).to.include({
        [ATTRIBUTE.errorType]: "VERL_AGENT_THREAD_LOST",
        [ATTRIBUTE.trajectory]: "a_0",
      });
      expect([last.isError, session.isError]).to.deep.equal([true, true]);
    });

    it("end at their deadline, in the file before their session", async () => {
      let asked = false;
      const ask = () => {
        asked = true;
        return new Promise(() => {});
      };
      const never: Tool = { ...functionTool(ask, { name: "ask", description: "Does.", parameters: {} }) };
      let spans: readonly ReadSpan[] = [];
      // On a busy machine a session may not come to its call before the deadline: it gets longer then.
      for (let deadline = 0.5; !asked; deadline *= 3) {
        const outputDir = await mkdtemp(path.join(folder, "traces-"));
        const options = tracerOptions(outputDir);
        const tracer = composeTracers([await otelTracer.create(options), await prometheusTracer.create(options)]);
        const over = { tracer, tools: await ToolSet.of([never]) };
        const agent = { session_deadline_s: deadline };
        const { submit, manager } = await rig("ToolAgentLoop", [call], { over, agent });
        await submit([say("a", "count")]);
        await manager.drain();
        await tracer.finish();
        spans = await spansIn(outputDir);
      }
      const names = ["generate", "execute_tool ask", "invoke_agent ToolAgentLoop"];
      expect(spans.map(({ name }) => name)).to.deep.equal(names);
      for (const { attributes } of spans.slice(1)) {
        expect(attributes[ATTRIBUTE.errorType]).to.equal("VERL_AGENT_SESSION_TIMEOUT");
      }
      expect(spans[1].parentSpanId).to.equal(spans[2].spanId);
    });
  });

  it("that cannot be loaded are refused before the run, with the thread's name", async () => {
    const error = await rig("Nobody", []).then(
      () => null,
      (e: unknown) => String(e),
    );
    expect(error).to.contain("VERL_USER_EXPORT_MISSING").and.to.contain("agent thread 1");
  });

  it("are asked for by thread: true in the list of loops, which a program without threads refuses", async () => {
    const file = path.join(folder, "agents.yaml");
    await writeFile(file, '- {name: obedient, _target_: "./loops.mjs#Obedient", thread: true, level: 4}\n');
    const find = async () => {
      const list = await loadAgentLoops({
        configPath: file,
        cwd: folder,
        registered: () => {
          throw new Error("unknown");
        },
        loadUserModule: async () => class {},
      });
      return list.finder();
    };
    const error = await find().catch((e: unknown) => String(e));
    expect(error).to.contain("VERL_AGENT_NO_THREADS").and.to.contain("obedient");
    await writeFile(file, '- {name: obedient, _target_: "./loops.mjs#Obedient", thread: maybe}\n');
    expect(await find().catch((e: unknown) => String(e))).to.contain('thread of "obedient" is "maybe"');
  });

  it("train as loops in the trainer's own thread do", async () => {
    await using toy = await ToyFolder.create();
    await toy.write("loops.mjs", LOOPS);
    const key = "actor_rollout_ref.rollout.agent";
    const rewards = async (thread: boolean) => {
      await toy.write("agents.yaml", `- {name: mine, _target_: "./loops.mjs#Obedient", thread: ${thread}}\n`);
      const overrides = [`${key}.agent_loop_config_path=agents.yaml`, `${key}.default_agent_loop=mine`];
      const { tracker } = await toy.train({ overrides: [...overrides, `trainer.default_local_dir=run-${thread}`] });
      return tracker.steps.map(({ metrics }) => metrics["critic/score/mean"]);
    };
    const inThreads = await rewards(true);
    expect(inThreads).to.have.length.greaterThan(2);
    expect(inThreads).to.deep.equal(await rewards(false));
  });
});
