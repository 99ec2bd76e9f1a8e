import path from "node:path";
import { agentSettings, LoopThreads, type ThreadedLoop } from "../../agent/index.js";
import type { RunMedia } from "../../data/index.js";
import type { RunScope } from "../run-scope.js";
import { tracerNames } from "./tracing-setup.js";

/** Threads for the loops of a run that ask for them, the first of them started. */
export async function openLoopThreads(
  { config, services, cwd, logger }: RunScope,
  wanted: {
    readonly loops: readonly ThreadedLoop[];
    readonly now: Date;
    readonly modelType: string | null;
    readonly media: RunMedia;
  },
  cleanups: (() => Promise<void>)[],
): Promise<LoopThreads> {
  const { model, rollout } = config.actor_rollout_ref;
  const { numWorkers, promptLength, responseLength, applyChatTemplateKwargs, multiTurn } = agentSettings(config);
  const { loops, now, modelType } = wanted;
  const { kinds, placeholders, placeholderTexts } = wanted.media;
  const threads = new LoopThreads({
    count: numWorkers,
    start: services.startAgentThread,
    logger,
    task: {
      loops: loops.map((loop) => ({ ...loop, module: absolute(loop.module, cwd) })),
      tokenizer: {
        path: path.resolve(cwd, model.tokenizer_path ?? model.path ?? ""),
        chatTemplate: model.custom_chat_template,
      },
      now: now.getTime(),
      toolParser: rollout.multi_turn.format,
      seed: rollout.seed,
      tracers: tracerNames(config),
      media: { kinds, placeholders, placeholderTexts },
      ...{ modelType, promptLength, responseLength, applyChatTemplateKwargs, multiTurn },
    },
  });
  cleanups.push(() => threads.close());
  await threads.open();
  return threads;
}

/** Resolved once, so that a thread looks where the driver would. */
const absolute = (module: string, cwd: string) => (/^[a-z]+:\/\//.test(module) ? module : path.resolve(cwd, module));
