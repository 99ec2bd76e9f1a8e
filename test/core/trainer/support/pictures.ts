import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { charTokenizerFiles } from "../../../../core/data/index.js";
import { PICTURE_MODEL, type Rgb, solidPng } from "../../../../testing/index.js";
import { ToyFolder } from "./toy-run.js";

/** A token that is a whole call: what a table of token pairs can learn to write. */
export const CALL = '<tool_call>{"name": "look", "arguments": {}}</tool_call>';
export const LETTERS = "rgbuat";
/** Padding, end, letters, the call, the image. */
export const VOCAB = 2 + LETTERS.length + 2;
export const COLOURS: Readonly<Record<string, Rgb>> = { r: [255, 0, 0], g: [0, 255, 0], b: [0, 0, 255] };

const TEMPLATE = [
  "{% for m in messages %}",
  "{{ {'user': 'u', 'assistant': 'a', 'tool': 't', 'system': ''}[m.role] }}",
  "{% if m.content is string %}{{ m.content }}{% else %}",
  "{% for p in m.content %}{% if p.type == 'image' %}<image>{% else %}{{ p.text }}{% endif %}{% endfor %}{% endif %}",
  ".{% endfor %}{% if add_generation_prompt %}a{% endif %}",
].join("");

const TOOLS = `import { solidPng } from ${JSON.stringify(new URL("../../../../testing/index.js", import.meta.url).href)};
const COLOURS = ${JSON.stringify(COLOURS)};
export const look = {
  name: "look",
  schema: { type: "function", function: { name: "look", description: "Shows the picture.", parameters: { type: "object" } } },
  execute: (_id, _args, _signal, { row }) => {
    const png = solidPng(16, 8, COLOURS[row.reward_model.ground_truth]);
    return { text: "", media: [{ type: "image", image: "data:image/png;base64," + Buffer.from(png).toString("base64") }] };
  },
};`;

/** The colour's letter is right; to have looked is a beginning. */
const REWARD = `export const compute_score = ({ solution, groundTruth, extraInfo }) => {
  const acc = solution.endsWith(groundTruth) ? 1 : 0;
  const looked = extraInfo.tool_calls?.length > 0 ? 0.2 : 0;
  return { score: Math.max(acc, looked), acc };
};`;

/** A folder with the task: say the colour of a picture. `rows` by colour. */
export async function pictures(rows: (colour: string) => Record<string, unknown>): Promise<ToyFolder> {
  const folder = await ToyFolder.create();
  const { tokenizerJson, ...files } = charTokenizerFiles(LETTERS, { pad: "_", eos: ".", chatTemplate: TEMPLATE });
  const { model, added_tokens } = tokenizerJson as unknown as {
    readonly model: { readonly vocab: Record<string, number> };
    readonly added_tokens: readonly Record<string, unknown>[];
  };
  const [like] = added_tokens;
  const added = [CALL, "<image>"].map((content, i) => ({
    ...like,
    id: VOCAB - 2 + i,
    content,
    special: content === "<image>",
  }));
  const dir = folder.at("tokenizer");
  await mkdir(dir, { recursive: true });
  const json = (name: string, value: unknown) => writeFile(path.join(dir, name), JSON.stringify(value));
  await json("tokenizer.json", { ...tokenizerJson, model, added_tokens: [...added_tokens, ...added] });
  await json("tokenizer_config.json", { ...files.tokenizerConfig, chat_template: TEMPLATE });
  await json("generation_config.json", files.generationConfig);
  for (const [colour, rgb] of Object.entries(COLOURS))
    await writeFile(folder.at(`${colour}.png`), solidPng(16, 8, rgb));
  const lines = Object.keys(COLOURS).map((colour, index) =>
    JSON.stringify({
      data_source: "toy",
      reward_model: { style: "rule", ground_truth: colour },
      extra_info: { index },
      ...rows(colour),
    }),
  );
  for (const file of ["train.jsonl", "val.jsonl"]) await folder.write(file, `${lines.join("\n")}\n`);
  await folder.write("reward.mjs", REWARD);
  await folder.write("tools.mjs", TOOLS);
  return folder;
}

export const rollout = "actor_rollout_ref.rollout";
const MODEL = `actor_rollout_ref.model.config={model_type: ${PICTURE_MODEL}, vocab_size: ${VOCAB}, max_position_embeddings: 64}`;
/** A run over it with the toy back-ends. */
export const PICTURE_OVERRIDES = [
  MODEL,
  "data.train_batch_size=3",
  "data.max_prompt_length=8",
  "data.max_response_length=16",
  `${rollout}.n=16`,
  "actor_rollout_ref.actor.optim.lr=0.3",
  "trainer.total_training_steps=40",
];
/** The same with a tool that shows the picture. */
export const WITH_TOOL = [
  ...PICTURE_OVERRIDES,
  `${rollout}.agent.default_agent_loop=tool_agent`,
  `${rollout}.multi_turn.function_tool_path=./tools.mjs`,
  `${rollout}.multi_turn.max_assistant_turns=2`,
];
/** Rows whose picture a tool shows, and rows that show it themselves. */
export const asking = () => ({ prompt: [{ role: "user", content: "t" }] });
export const showing = (colour: string) => ({
  prompt: [{ role: "user", content: "<image>t" }],
  images: [`${colour}.png`],
});
