import { charTokenizerFiles } from "../../../core/data/index.js";
import type { PackedWorkspace } from "./workspace.js";

/** Two steps of GRPO on a model of a few thousand random weights: seconds, and everything is real. */
const CONFIG = `
data:
  train_files: [rows.jsonl]
  max_prompt_length: 4
  max_response_length: 4
  train_batch_size: 4
algorithm:
  adv_estimator: grpo
reward:
  custom_reward_function:
    path: reward.js
    name: computeScore
actor_rollout_ref:
  model:
    tokenizer_path: tokenizer
    config:
      model_type: llama
      architectures: [LlamaForCausalLM]
      vocab_size: 14
      hidden_size: 16
      intermediate_size: 32
      num_hidden_layers: 1
      num_attention_heads: 2
      num_key_value_heads: 1
      max_position_embeddings: 16
      rms_norm_eps: 0.00001
      rope_theta: 10000
      hidden_act: silu
      tie_word_embeddings: true
      bos_token_id: null
      eos_token_id: 1
      pad_token_id: 0
  actor:
    ppo_mini_batch_size: 4
    optim:
      lr: 0.001
  rollout:
    n: 4
trainer:
  total_training_steps: 2
  save_freq: -1
  resume_mode: disable
  logger: [jsonl]
`;
const REWARD = "export const computeScore = ({ solution }) => solution.length % 2;\n";

/** Writes the run's files into the user's project. */
export function writeTinyRun(workspace: PackedWorkspace): void {
  const { tokenizerJson, tokenizerConfig, chatTemplate } = charTokenizerFiles("0123456789+=", {
    pad: "<pad>",
    eos: "<eos>",
    chatTemplate: "{{ messages[0]['content'] }}",
  });
  const rows = Array.from({ length: 8 }, (_, i) => ({
    prompt: [{ role: "user", content: `${i + 1}+1=` }],
    data_source: "tiny",
    reward_model: { style: "rule", ground_truth: String(i + 2) },
  }));
  workspace.write("run.yaml", CONFIG);
  workspace.write("reward.js", REWARD);
  workspace.write("rows.jsonl", rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
  workspace.write("tokenizer/tokenizer.json", JSON.stringify(tokenizerJson));
  workspace.write(
    "tokenizer/tokenizer_config.json",
    JSON.stringify({ ...tokenizerConfig, chat_template: chatTemplate }),
  );
}

/** Metrics of every step of a run whose files went to `folder`. */
export function stepMetrics(workspace: PackedWorkspace, folder: string): Record<string, number>[] {
  const lines = workspace.read(`${folder}/metrics.jsonl`).trim().split("\n");
  return lines.map((line) => (JSON.parse(line) as { data: Record<string, number> }).data);
}
