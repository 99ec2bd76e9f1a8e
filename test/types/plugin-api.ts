/**
 * The plugin API as its authors' compilers see it. Nothing here runs: it is right when it compiles, and every
 * `@ts-expect-error` is a mistake that the types must catch.
 */
import {
  aggLoss,
  composeToolParser,
  defineErrors,
  definePlugin,
  functionTool,
  type HookContexts,
  type Hooks,
  type MergedSample,
  maskedMean,
  mergeTrajectories,
  type ParsedTurn,
  type Platform,
  type PluginCommand,
  type PluginHost,
  type PolicyLossFactory,
  type ProcessorFactory,
  Prose,
  parseToolCalls,
  policyInputs,
  policyLoss,
  type Registrar,
  type RewardModelFactory,
  readJson,
  type Sampler,
  type SamplerFactory,
  TagSet,
  type Tool,
  type ToolFactory,
  type ToolParser,
  type ToolParserEvent,
  type ToolParserStream,
  type TracerFactory,
  type TrackerFactory,
  type TurnWriter,
} from "../../core/plugin.js";

export const complete = definePlugin({
  name: "complete",
  apiVersion: "^1.0.0",
  provides: ["hooks", "tracker"],
  processes: ["driver", "rollout"],
  async register(host) {
    const platform: Platform = host.platform();
    host.logger.info(`${host.apiVersion} ${host.process.role} ${platform.vendorName}`);
    host.onDispose(() => {});
    host.onDispose(async () => {});
    const signal: AbortSignal = host.signal;
    host.hooks.register({ name: "h", onStepEnd: ({ metrics, addMetric }) => addMetric("copy", metrics["actor/loss"]) });
    host.hooks.register({ name: "h", onStepEnd() {} }, { override: true });
    const trackers: Registrar<TrackerFactory> = host.trackers;
    return void [signal, trackers];
  },
});

export const hooks: Hooks = {
  name: "slots",
  deadlineMs: 1000,
  onSampleBegin: { pre: ({ groups, requestPrompts }) => requestPrompts(groups), post: async () => {} },
  onSampleEnd({ groups, dropGroup }) {
    for (const { uid, scores } of groups) if (scores.length === 0) dropGroup(uid, { refill: false, reason: "empty" });
  },
};

export const loss: PolicyLossFactory = {
  name: "plain",
  create: (config) =>
    policyLoss("plain", config, (g) => {
      const { advantages, difference } = policyInputs(g);
      const cost = g.neg(g.mul(advantages, g.exp(difference)));
      const kl = { value: maskedMean(g, g.neg(difference)), reduction: "mean" as const };
      return { loss: aggLoss(g, cost, config.lossAggMode), metrics: { "actor/ppo_kl": kl } };
    }),
};

export const counting: TracerFactory = {
  name: "counting",
  create: ({ outputDir, logger }) => ({
    wantsText: false,
    promptsPerWorker: null,
    span(start, work) {
      logger.debug(`${outputDir}: ${start.kind} ${start.name}`);
      return work({ set() {} });
    },
    async finish() {},
  }),
};

export const silent: TracerFactory = {
  name: "silent",
  // @ts-expect-error a tracer gives back what the work gives
  create: () => ({ wantsText: false, promptsPerWorker: null, async span() {}, async finish() {} }),
};

export const length: RewardModelFactory = {
  name: "length",
  create: ({ modelName }) => ({
    async start() {},
    score: async ({ text, ids }) => text.length / ids.length + modelName.length,
    async sleep() {},
    async dispose() {},
  }),
};

export const loose: RewardModelFactory = {
  name: "loose",
  // @ts-expect-error a reward model gives a number, no text
  create: () => ({ async start() {}, score: async () => "1", async sleep() {}, async dispose() {} }),
};

export const newest: SamplerFactory = {
  name: "newest",
  create({ dataset, kwargs, logger }): Sampler {
    let draws = Number(kwargs.from ?? 0);
    return {
      epoch: 0,
      next: () => dataset.length - 1 - (draws++ % dataset.length),
      update: (outcomes) => {
        for (const { index, scores } of outcomes) logger.debug(`${index}: ${scores.join()}`);
      },
      state: () => ({ draws }),
      restore(state) {
        draws = (state as { draws: number }).draws;
      },
    };
  },
};

export const forgetful: SamplerFactory = {
  name: "forgetful",
  // @ts-expect-error a sampler has a state
  create: () => ({ epoch: 0, next: () => 0 }),
};

export const names: PluginCommand = {
  name: "names",
  description: "Names the trackers.",
  async run({ args, stdout, registries, signal }) {
    signal.throwIfAborted();
    stdout.write(`${registries.trackers.keys().join()} ${args.length}`);
    return 0;
  },
};

// @ts-expect-error what a command is for is said in the help
export const nameless: PluginCommand = { name: "nameless", run: () => 0 };

export const samples: MergedSample[] = mergeTrajectories([{ prompt: [1], completion: [2], logProbs: [-1] }]);

/** By hand: any object with a stream will do. */
export const everything: ToolParser = {
  name: "everything",
  stopTokens: [],
  create: ({ tools = [], padToken } = {}): ToolParserStream => ({
    push: (text): ToolParserEvent[] => [{ type: "content", text: text.replace(padToken ?? "", "") }],
    end: () => [{ type: "malformed", error: { index: 0, name: null, message: `${tools.length} tools`, text: "" } }],
  }),
};

/** With the toolkit: the parser is a generator. */
export const acmeCalls: ToolParser = composeToolParser({
  name: "acme",
  stopTokens: ["<|stop|>"],
  *parse(input, out, { startsInThought }) {
    const prose = new Prose(input, out, { opens: ["<call>"], startsInThought });
    while ((yield* prose.next()) !== null) {
      input.skip("<call>");
      const body = yield* readJson(input, new TagSet(["</call>"]));
      if (body.stop === null) return;
      input.skip(body.stop);
      if (body.problem === null) out.call({ name: "acme", arguments: body.text });
      else out.malformed("acme", `is not JSON: ${body.problem}`, body.text);
    }
  },
});

export const turn: ParsedTurn = parseToolCalls(acmeCalls, "<call>{}</call>", { tools: [{ type: "function" }] });
export const called: readonly [string, string] | undefined = turn.calls.map((c) => [c.name, c.arguments] as const)[0];

/** Width and height are there for images alone. */
export const acmeEyes: ProcessorFactory = {
  name: "acme-eyes",
  modelTypes: ["acme_vl"],
  create: ({ tokenizer, kwargs }) => ({
    placeholders: { image: "<image>" },
    tokens: ({ width = 0, height = 0 }) => new Array<number>(width * height).fill(tokenizer.tokenId("<image>") ?? 0),
    inputs: (_medium, bytes) => ({ pixels: { shape: [bytes.length], data: Float32Array.from(bytes) } }),
    positions: ({ ids, media }) => new Int32Array(3 * ids.length).fill(media.length + Number(kwargs.offset)),
  }),
};

export const errors = defineErrors({ VERL_ACME_DRIVER: { summary: "The driver is too old." } });
export const raised = errors.VERL_ACME_DRIVER({ what: "Driver 1 is older than 2." });

// A name, the API version and what it provides are not optional.
// @ts-expect-error
definePlugin({ name: "p", apiVersion: "^1.0.0", register() {} });
// @ts-expect-error
definePlugin({ apiVersion: "^1.0.0", provides: [], register() {} });
// @ts-expect-error
definePlugin({ name: "p", provides: [], register() {} });

definePlugin({
  name: "p",
  apiVersion: "^1.0.0",
  provides: ["platform"],
  // A role must be one of the roles of a run.
  // @ts-expect-error
  processes: ["cook"],
  register() {},
});

export function mistakes(host: PluginHost, step: HookContexts["onStepEnd"], out: TurnWriter): void {
  // A hook's name must be one of the hooks.
  // @ts-expect-error
  host.hooks.register({ name: "h", onStepEnds() {} });
  // Slots are pre and post; the trainer's is the host's.
  // @ts-expect-error
  host.hooks.register({ name: "h", onStepEnd: { trainer() {} } });
  // A tracker needs its factory.
  // @ts-expect-error
  host.trackers.register({ name: "t" });
  // A parser says at which tokens a turn ends, even if there are none beside the usual.
  // @ts-expect-error
  host.toolParsers.register({ name: "p", create: everything.create });
  // Events are told apart by their type.
  // @ts-expect-error
  everything.create().push("")[0].text;
  // Arguments are text.
  // @ts-expect-error
  out.call({ name: "f", arguments: {} });
  // A processor says which models it is for, and an input its shape.
  // @ts-expect-error
  host.processors.register({ name: "eyes", create: acmeEyes.create });
  host.processors.register({
    ...acmeEyes,
    // @ts-expect-error
    create: () => ({ placeholders: {}, tokens: () => [1], inputs: () => ({ pixels: { data: new Float32Array(1) } }) }),
  });
  // Registrars only write.
  // @ts-expect-error
  host.trackers.get("t");
  // There is no such kind.
  // @ts-expect-error
  host.motors.register({});
  // A code starts with VERL_.
  // @ts-expect-error
  defineErrors({ ACME_DRIVER: { summary: "" } });
  // What an error says is not optional.
  // @ts-expect-error
  errors.VERL_ACME_DRIVER({});
  // Only declared codes can be raised.
  // @ts-expect-error
  errors.VERL_ACME_OTHER({ what: "" });
  // Metrics are read through the context and added with a method.
  // @ts-expect-error
  step.metrics["actor/loss"] = 1;
  // Filtering belongs to onSampleEnd.
  // @ts-expect-error
  step.dropGroup("uid");
}

/** A registered tool: one list of tools per entry, with an end. */
export const dice: ToolFactory = {
  name: "dice",
  create({ config, schema, sections, sandbox, signal, where }) {
    const named: string | undefined = schema?.function.name;
    const roll: Tool = functionTool(() => "4", { name: named ?? "dice", description: where, parameters: config });
    return { tools: [roll], dispose: async () => void [await sandbox(), signal.aborted, sections] };
  },
};
definePlugin({ name: "d", apiVersion: "^1.0.0", provides: ["tool"], register: (host) => host.tools.register(dice) });
// A tool by itself is no list.
// @ts-expect-error
export const alone: ToolFactory = { name: "alone", create: () => functionTool(() => "", toolOptions) };
const toolOptions = { name: "alone", description: "", parameters: {} };
