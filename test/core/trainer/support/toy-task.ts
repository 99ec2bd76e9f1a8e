import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { charTokenizerFiles, RandomStream } from "../../../../core/data/index.js";
import { parameterSpecs, parseModelConfig, writeHfFolder } from "../../../../core/formats/index.js";

/** Twelve letters; ids 0 and 1 are padding and the end of a text. */
export const ALPHABET = "abcdefghijkl";
export const VOCAB = ALPHABET.length + 2;

/** Share of the letter `a` in the response. */
export const COUNT_A = `export const compute_score = ({ solution }) => {
  const letters = [...solution];
  const score = letters.filter((letter) => letter === "a").length / 4;
  return { score, acc: score, pred: solution };
};`;

export interface ToyTask {
  /** Prompts of the training rows, one or more letters each. */
  readonly prompts: readonly string[];
  readonly validation: readonly string[];
  /** JavaScript of the reward file. */
  readonly reward: string;
}

export const TOY_TASK: ToyTask = {
  prompts: [...ALPHABET],
  validation: ["ab", "cd"],
  reward: COUNT_A,
};

const TOKENIZER = charTokenizerFiles(ALPHABET, {
  pad: "_",
  eos: ".",
  chatTemplate: "{{ messages[0]['content'] }}",
});

/** Writes tokenizer, data and reward function into `folder`. */
export async function writeToyTask(folder: string, task: ToyTask): Promise<void> {
  const files = TOKENIZER;
  const tokenizer = path.join(folder, "tokenizer");
  await mkdir(tokenizer, { recursive: true });
  const json = (name: string, value: unknown) => writeFile(path.join(tokenizer, name), JSON.stringify(value));
  await json("tokenizer.json", files.tokenizerJson);
  await json("tokenizer_config.json", { ...files.tokenizerConfig, chat_template: files.chatTemplate });
  await json("generation_config.json", files.generationConfig);
  await writeRows(path.join(folder, "train.jsonl"), task.prompts);
  await writeRows(path.join(folder, "val.jsonl"), task.validation);
  await writeFile(path.join(folder, "reward.mjs"), task.reward);
}

export async function writeRows(file: string, prompts: readonly string[]): Promise<void> {
  const lines = prompts.map((content, index) =>
    JSON.stringify({
      prompt: [{ role: "user", content }],
      data_source: "toy",
      reward_model: { style: "rule", ground_truth: "a" },
      extra_info: { index },
    }),
  );
  await writeFile(file, lines.map((line) => `${line}\n`).join(""));
}

/** The shortest useful run: four prompts, four samples each, three steps of a bigram model. */
export const TOY_OVERRIDES: readonly string[] = [
  "data.train_files=[train.jsonl]",
  "data.train_batch_size=4",
  "data.max_prompt_length=4",
  "data.max_response_length=4",
  "reward.custom_reward_function.path=reward.mjs",
  `actor_rollout_ref.model.config={vocab_size: ${VOCAB}, max_position_embeddings: 16}`,
  "actor_rollout_ref.model.tokenizer_path=tokenizer",
  "actor_rollout_ref.actor.strategy=fake",
  "actor_rollout_ref.actor.optim.lr=0.1",
  "actor_rollout_ref.rollout.name=fake",
  "actor_rollout_ref.rollout.n=4",
  "trainer.total_training_steps=3",
  "trainer.default_local_dir=run",
  "trainer.device=cpu",
  "trainer.threads=1",
  "trainer.logger=[]",
];

/** A Llama of some thousand weights. */
const LLAMA = {
  model_type: "llama",
  vocab_size: VOCAB,
  hidden_size: 16,
  intermediate_size: 32,
  num_hidden_layers: 2,
  num_attention_heads: 2,
  num_key_value_heads: 1,
  max_position_embeddings: 16,
  rms_norm_eps: 1e-5,
  rope_theta: 10000,
  hidden_act: "silu",
  tie_word_embeddings: false,
  eos_token_id: 1,
  pad_token_id: 0,
};

/** The same task for that Llama with random weights and the kernels of onnxruntime. */
export const ONNX_OVERRIDES: readonly string[] = [
  `actor_rollout_ref.model.config={${Object.entries(LLAMA).map(([name, value]) => `${name}: ${value}`)}}`,
  "actor_rollout_ref.actor.strategy=onnx",
  "actor_rollout_ref.rollout.name=onnx",
  "actor_rollout_ref.actor.optim.lr=0.01",
];

/** Writes that Llama with random weights and its tokenizer as a Hugging Face folder. */
export async function writeToyModel(folder: string): Promise<void> {
  await writeLlama(folder, LLAMA, TOKENIZER);
}

/** A reward model of the same kind: a number for a conversation. Its template puts letters between the turns. */
export async function writeToyRewardModel(
  folder: string,
  options: { chatTemplate?: string | null; alphabet?: string } = {},
) {
  const { alphabet = ALPHABET, chatTemplate = "{{ messages[0]['content'] }}l{{ messages[1]['content'] }}l" } = options;
  const config = { ...LLAMA, architectures: ["LlamaForSequenceClassification"], num_labels: 1 };
  await writeLlama(folder, config, charTokenizerFiles(alphabet, { pad: "_", eos: ".", chatTemplate }), "scores");
}

async function writeLlama(
  folder: string,
  raw: object,
  tokenizerFiles: typeof TOKENIZER,
  head: "languageModel" | "scores" = "languageModel",
): Promise<void> {
  const config = parseModelConfig(raw as typeof LLAMA, { head });
  const tensors = parameterSpecs(config).map(({ name, shape }) => {
    const random = new RandomStream(5, name);
    const size = shape.reduce((n, d) => n * d, 1);
    const isNorm = shape.length === 1;
    const data = Float32Array.from({ length: size }, () => (isNorm ? 1 : 0.3 * random.normal()));
    return { name, shape, dtype: "f32" as const, data };
  });
  await writeHfFolder(folder, { config, tensors, tokenizerFiles, dtype: "f32" });
}

/** For commands that sample with the model that `writeToyModel` wrote to `model`. */
export const TOY_MODEL: readonly string[] = [
  "actor_rollout_ref.model.path=model",
  "data.max_prompt_length=4",
  "data.max_response_length=4",
  "trainer.device=cpu",
  "trainer.threads=1",
];
