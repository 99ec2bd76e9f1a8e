import type { MediaIntake } from "../../data/media/run-media.js";
import type { Row } from "../../data/rows/row.js";
import type { ChatMessage, Tokenizer } from "../../data/tokenizer.js";
import { inUserCode } from "../../host/blocking/user-code.js";
import type { Logger } from "../../host/types.js";
import { timerMs } from "../../host/util/deadline.js";
import { ownCopy } from "../../host/util/own-copy.js";
import { isFailure, type RewardManager, type RewardResult, toJsonValue } from "../../reward/index.js";
import type { LlmClient } from "../../rollout/rollout.js";
import { ATTRIBUTE, type Span, type Tracer, withTracer } from "../../tracing/index.js";
import { sessionName, type Tag, trajectoryKey } from "../../transfer/index.js";
import { abortable, settled } from "../abortable.js";
import type { AgentLoopContext, AgentLoopOutput } from "../agent-loop.js";
import { agentErrors } from "../errors.js";
import type { InteractionSet } from "../interactions/load-interactions.js";
import { BEGUN, type LateLoop } from "../late-start.js";
import { asHeld, MEDIA_FIX, strangeProblem, tokensProblem } from "../loops/check-media.js";
import { loopFailure } from "../loops/loop-failure.js";
import { SessionMedia } from "../loops/loop-media.js";
import type { AgentSettings } from "../settings.js";
import type { ToolParser } from "../tool-parsers/tool-parser.js";
import { type TrajectoryFields, toRow, trajectoryTag } from "../trajectories/trajectory-row.js";
import { type CheckedOutput, checkOutput } from "./check-output.js";
import { nameOf, type PromptRun } from "./prompt-run.js";
import { groundTruthOf, scoreSession } from "./score-session.js";
import { type SessionWatch, type WatchedSession, watchedClient } from "./session-watch.js";
import { sessionSpan, tracedReward } from "./trace.js";
import type { Unwinding } from "./unwinding.js";

/** What every session of a run uses. */
export interface SessionTools {
  readonly settings: AgentSettings;
  readonly client: LlmClient;
  readonly tokenizer: Tokenizer;
  readonly toolParser: ToolParser;
  readonly turnEncoder: AgentLoopContext["turnEncoder"];
  readonly media: MediaIntake;
  readonly interactions: InteractionSet;
  readonly rewards: RewardManager | null;
  readonly logger: Logger;
  readonly seed: number;
  /** Of the model; null where it is not known. */
  readonly vocabSize: number | null;
  readonly watch: SessionWatch;
  readonly tracer: Tracer;
  readonly unwinding: Unwinding;
}

/** The rows of a finished session, not yet stored. */
export interface SessionResult {
  readonly entries: readonly { readonly key: string; readonly fields: Row; readonly tag: Tag }[];
  /** The reward if scoring failed and left no score. */
  readonly failedReward: RewardResult | null;
}

/** Run one session of a prompt: the agent loop, then the reward of its final output. */
export function runSession(
  prompt: PromptRun,
  session: number,
  tools: SessionTools,
  watched: WatchedSession,
): Promise<SessionResult> {
  return tools.tracer.span(sessionSpan(prompt, session), (span) =>
    withTracer(tools.tracer, () => run(prompt, session, tools, { watched, span })),
  );
}

async function run(
  prompt: PromptRun,
  session: number,
  tools: SessionTools,
  { watched, span }: { readonly watched: WatchedSession; readonly span: Span },
): Promise<SessionResult> {
  const { task, signal } = prompt;
  const { settings, logger } = tools;
  const loopName = `the agent loop ${prompt.factory.name}`;
  watched.waitFor(loopName);
  const client = watchedClient(tools.client, watched, loopName);
  const returned = await runLoop(prompt, session, { ...tools, client });
  const outputs = Array.isArray(returned) ? (returned as readonly AgentLoopOutput[]) : [returned as AgentLoopOutput];
  if (outputs.length === 0) {
    logger.warn(`session ${session} of prompt ${nameOf(prompt)} returned no trajectory`);
    return { entries: [], failedReward: null };
  }
  const checked = await Promise.all(
    outputs.map((output, index) => {
      const where = `agent loop ${prompt.factory.name}, prompt ${nameOf(prompt)}, session ${session}, output ${index}`;
      const whole = checkOutput(output, { ...settings, vocabSize: tools.vocabSize }, where);
      // Later outputs may begin with what the model has sampled, placeholders among it.
      return withHeldMedia(whole, tools.media, { where, shown: index === 0 ? task.messages : null });
    }),
  );
  const last = outputs.length - 1;
  if (prompt.factory.scoresItself && outputs[last].rewardScore === undefined) {
    throw agentErrors.VERL_AGENT_BAD_OUTPUT({
      what: "the loop says that it scores itself, and its last output has no rewardScore",
      where: `agent loop ${prompt.factory.name}, prompt ${nameOf(prompt)}, session ${session}`,
    });
  }
  refuseOtherRewards(outputs, `agent loop ${prompt.factory.name}, prompt ${nameOf(prompt)}, session ${session}`);
  watched.waitFor("the reward");
  const given = await abortable(
    tracedReward(tools.tracer, prompt.dataSource, () =>
      scoreSession(
        {
          key: trajectoryKey(task.uid, session, last),
          output: outputs[last],
          checked: checked[last],
          messages: task.messages,
          row: task.row,
          dataSource: prompt.dataSource,
          origin: prompt.origin,
        },
        { manager: tools.rewards, settings, tokenizer: tools.tokenizer, signal },
      ),
    ),
    signal,
  );
  const isLater = given === null || given.later !== undefined;
  const reward = isLater ? null : given;
  span.set({
    [ATTRIBUTE.trajectories]: outputs.length,
    [ATTRIBUTE.finishReasons]: [checked[last].stopReason],
    [ATTRIBUTE.score]: reward?.score ?? undefined,
    [ATTRIBUTE.outcome]: reward?.outcome,
  });
  const entries = outputs.map((output, index) => {
    const fields = { ...fieldsOf(prompt, output, checked[index], reward), ...(isLater ? laterOf(prompt, given) : {}) };
    const place = { draw: task.draw, session, index, globalStep: prompt.globalStep };
    return { key: trajectoryKey(task.uid, session, index), fields: toRow(fields), tag: trajectoryTag(fields, place) };
  });
  return { entries, failedReward: reward && isFailure(reward) && reward.score === null ? reward : null };
}

/** The output with its media as the run holds them. */
async function withHeldMedia(
  checked: CheckedOutput,
  media: MediaIntake,
  { where, shown }: { readonly where: string; readonly shown: readonly ChatMessage[] | null },
): Promise<CheckedOutput> {
  const problem = strangeProblem(checked.media, media) ?? (await tokensProblem(checked, media, shown));
  if (problem !== null) throw agentErrors.VERL_AGENT_BAD_OUTPUT({ what: problem, where, fix: MEDIA_FIX });
  return { ...checked, media: asHeld(checked.media, media) };
}

/** A session has one reward: another on an earlier output would be passed over without a word. */
function refuseOtherRewards(outputs: readonly AgentLoopOutput[], where: string): void {
  const own = outputs.at(-1)?.rewardScore;
  const other = outputs.findIndex(({ rewardScore }) => rewardScore !== undefined && !Object.is(rewardScore, own));
  if (other < 0) return;
  throw agentErrors.VERL_AGENT_BAD_OUTPUT({
    what: `output ${other} has the rewardScore ${outputs[other].rewardScore}, and the last one ${own ?? "none"}`,
    where,
    why: "a session has one reward, that of its last output, and every output is trained on with it",
    fix: "set it on the last output alone, or return outputs that are to be told apart as sessions of their own",
  });
}

/** What the agent loop returns: before its deadline, or the session has failed. What it takes to make the loop does not count. */
async function runLoop(prompt: PromptRun, session: number, tools: SessionTools) {
  const { task, factory, signal } = prompt;
  const { sessionDeadlineMs: deadlineMs } = tools.settings;
  const expiry = new AbortController();
  const both = AbortSignal.any([signal, expiry.signal]);
  const inLoop = <T>(call: () => T) =>
    inUserCode(() => `the agent loop ${factory.name}, prompt ${nameOf(prompt)}, session ${session}`, call);
  const context = contextOf(prompt, session, tools, both);
  const loop: LateLoop = await abortable(
    inLoop(() => factory.create(context)),
    both,
  );
  const late = () =>
    agentErrors.VERL_AGENT_SESSION_TIMEOUT({
      what: `the agent loop ${factory.name} took longer than ${deadlineMs / 1000} s`,
      where: `prompt ${nameOf(prompt)}, session ${session}`,
    });
  let [timer, isOver] = [undefined as NodeJS.Timeout | undefined, false];
  const begin = () => {
    if (Number.isFinite(deadlineMs) && !isOver) timer = setTimeout(() => expiry.abort(late()), timerMs(deadlineMs));
  };
  const begun = loop[BEGUN];
  if (begun) void begun.then(begin);
  else begin();
  try {
    // Others run with the same row, in later passes too; the reward, which comes after, sees it as it is.
    const { messages, row } = ownCopy({ messages: task.messages, row: task.row });
    const input = { messages, row, validate: prompt.partition === "val" };
    return await abortable(tools.unwinding.watch(settled(() => inLoop(() => loop.run(input)))), both);
  } catch (error) {
    // Code that passes its signal on rejects with an error of its own before the deadline's.
    both.throwIfAborted();
    throw loopFailure(error, factory.name, `prompt ${nameOf(prompt)}, session ${session}`);
  } finally {
    isOver = true;
    clearTimeout(timer);
  }
}

function contextOf(prompt: PromptRun, session: number, tools: SessionTools, signal: AbortSignal): AgentLoopContext {
  const { settings } = tools;
  const { applyChatTemplateKwargs, multiTurn } = settings;
  const { sampling } = prompt;
  const options = settings.loopOptions[prompt.factory.name] ?? {};
  const media = new SessionMedia(tools.media, prompt.signal);
  return {
    client: tools.client,
    tokenizer: tools.tokenizer,
    promptLength: settings.promptLength,
    responseLength: settings.responseLength,
    trajectoryId: sessionName(prompt.task.uid, session),
    seed: tools.seed,
    ...ownCopy({ sampling, applyChatTemplateKwargs, multiTurn, options }),
    encodePrompt: prompt.encoder.encodeText,
    async preparePrompt(messages, options) {
      const { taken, ...prepared } = await prompt.encoder.prepare(messages, options);
      media.keep(taken);
      return prepared;
    },
    media,
    tools: prompt.tools,
    interactions: tools.interactions,
    toolParser: tools.toolParser,
    turnEncoder: tools.turnEncoder,
    signal,
    tracer: tools.tracer,
    logger: tools.logger,
  };
}

function fieldsOf(
  prompt: PromptRun,
  output: AgentLoopOutput,
  checked: CheckedOutput,
  reward: RewardResult | null,
): TrajectoryFields {
  return {
    promptIds: checked.promptIds,
    responseIds: checked.responseIds,
    responseMask: checked.responseMask,
    rolloutLogProbs: checked.logProbs,
    score: reward?.score ?? null,
    rewardOutcome: reward?.outcome ?? null,
    rewardExtra: reward?.extra ?? {},
    rewardMessage: reward?.message ?? null,
    numTurns: output.numTurns,
    stopReason: checked.stopReason,
    minWeightVersion: output.minWeightVersion,
    maxWeightVersion: output.maxWeightVersion,
    weightVersions: checked.weightVersions,
    ...(checked.media.length > 0 ? { multiModalData: checked.media } : {}),
    metrics: {
      ...output.metrics,
      ...(reward?.seconds ? { computeScore: reward.seconds.score, rewardQueue: reward.seconds.queue } : {}),
    },
    extraFields: toJsonValue(output.extraFields) as TrajectoryFields["extraFields"],
    dataSource: prompt.dataSource,
    groundTruth: groundTruthOf(prompt.task.row),
    origin: prompt.origin,
    agentName: prompt.factory.name,
  };
}

/** What is kept for the trainer, which scores it after sampling. */
function laterOf({ task }: PromptRun, given: RewardResult | null): Partial<TrajectoryFields> {
  return {
    promptMessages: toJsonValue(task.messages),
    ...(given?.later === undefined ? {} : { rewardLater: given.later }),
  };
}
