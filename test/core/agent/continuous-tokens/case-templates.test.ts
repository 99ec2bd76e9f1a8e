import { expect } from "chai";
import { CHECK_CONVERSATIONS } from "../../../../core/agent/continuous-tokens/check-conversations.js";
import { ContinuousTokenBuilder, checkTemplate, type ShapeCheck, TurnEncoder } from "../../../../core/agent/index.js";
import type { Tokenizer } from "../../../../core/data/index.js";
import { bytesTokenizer, caseTemplates, idsOf } from "./support.js";

type Status = ShapeCheck["status"];

interface Expected {
  readonly template: string;
  readonly modelType: string;
  readonly stop: readonly string[];
  readonly special?: readonly string[];
  /** Shapes that are not append-only. */
  readonly shapes?: Readonly<Record<string, Status>>;
}

const TOOL_SHAPES = CHECK_CONVERSATIONS.filter(({ tools }) => tools.length > 0).map(({ name }) => name);
const all = (names: readonly string[], status: Status) => Object.fromEntries(names.map((name) => [name, status]));

const TEMPLATES: readonly Expected[] = [
  // Writes neither tools nor calls, but every message.
  { template: "chatml_plain", modelType: "qwen2", stop: ["<|im_end|>"] },
  { template: "chatml_default_system", modelType: "llama", stop: ["<|im_end|>"] },
  {
    template: "llama_like",
    modelType: "llama",
    stop: ["<|eot|>"],
    special: ["<|header|>", "<|/header|>"],
    shapes: { "parallel tool calls": "refused" },
  },
  { template: "hermes_like", modelType: "qwen2", stop: ["<|im_end|>"] },
  {
    // Drops the reasoning of earlier turns, and writes an empty one into a last turn without.
    template: "qwen_like",
    modelType: "qwen3",
    stop: ["<|im_end|>"],
    shapes: all(
      [
        "several user turns",
        "several user turns, system prompt",
        "reasoning, then a user turn",
        "a later system message",
        "tool call",
        "tool result and a user message",
      ],
      "rewritten",
    ),
  },
  {
    template: "glm_like",
    modelType: "glm4_moe",
    stop: ["<|user|>", "<|observation|>"],
    special: ["[gMASK]", "<sop>"],
  },
  {
    // All system messages stand at the front; tool results are closed only once an answer follows.
    template: "deepseek_like",
    modelType: "deepseek_v3",
    stop: ["<｜end｜>"],
    shapes: { "a later system message": "split", "reasoning before tool calls": "rewritten" },
  },
  {
    template: "strict_turns",
    modelType: "mistral",
    stop: ["<EOS>"],
    shapes: { "a later system message": "split", ...all(TOOL_SHAPES, "refused") },
  },
];

describe("chat templates of the conformance cases", () => {
  for (const { template, modelType, stop, special, shapes = {} } of TEMPLATES) {
    describe(template, () => {
      let tokenizer: Tokenizer;
      before(async () => {
        tokenizer = await bytesTokenizer({ template: caseTemplates.get(template) as string, stop, special });
      });

      it("P22: merge to one full rendering wherever the template only appends", () => {
        const check = checkTemplate(tokenizer, { modelType });
        const found = Object.fromEntries(check.shapes.map(({ name, status }) => [name, status]));
        const expected = all(
          CHECK_CONVERSATIONS.map(({ name }) => name),
          "append-only",
        );
        expect(found).to.deep.equal({ ...expected, ...shapes });
        expect(check.appendOnly).to.equal(Object.values(shapes).every((status) => status === "refused"));
      });

      for (const { name, messages, tools } of CHECK_CONVERSATIONS) {
        if (shapes[name] === "refused") continue;
        it(`give the tokens that the engine saw: ${name}`, () => {
          const encoder = new TurnEncoder(tokenizer, { modelType, tools });
          const tokens = new ContinuousTokenBuilder(encoder);
          const turns = messages.flatMap(({ role }, i) => (role === "assistant" ? [i] : []));
          tokens.start(messages.slice(0, turns[0]));
          const calls: { prompt: readonly number[]; completion: readonly number[]; split: boolean }[] = [];
          let split = false;
          for (const [n, at] of turns.entries()) {
            const prompt = tokens.promptIds;
            const completion = idsOf(tokenizer, `${messages[at].content || "call"}${stop[0]}`);
            calls.push({ prompt, completion, split });
            tokens.addAssistant({ tokenIds: completion, minWeightVersion: n, maxWeightVersion: n });
            const edit = tokens.addMessages(messages.slice(0, at + 1), messages.slice(0, turns[n + 1]));
            split = edit.kind === "split";
          }
          const samples = [...tokens.samples];
          for (const [n, { prompt, completion, split }] of calls.entries()) {
            if (n === 0 || split) expect(samples[0].promptIds).to.deep.equal(prompt);
            const { promptIds, responseIds, responseMask } = samples[0];
            const from = prompt.length - promptIds.length;
            const to = from + completion.length;
            // Glm's stop token gives way where another turn begins than the model had announced.
            const kept = responseMask[to - 1] === 1 ? to : to - 1;
            expect([...promptIds, ...responseIds.slice(0, kept)]).to.deep.equal(
              [...prompt, ...completion].slice(0, promptIds.length + kept),
            );
            expect(responseMask.slice(from, kept)).to.deep.equal(Array(kept - from).fill(1));
            if (calls[n + 1]?.split) samples.shift();
          }
        });
      }
    });
  }
});
