import { loadTokenizer, mediaPartsOf, type Tokenizer } from "../../data/index.js";
import { warnOnce } from "../../data/warn-once.js";
import type { LoadUserModule } from "../../host/loading/user-module.js";
import type { CallOptions } from "../../host/types.js";
import { ownCopy } from "../../host/util/own-copy.js";
import { isObject } from "../../host/util/plain-object.js";
import type { RpcClient } from "../../host/workers/rpc.js";
import { type TracerFactory, withTracer } from "../../tracing/index.js";
import type { AgentLoopContext, AgentLoopFactory, AgentLoopOutput } from "../agent-loop.js";
import { agentErrors } from "../errors.js";
import { loopFailure } from "../loops/loop-failure.js";
import { agentLoopFromExport } from "../loops/loop-from-export.js";
import { SessionMedia } from "../loops/loop-media.js";
import { PromptEncoder } from "../prompts/prompt-encoder.js";
import { turnEncoders } from "../prompts/turn-encoders.js";
import { PLAIN_FIX, plainProblem } from "../sessions/plain-output.js";
import type { ToolParser } from "../tool-parsers/tool-parser.js";
import { ToolSet } from "../tools/tool-set.js";
import { DriverParts, loggerOf } from "./driver-parts.js";
import type { ThreadSession, ThreadTask } from "./protocol.js";

interface Opened {
  readonly task: ThreadTask;
  readonly tokenizer: Tokenizer;
  readonly toolParser: ToolParser;
  readonly turnEncoder: AgentLoopContext["turnEncoder"];
  readonly loops: ReadonlyMap<string, AgentLoopFactory>;
}

/** The inside of a thread that runs agent loops: what the driver can ask of it. */
export function threadMethods(
  host: {
    readonly loadUserModule: LoadUserModule;
    readonly findToolParser: (name: string) => ToolParser;
    readonly findTracer: (name: string) => TracerFactory;
  },
  driver: RpcClient,
) {
  let opened: Opened | null = null;
  const templateLogger = warnOnce(loggerOf(driver));
  return {
    async open(task: ThreadTask): Promise<void> {
      for (const name of task.tracers) await host.findTracer(name).joinThread?.();
      const { path, chatTemplate } = task.tokenizer;
      const tokenizer = await loadTokenizer(path, { chatTemplate, now: () => new Date(task.now) });
      const loops = new Map<string, AgentLoopFactory>();
      for (const { name, module, exportName, options } of task.loops) {
        const exported = await host.loadUserModule(module, exportName, `the agent loop ${name}`);
        loops.set(name, agentLoopFromExport(name, exported, options, `${module}#${exportName}`));
      }
      const { modelType, applyChatTemplateKwargs: kwargs } = task;
      const turnEncoder = turnEncoders(tokenizer, { modelType, kwargs, logger: templateLogger });
      opened = { task, tokenizer, toolParser: host.findToolParser(task.toolParser), turnEncoder, loops };
    },

    async run(session: ThreadSession, { signal }: Required<CallOptions>): Promise<readonly AgentLoopOutput[]> {
      const factory = opened?.loops.get(session.loop);
      if (!opened || !factory) {
        throw agentErrors.VERL_AGENT_THREAD_FAILED({ what: `the loop ${session.loop} was not opened here` });
      }
      const parts = new DriverParts(driver, session);
      const context = await contextOf(session, opened, parts, signal);
      const { messages, row, validate } = session;
      const work = async () => {
        // Sent at once, before anything of the loop's can hold this thread.
        void driver.call("begun", { session: session.id }).catch(() => {});
        return (await factory.create(context)).run({ messages, row, validate });
      };
      const where = `agent loop ${session.loop}, session ${session.trajectoryId}`;
      const returned = await unwound(withTracer(parts.tracer, work), signal).catch((error: unknown) => {
        throw loopFailure(error, session.loop, where);
      });
      const outputs = [returned].flat() as AgentLoopOutput[];
      // The driver checks the rest; this could not be sent to it.
      for (const output of outputs) {
        const what = isObject(output) ? plainProblem(output) : null;
        if (what !== null) throw agentErrors.VERL_AGENT_BAD_OUTPUT({ what, where, fix: PLAIN_FIX });
      }
      return outputs;
    },
  };

  async function contextOf(
    session: ThreadSession,
    { task, tokenizer, toolParser, turnEncoder }: Opened,
    { client, tools, interactions, take, bytes, tracer, logger }: DriverParts,
    signal: AbortSignal,
  ): Promise<AgentLoopContext> {
    const { promptLength, responseLength, applyChatTemplateKwargs, multiTurn, seed } = task;
    const { trajectoryId, sampling, options } = session;
    const { placeholders } = task.media;
    const intake: ConstructorParameters<typeof SessionMedia>[0] = {
      ...task.media,
      bytes,
      async take(messages, options) {
        // Most conversations are text: the driver is not asked.
        if (mediaPartsOf(messages).length === 0) return { messages, tokens: { placeholders, find: () => null } };
        const taken = await take(messages, options);
        return { ...taken, tokens: { ...taken.tokens, placeholders } };
      },
    };
    const media = new SessionMedia(intake, signal);
    const encoder = new PromptEncoder({
      ...{ tokenizer, promptLength, applyChatTemplateKwargs, logger, templateLogger },
      // Media of prompts are the dataset's, known to the driver for the whole run.
      media: { take: (messages) => intake.take(messages, { signal }) },
      where: trajectoryId,
    });
    return {
      ...{ client, tokenizer, promptLength, responseLength, trajectoryId, seed, sampling },
      ...ownCopy({ applyChatTemplateKwargs, multiTurn }),
      encodePrompt: encoder.encodeText,
      async preparePrompt(messages, options) {
        const { taken, ...prepared } = await encoder.prepare(messages, options);
        media.keep(taken);
        return prepared;
      },
      media,
      tools: await ToolSet.of(tools),
      ...{ interactions, toolParser, turnEncoder, options, signal, tracer, logger },
    };
  }
}

/** Time for a loop to end after an abort, with what it has to release. */
const UNWIND_MS = 1000;

/** What the loop returns. One that does not listen to its signal is left behind, so that the driver hears of its end. */
async function unwound<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  let onAbort = () => {};
  const left = new Promise<never>((_, reject) => {
    onAbort = () => {
      timer = setTimeout(() => reject(signal.reason), UNWIND_MS);
    };
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
  });
  try {
    return await Promise.race([work, left]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
  }
}
