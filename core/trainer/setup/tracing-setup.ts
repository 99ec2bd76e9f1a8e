import path from "node:path";
import type { AgentLoopManager } from "../../agent/agent-loop.js";
import type { RunConfig } from "../../config/run-config.js";
import type { ReplicaSet } from "../../rollout/index.js";
import { composeTracers, type Gauge, type Tracer, type TracerOptions } from "../../tracing/index.js";
import type { InputScope } from "../run-scope.js";

/** Registered names of the tracers that the configuration asks for. */
export function tracerNames(
  { actor_rollout_ref }: Pick<RunConfig, "actor_rollout_ref">,
  withMetrics = true,
): readonly string[] {
  const { trace, prometheus } = actor_rollout_ref.rollout;
  const metrics = withMetrics && prometheus.enable ? ["prometheus"] : [];
  return [...(trace.backend === null ? [] : [trace.backend]), ...metrics];
}

type TracingScope = Pick<InputScope, "config" | "services" | "cwd" | "logger">;

/** Commands that do what a run does, and their folders below that of the run. */
export type TracedCommand = "eval" | "generate" | "debug" | "replay";

/**
 * That of a command that is no run: its traces are in a folder of its own below the run's, whose traces it leaves alone. A replay
 * has no metrics: it is over in a moment, and the run may still have the port.
 */
export async function createCommandTracer(scope: TracingScope, command: TracedCommand): Promise<Tracer> {
  const { config, cwd, logger } = scope;
  const outputDir = path.resolve(cwd, config.trainer.default_local_dir, command);
  if (config.actor_rollout_ref.rollout.trace.backend !== null) logger.info(`traces: ${outputDir}`);
  return createRunTracer(scope, { outputDir, withMetrics: command !== "replay" });
}

/** The sections that tracers are handed. */
export function tracerSections({
  actor_rollout_ref,
}: Pick<RunConfig, "actor_rollout_ref">): Pick<TracerOptions, "trace" | "prometheus"> {
  const { trace, prometheus } = actor_rollout_ref.rollout;
  return {
    trace: {
      token2text: trace.token2text,
      maxSamplesPerStepPerWorker: trace.max_samples_per_step_per_worker,
      endpoint: trace.endpoint,
      headers: trace.headers,
    },
    prometheus: { port: prometheus.port, file: prometheus.file, servedModelName: prometheus.served_model_name },
  };
}

/** The tracers that the configuration asks for; one that does nothing where it asks for none. */
export async function createRunTracer(
  { config, services, cwd, logger }: TracingScope,
  {
    outputDir,
    resumed = false,
    withMetrics = true,
  }: { readonly outputDir: string; readonly resumed?: boolean; readonly withMetrics?: boolean },
): Promise<Tracer> {
  const { trace } = config.actor_rollout_ref.rollout;
  const tracerOptions: TracerOptions = {
    ...{ outputDir, resumed, cwd, env: process.env, logger },
    projectName: trace.project_name ?? config.trainer.project_name,
    experimentName: trace.experiment_name ?? config.trainer.experiment_name,
    ...tracerSections(config),
  };
  const tracers: Tracer[] = [];
  for (const name of tracerNames(config, withMetrics))
    tracers.push(await services.registries.tracers.require(name).create(tracerOptions));
  return composeTracers(tracers);
}

/** What can be read at any time: what sessions wait for, and how the servers are. */
export function runGauges(
  manager: Pick<AgentLoopManager, "waiting"> | null,
  { replicas }: Pick<ReplicaSet, "replicas">,
): readonly Gauge[] {
  const waiting = new Map<string, number>();
  for (const { waitsFor } of manager?.waiting?.() ?? []) {
    // "the agent loop NAME" names a loop, and the number of those is not bounded here.
    const what = waitsFor.replace(/^the (agent loop) .*/, "$1").replace(/^(the|a) /, "");
    waiting.set(what, (waiting.get(what) ?? 0) + 1);
  }
  return [
    ...[...waiting].map(([what, value]) => ({
      ...{ name: "verl_sessions_waiting", help: "Sessions in flight, by what they wait for.", value },
      labels: { waits_for: what.replaceAll(" ", "_") },
    })),
    ...replicas.flatMap(({ replicaRank, inFlight, weightVersion }) => {
      const labels = { replica: String(replicaRank) };
      return [
        { name: "verl_replica_requests_in_flight", help: "Requests being served or queued.", labels, value: inFlight },
        { name: "verl_replica_weight_version", help: "Version of the weights held.", labels, value: weightVersion },
      ];
    }),
  ];
}
