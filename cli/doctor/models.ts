import { existsSync } from "node:fs";
import path from "node:path";
import { criticUsed, parseHubReference, type RunConfig } from "../../core/config/index.js";
import { hubSnapshot } from "../../core/formats/index.js";
import type { Diagnosis } from "../../core/plugin.js";
import { commandLogger } from "../program/command-logger.js";
import type { CommandIo } from "../program/io.js";
import { diagnoseAdapter } from "./adapter.js";
import { diagnoseTokenizer, type TokenizerDiagnosis } from "./tokenizer.js";
import { diagnoseWeights } from "./weights.js";

/** A model of the configuration, or `--model`, with the tokenizer that goes with it. */
interface NamedModel {
  /** Behind the names of its findings, e.g. ` of the critic`. */
  readonly of: string;
  /** Null: random, or on a server. */
  readonly weights: string | null;
  readonly tokenizer: string | null;
  readonly chatTemplate?: string | null;
  readonly kwargs?: Readonly<Record<string, unknown>>;
}

export interface ModelsDiagnosis {
  readonly findings: readonly Diagnosis[];
  /** Of the model that is trained. */
  readonly template: TokenizerDiagnosis["template"];
}

/** Files, weights, tokenizers and templates of every model that the configuration reads; `named` is the model of `--model`. */
export async function diagnoseModels(
  config: RunConfig,
  named: string | null,
  { scanSeconds, io }: { readonly scanSeconds: number; readonly io: CommandIo },
): Promise<ModelsDiagnosis> {
  const [main, ...others] = modelsOf(config, named, io.cwd);
  const own = await diagnose(main, null);
  const further = [];
  // A critic reads what the policy's tokenizer makes.
  for (const model of others) further.push(await diagnose(model, own.vocabulary));
  const base = main.weights === null ? null : await placeOf(main.weights, io);
  // Without the model's shapes an adapter's cannot be judged; that it is not here has been said.
  const ofAdapter = await diagnoseAdapter(config, base, io.cwd);
  return { findings: [...[own, ...further].flatMap(({ findings }) => findings), ...ofAdapter], template: own.template };

  async function diagnose(
    { of, weights, tokenizer, chatTemplate, kwargs }: NamedModel,
    policy: TokenizerDiagnosis["vocabulary"],
  ): Promise<TokenizerDiagnosis> {
    const findings: Diagnosis[] = [];
    // Of a scorer's template nothing is asked that agents ask of one.
    const isPolicy = of === "";
    const places = new Map<string, string | null>();
    for (const model of new Set([weights, tokenizer])) {
      if (model === null) continue;
      const place = await placeOf(model, io);
      places.set(model, place);
      if (place === null) findings.push(notThere(model, of, io.cwd));
    }
    const at = (model: string | null) => (model === null ? null : (places.get(model) ?? null));
    const tokens = at(tokenizer);
    const read = tokens === null ? null : await diagnoseTokenizer(tokens, { chatTemplate, kwargs });
    const vocabulary = read?.vocabulary ?? null;
    const [first] = read?.findings ?? [];
    // A file that is no model at all: its weights would say the same once more.
    if (first?.detail.startsWith("VERL_FORMATS_NOT_A_MODEL") && tokens === at(weights)) {
      return { findings: [...findings, { ...first, name: `model${of}` }], template: null, vocabulary };
    }
    const ofTokenizer = (read?.findings ?? []).filter(({ name }) => isPolicy || name === "tokenizer");
    findings.push(...ofTokenizer.map((finding) => ({ ...finding, name: `${finding.name}${of}` })));
    const files = at(weights);
    if (files !== null) {
      const found = await diagnoseWeights(files, { scanSeconds, vocabulary: vocabulary ?? policy, io });
      findings.push(...found.map((finding) => ({ ...finding, name: `${finding.name}${of}` })));
    }
    return { findings, template: read?.template ?? null, vocabulary };
  }
}

/** The policy first; others where they have files of their own. */
function modelsOf(config: RunConfig, named: string | null, cwd: string): NamedModel[] {
  const { actor_rollout_ref, critic, data, reward } = config;
  const { model } = actor_rollout_ref;
  const { reward_model: scorer } = reward;
  const main = {
    of: "",
    weights: named ?? model.path,
    tokenizer: named ?? model.tokenizer_path ?? model.path,
    chatTemplate: model.custom_chat_template,
    kwargs: data.apply_chat_template_kwargs,
  };
  const isOwn = (file: string | null): file is string =>
    file !== null && ![main.weights, model.path].some((other) => other !== null && isSame(file, other, cwd));
  const models: NamedModel[] = [main];
  if (criticUsed(config) && isOwn(critic.model.path)) {
    models.push({ of: " of the critic", weights: critic.model.path, tokenizer: null });
  }
  if (scorer.enable) {
    // On a server the path is but a name.
    const weights = scorer.rollout.name === "engine" ? scorer.model_path : null;
    const tokenizer = scorer.tokenizer_path ?? weights;
    if (weights !== null || tokenizer !== null) models.push({ of: " of the reward model", weights, tokenizer });
  }
  return models;
}

const isSame = (a: string, b: string, cwd: string) => path.resolve(cwd, a) === path.resolve(cwd, b);

/** Where a model's files are; null where they are not here. A look at the machine downloads nothing: of the Hub it sees the cache. */
async function placeOf(model: string, io: CommandIo): Promise<string | null> {
  const local = path.resolve(io.cwd, model);
  if (existsSync(local)) return local;
  const reference = parseHubReference(model);
  if (!reference) return null;
  const env = { ...io.env, HF_HUB_OFFLINE: "1" };
  return hubSnapshot(reference, { env, logger: commandLogger(io) }).catch(() => null);
}

function notThere(model: string, of: string, cwd: string): Diagnosis {
  const name = `model${of}`;
  const local = path.resolve(cwd, model);
  if (!parseHubReference(model)) {
    const hub = /^[A-Za-z0-9][\w.-]*$/.test(model)
      ? `; a model of the Hugging Face Hub is OWNER/NAME, as openai-community/gpt2, from HF_ENDPOINT, kept below HF_HOME, with HF_HUB_OFFLINE=1 from there alone`
      : "";
    const fix = `Name a folder with config.json and model.safetensors, or a .gguf file${hub}.`;
    return { name, status: "failed", detail: `there is no model at ${local}`, fix };
  }
  const detail = `neither the folder ${local} nor, in the cache of the Hugging Face Hub, ${model} is here: its files were not looked at`;
  const fix =
    "A run fetches it (HF_ENDPOINT: a mirror; HF_HOME: where it is kept); a folder with its files can be named as well.";
  return { name, status: "warning", detail, fix };
}
