import { createTrackerSet } from "../../tracking/index.js";
import { runDumps } from "../dumps.js";
import { checkPlan, requirePlan } from "../plan/plan-check.js";
import type { RunScope } from "../run-scope.js";
import { promptFeed } from "../sampling/prompt-feed.js";
import { requireWeights } from "../setup/engine-options.js";
import { openDataset, openTokenizer } from "../setup/input-setup.js";
import { createRunLoops } from "../setup/loops-setup.js";
import { createRunMedia, shownMedia } from "../setup/media-setup.js";
import { createRewards } from "../setup/rewards-setup.js";
import { createSampling } from "../setup/sampling-setup.js";
import { createRunSandbox } from "../setup/sandbox-setup.js";
import { serveAdapter } from "../setup/serve-adapter.js";
import { createRunTools } from "../setup/tools-setup.js";
import { createCommandTracer } from "../setup/tracing-setup.js";
import { validate } from "./validation.js";

export interface Evaluation {
  /** Validation metrics under their usual names. */
  readonly metrics: Readonly<Record<string, number>>;
  readonly rows: number;
}

/** Sample and score `data.val_files` with a model, and its adapter if it has one, as they are on disk. */
export async function evaluateModel(scope: RunScope): Promise<Evaluation> {
  const { config, cwd, signal } = scope;
  requireWeights(config);
  const cleanups: (() => Promise<void>)[] = [];
  try {
    const checked = await checkPlan(scope, { algorithm: null, totalSteps: 0, owners: ["rollout", "reward model"] });
    requirePlan(checked, scope.logger);
    const vocabSize = checked.models.get("rollout")?.vocabSize ?? null;
    const now = new Date();
    const tokenizer = await openTokenizer(config, cwd, () => now);
    const media = await createRunMedia(scope, tokenizer);
    cleanups.push(() => media.dispose());
    const sandbox = createRunSandbox(config.reward, scope.services, scope.logger);
    cleanups.push(() => sandbox.close());
    const tools = createRunTools(scope, sandbox);
    cleanups.push(() => tools.close());
    const loops = await createRunLoops(scope);
    const validation = await openDataset(scope, { tokenizer, media, tools: { run: tools, loops } }, "val");
    const shown = shownMedia([validation], media);
    const rewards = await createRewards(scope, { tokenizer, media, sandbox, loops }, [validation]);
    cleanups.push(() => rewards.dispose());
    await rewards.start({ signal });
    const tracer = await createCommandTracer(scope, "eval");
    cleanups.push(() => tracer.finish());
    rewards.trace(tracer);
    const needs = { tokenizer, media, shown, rewards, tools, loops, tracer, refill: null, vocabSize, now };
    const sampling = await createSampling(scope, needs, cleanups);
    cleanups.push(() => sampling.manager.cancel(new Error("the evaluation is over")));
    await serveAdapter(scope, sampling);
    const metrics = await validate(
      {
        ...sampling,
        vocabSize,
        lateRewards: rewards.late(null),
        config,
        tokenizer,
        media,
        validation,
        trackers: createTrackerSet([]),
        logger: scope.logger,
        dump: runDumps(config, { tokenizer, media }, cwd),
      },
      promptFeed({
        ...sampling,
        loader: null,
        seed: config.trainer.seed,
        sessions: config.actor_rollout_ref.rollout.n,
      }),
      {
        globalStep: 0,
        signal: sampling.manager.failed ? AbortSignal.any([signal, sampling.manager.failed]) : signal,
      },
    );
    return { metrics, rows: validation.length };
  } finally {
    for (const cleanup of cleanups.reverse()) await cleanup();
  }
}
