import path from "node:path";
import { readToolEntries, type ToolEntry } from "../../core/agent/index.js";
import { hubModels, maskSecrets, type RunConfig } from "../../core/config/index.js";
import { diagnoseHubModel } from "../../core/formats/index.js";
import { failedFinding, withDeadline } from "../../core/host/index.js";
import type { Host } from "../../core/index.js";
import type { DiagnoseOptions, Diagnosis } from "../../core/plugin.js";
import { diagnoseServers } from "../../core/reward/index.js";
import { tracerNames, tracerSections } from "../../core/trainer/index.js";

/** Longest wait for one answer. */
export const ANSWER_MS = 5000;
/** A look may take several requests; a plugin's may hang. */
const LOOK_MS = 4 * ANSWER_MS;

/** Whether everything beyond this process that the configuration names can be reached. Nothing else is asked. */
export async function diagnoseNamed(host: Host, config: RunConfig, options: DiagnoseOptions): Promise<Diagnosis[]> {
  const looks = [
    ...rolloutLooks(host, config, options),
    ...rewardLooks(config, options),
    ...(await toolLooks(host, config, options)),
    ...tracerLooks(host, config, options),
    ...hubLooks(config, options),
  ];
  const findings = await Promise.all(looks.map(bounded));
  return findings.flat().map((finding) => masked(finding, options.env));
}

/** What a look is at, for the case that it fails itself. */
interface Look {
  readonly name: string;
  readonly at: () => Promise<readonly Diagnosis[]>;
}

async function bounded({ name, at }: Look): Promise<readonly Diagnosis[]> {
  const late = () => new Error(`no answer within ${LOOK_MS / 1000} s`);
  try {
    return await withDeadline(at(), LOOK_MS, late);
  } catch (error) {
    return [failedFinding(name, error)];
  }
}

function rolloutLooks({ registries }: Host, { actor_rollout_ref }: RunConfig, options: DiagnoseOptions): Look[] {
  const { name, engine_kwargs: sections } = actor_rollout_ref.rollout;
  const factory = registries.rollouts.get(name);
  const extra = (sections[name] ?? {}) as Readonly<Record<string, unknown>>;
  if (!factory?.diagnose) return [];
  return [{ name: `rollout ${name}`, at: async () => (await factory.diagnose?.({ ...options, extra })) ?? [] }];
}

function rewardLooks({ reward }: RunConfig, options: DiagnoseOptions): Look[] {
  const { enable, addresses, model_name, model_path, api_key_env: apiKeyEnv } = reward.reward_model;
  if (!enable || addresses.length === 0) return [];
  const servers = { addresses, model: model_name ?? model_path, apiKeyEnv };
  return [{ name: "reward servers", at: () => diagnoseServers(servers, options) }];
}

async function toolLooks({ registries }: Host, config: RunConfig, options: DiagnoseOptions): Promise<Look[]> {
  const files = new Set([config.data.tool_config_path, config.actor_rollout_ref.rollout.multi_turn.tool_config_path]);
  files.delete(null);
  const looks = await Promise.all(
    [...(files as Set<string>)].map(async (file) => {
      let entries: ToolEntry[];
      try {
        entries = await readToolEntries(path.resolve(options.cwd, file));
      } catch (error) {
        return [{ name: "tools", at: async () => [failedFinding("tools", error)] }];
      }
      return entries.flatMap((entry): Look[] => {
        if (entry.kind !== "registered") return [];
        const { name, config: own, schema, sections, where } = entry;
        const at = async () => {
          const factory = registries.tools.require(name);
          return (await factory.diagnose?.({ ...options, config: own, schema, sections, where })) ?? [];
        };
        return [{ name: `tool ${name}`, at }];
      });
    }),
  );
  return looks.flat();
}

function tracerLooks({ registries }: Host, config: RunConfig, options: DiagnoseOptions): Look[] {
  const settings = tracerSections(config);
  return tracerNames(config).flatMap((name): Look[] => {
    const factory = registries.tracers.get(name);
    if (!factory?.diagnose) return [];
    return [{ name: `tracer ${name}`, at: async () => (await factory.diagnose?.({ ...options, ...settings })) ?? [] }];
  });
}

function hubLooks(config: RunConfig, options: DiagnoseOptions): Look[] {
  const models = new Map(hubModels(config, options.cwd).map(({ value, reference }) => [value, reference]));
  return [...models].map(([value, reference]) => ({
    name: `Hub model ${value}`,
    at: async () => [await diagnoseHubModel(reference, options)],
  }));
}

/** Errors of others may repeat what they were given. */
function masked({ detail, fix, ...finding }: Diagnosis, env: DiagnoseOptions["env"]): Diagnosis {
  const hide = (text: string) => String(maskSecrets(text, env));
  return { ...finding, detail: hide(detail), ...(fix === undefined ? {} : { fix: hide(fix) }) };
}
