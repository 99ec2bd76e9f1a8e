import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { charTokenizerFiles } from "../../core/data/index.js";

const LETTERS = "abcdefghijkl";
const TOKENIZER = charTokenizerFiles(LETTERS, { pad: "_", eos: ".", chatTemplate: "{{ messages[0]['content'] }}" });
const REWARD = `export const computeScore = ({ solution }) => [...solution].filter((letter) => letter === "a").length / 4;\n`;

/** A module that registers the engine and the rollout `fake`: for `VERL_USE_EXTERNAL_MODULES`, or `plugins`. */
export const TOY_BACKENDS = fileURLToPath(new URL("./toy-backends.js", import.meta.url));

/** Steps of the run that {@link writeToyRun} writes. */
export const TOY_STEPS = 3;

/**
 * Writes a run of three steps over a bigram model into a folder, which it returns the overrides for: four prompts of a letter, four
 * answers each, a point for the letter `a`. It needs {@link TOY_BACKENDS}.
 */
export async function writeToyRun(folder: string): Promise<readonly string[]> {
  const tokenizer = path.join(folder, "tokenizer");
  await mkdir(tokenizer, { recursive: true });
  const json = (name: string, value: unknown) => writeFile(path.join(tokenizer, name), JSON.stringify(value));
  await json("tokenizer.json", TOKENIZER.tokenizerJson);
  await json("tokenizer_config.json", { ...TOKENIZER.tokenizerConfig, chat_template: TOKENIZER.chatTemplate });
  await json("generation_config.json", TOKENIZER.generationConfig);
  const rows = [...LETTERS].map((content) => ({
    prompt: [{ role: "user", content }],
    data_source: "toy",
    reward_model: { style: "rule", ground_truth: "a" },
  }));
  await writeFile(path.join(folder, "rows.jsonl"), rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
  await writeFile(path.join(folder, "reward.mjs"), REWARD);
  return [
    "data.train_files=[rows.jsonl]",
    "data.train_batch_size=4",
    "data.max_prompt_length=4",
    "data.max_response_length=4",
    "reward.custom_reward_function.path=reward.mjs",
    "reward.custom_reward_function.name=computeScore",
    `actor_rollout_ref.model.config={vocab_size: ${LETTERS.length + 2}, max_position_embeddings: 16}`,
    "actor_rollout_ref.model.tokenizer_path=tokenizer",
    "actor_rollout_ref.actor.strategy=fake",
    "actor_rollout_ref.actor.optim.lr=0.1",
    "actor_rollout_ref.rollout.name=fake",
    "actor_rollout_ref.rollout.n=4",
    `trainer.total_training_steps=${TOY_STEPS}`,
    "trainer.default_local_dir=run",
    "trainer.device=cpu",
    "trainer.threads=1",
    "trainer.logger=[]",
  ];
}
