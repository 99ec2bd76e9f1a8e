import { expect } from "chai";
import { ContinuousTokenBuilder, mergeTrajectories, TurnEncoder } from "../../../../core/agent/index.js";
import type { ChatMessage } from "../../../../core/data/index.js";
import { createToyTokenizer } from "../../../../testing/index.js";
import { assistant, bytesTokenizer, caseTemplates, idsOf, sampled, system, thrownBy, tool, user } from "./support.js";

describe("ContinuousTokenBuilder", () => {
  const tokenizer = createToyTokenizer();
  const encoder = new TurnEncoder(tokenizer);
  const begun = (messages: readonly ChatMessage[] = [user("hi")]) => {
    const tokens = new ContinuousTokenBuilder(encoder);
    tokens.start(messages);
    return tokens;
  };
  const history = [user("hi"), assistant("go")];
  const answer = sampled(tokenizer, "go<end>");

  it("begins with the rendered prompt", () => {
    const tokens = new ContinuousTokenBuilder(encoder);
    expect(tokens.start([user("hi")])).to.deep.equal({
      kind: "initial",
      removedPrefixCount: 0,
      insertedIds: [],
      appendedIds: idsOf(tokenizer, "<user>hi<end><assistant>"),
    });
    expect(tokens.samples).to.deep.equal([]);
  });

  it("begins with ids that were encoded and shortened before", () => {
    const tokens = new ContinuousTokenBuilder(encoder);
    tokens.start([user("hi")], [7, 8]);
    expect(tokens.promptIds).to.deep.equal([7, 8]);
  });

  it("P18: concatenates prompt, sampled ids, and the newly encoded rest with the next generation prompt", () => {
    const tokens = begun();
    expect(tokens.addAssistant(answer)).to.include({ kind: "assistant", appendedIds: answer.tokenIds });
    const edit = tokens.addMessages(history, [...history, tool("42")]);
    expect(edit).to.deep.equal({
      kind: "messages",
      removedPrefixCount: 0,
      insertedIds: [],
      appendedIds: idsOf(tokenizer, "<tool>42<end><assistant>"),
    });
    expect(tokenizer.decode(tokens.promptIds)).to.equal("<user>hi<end><assistant>go<end><tool>42<end><assistant>");
    expect(tokens.current.responseMask).to.deep.equal([1, 1, 1, 0, 0, 0, 0, 0]);
    expect(tokens.current.responseLogProbs).to.deep.equal([-1, -2, -3, 0, 0, 0, 0, 0]);
  });

  it("T10: never encodes a sampled token again, though its text has other tokens", () => {
    const merging = createToyTokenizer({ vocabulary: ["he", "llo", "hello", "?"] });
    const tokens = new ContinuousTokenBuilder(new TurnEncoder(merging));
    tokens.start([user("?")]);
    const ids = ["he", "llo"].map((text) => merging.tokenId(text) as number);
    expect(merging.encode("hello")).to.have.length(1);
    tokens.addAssistant({ tokenIds: ids, minWeightVersion: 0, maxWeightVersion: 0 });
    tokens.addMessages([user("?"), assistant("hello")], [user("?"), assistant("hello"), user("?")]);
    expect(tokens.promptIds.slice(4, 6)).to.deep.equal(ids);
    expect(tokens.samples[0].responseIds.slice(0, 2)).to.deep.equal(ids);
  });

  it("T11: is cumulative over all turns, as merging the calls afterwards is", () => {
    const tokens = begun();
    const calls: { prompt: number[]; completion: number[] }[] = [];
    let messages: readonly ChatMessage[] = [user("hi")];
    for (const reply of ["a", "b", "c"]) {
      const { tokenIds } = sampled(tokenizer, `${reply}<end>`);
      calls.push({ prompt: [...tokens.promptIds], completion: tokenIds });
      tokens.addAssistant({ tokenIds, minWeightVersion: 0, maxWeightVersion: 0 });
      const previous = [...messages, assistant(reply)];
      messages = [...previous, user(`more ${reply}`)];
      tokens.addMessages(previous, messages);
    }
    const [merged, ...others] = mergeTrajectories(calls);
    expect(others).to.deep.equal([]);
    const [sample] = tokens.samples;
    const length = merged.responseIds.length;
    expect(sample.promptIds).to.deep.equal(merged.promptIds);
    expect(sample.responseIds.slice(0, length)).to.deep.equal(merged.responseIds);
    expect(sample.responseMask.slice(0, length)).to.deep.equal(merged.responseMask);
  });

  it("adds nothing where a request ends with the model's own message, and goes on in its turn", () => {
    const tokens = begun();
    tokens.addAssistant(answer);
    expect(tokens.addMessages(history, history)).to.deep.include({ insertedIds: [], appendedIds: [] });
    tokens.addAssistant(sampled(tokenizer, "on"));
    expect(tokenizer.decode(tokens.promptIds)).to.equal("<user>hi<end><assistant>go<end>on");
  });

  it("plans an edit without making it, so that a result that is too long can be left out", () => {
    const tokens = begun();
    tokens.addAssistant(answer);
    const plan = tokens.plan(history, [...history, tool("a long result")]);
    expect(plan.responseLength).to.equal(3 + "<tool>".length / 6 + 13 + 1 + 1);
    expect(tokens.promptIds).to.deep.equal(idsOf(tokenizer, "<user>hi<end><assistant>go<end>"));
    tokens.apply(plan);
    expect(tokens.promptIds).to.deep.equal(plan.promptIds);
    expect(tokens.current.responseIds).to.have.length(plan.responseLength);
  });

  it("P23, P24: counts every sampled token of a last turn, its end included, and a turn that was cut off without one", () => {
    const tokens = begun();
    tokens.addAssistant(answer);
    expect(tokens.current.responseMask).to.deep.equal([1, 1, 1]);
    const cut = begun();
    cut.addAssistant(sampled(tokenizer, "go"));
    expect(cut.current.responseMask).to.deep.equal([1, 1]);
  });

  it("closes a turn that was cut off before the next one, with mask 0", () => {
    const tokens = begun();
    tokens.addAssistant(sampled(tokenizer, "go"));
    const edit = tokens.addMessages(history, [...history, user("?")]);
    expect(edit.insertedIds).to.deep.equal([tokenizer.eosTokenId]);
    expect(tokens.current.responseMask.slice(0, 4)).to.deep.equal([1, 1, 0, 0]);
  });

  it("has no log-probabilities where the server gives none", () => {
    const tokens = begun();
    tokens.addAssistant({ tokenIds: answer.tokenIds, logProbs: null, minWeightVersion: 0, maxWeightVersion: 2 });
    expect(tokens.samples[0].responseLogProbs).to.equal(null);
  });

  describe("refuses", () => {
    const at = (fn: (tokens: ContinuousTokenBuilder) => unknown) => {
      const tokens = begun();
      tokens.addAssistant(answer);
      const before = tokens.current;
      const error = thrownBy(() => fn(tokens));
      expect(tokens.current).to.deep.equal(before);
      return error;
    };

    it("log-probabilities of another length", () => {
      const error = at((tokens) => tokens.addAssistant({ ...answer, logProbs: [-1] }));
      expect(error.code).to.equal("VERL_AGENT_LOG_PROBS");
      expect(error.message).to.contain("3 sampled tokens came with 1 log-probabilities");
    });

    it("a turn without log-probabilities after one with them", () => {
      expect(at((tokens) => tokens.addAssistant({ ...answer, logProbs: undefined })).code).to.equal(
        "VERL_AGENT_LOG_PROBS",
      );
    });

    it("a turn with log-probabilities after one without", () => {
      const tokens = begun();
      tokens.addAssistant({ ...answer, logProbs: null });
      expect(thrownBy(() => tokens.addAssistant(answer)).code).to.equal("VERL_AGENT_LOG_PROBS");
    });

    it("not a turn without tokens, which has none either way", () => {
      const tokens = begun();
      tokens.addAssistant(answer);
      tokens.addAssistant({ tokenIds: [], minWeightVersion: 0, maxWeightVersion: 0 });
      expect(tokens.current.responseLogProbs).to.have.length(3);
    });

    it("messages that were changed after the model saw them", () => {
      const error = at((tokens) => tokens.addMessages(history, [user("ho"), assistant("go"), tool("42")]));
      expect(error.code).to.equal("VERL_AGENT_HISTORY_CHANGED");
      expect(at((tokens) => tokens.addMessages(history, [user("hi")])).code).to.equal("VERL_AGENT_HISTORY_CHANGED");
    });

    it("to append an assistant's message as text", () => {
      const error = at((tokens) => tokens.addMessages(history, [...history, assistant("I said so")]));
      expect(error.code).to.equal("VERL_AGENT_MESSAGE_ROLE");
      expect(error.message).to.contain("message 2 has the role assistant");
    });

    it("media", () => {
      const image = { role: "user", content: [{ type: "image", image: "x.png" }] };
      expect(at((tokens) => tokens.addMessages(history, [...history, image])).code).to.equal("VERL_AGENT_MEDIA");
      expect(thrownBy(() => new ContinuousTokenBuilder(encoder).start([image])).code).to.equal("VERL_AGENT_MEDIA");
    });

    it("messages where the model's turn is due, and anything before the start", () => {
      expect(thrownBy(() => begun().addMessages([user("hi")], [user("hi"), user("?")])).code).to.equal(
        "VERL_AGENT_TURN_ORDER",
      );
      expect(thrownBy(() => new ContinuousTokenBuilder(encoder).addAssistant(answer)).code).to.equal(
        "VERL_AGENT_TURN_ORDER",
      );
      expect(at((tokens) => tokens.start([user("hi")])).code).to.equal("VERL_AGENT_TURN_ORDER");
    });

    it("a plan for other tokens", () => {
      const error = at((tokens) => {
        const other = begun([user("hello there")]);
        other.addAssistant(answer);
        tokens.apply(
          other.plan([user("hello there"), assistant("go")], [user("hello there"), assistant("go"), tool("1")]),
        );
      });
      expect(error.code).to.equal("VERL_AGENT_TURN_ORDER");
    });
  });

  describe("where the template breaks the prefix", () => {
    it("begins a new sample with one rendering of all, keeps the old one, and says why", async () => {
      const moving = await bytesTokenizer({
        template: caseTemplates.get("deepseek_like") as string,
        stop: ["<｜end｜>"],
      });
      const tokens = new ContinuousTokenBuilder(new TurnEncoder(moving, { modelType: "deepseek_v3" }));
      tokens.start([user("hi")]);
      const first = sampled(moving, "go<｜end｜>");
      tokens.addAssistant(first);
      const updated = [...history, system("Be brief."), user("?")];
      const edit = tokens.addMessages(history, updated);
      expect(edit.kind).to.equal("split");
      expect(edit.reason).to.contain("system");
      expect(moving.decode(tokens.promptIds)).to.equal(
        "<BOS>Be brief.<｜User｜>hi<｜Assistant｜>go<｜end｜><｜User｜>?<｜Assistant｜>",
      );
      tokens.addAssistant(sampled(moving, "on<｜end｜>"));
      expect(tokens.samples.map(({ responseMask }) => responseMask)).to.deep.equal([
        [1, 1, 1],
        [1, 1, 1],
      ]);
      expect(tokens.samples[0].responseIds).to.deep.equal(first.tokenIds);
      expect(tokens.samples[1].promptIds).to.deep.equal(edit.appendedIds);
    });

    const thinking = "<think>\nsum\n</think>\n\nfour<|im_end|>";
    const asked = [user("2+2"), assistant("<think>\nsum\n</think>\n\nfour")];

    it("P21: keeps what the model saw by default, also where the template would drop its reasoning", async () => {
      const qwen = await bytesTokenizer({ template: caseTemplates.get("qwen_like") as string, stop: ["<|im_end|>"] });
      const tokens = new ContinuousTokenBuilder(new TurnEncoder(qwen, { modelType: "qwen3" }));
      tokens.start([user("2+2")]);
      tokens.addAssistant(sampled(qwen, thinking));
      expect(tokens.addMessages(asked, [...asked, user("3+3")]).kind).to.equal("messages");
      expect(qwen.decode(tokens.promptIds)).to.equal(
        `<|im_start|>user\n2+2<|im_end|>\n<|im_start|>assistant\n${thinking}\n<|im_start|>user\n3+3<|im_end|>\n<|im_start|>assistant\n`,
      );
    });

    it("P21: splits there if the model is to see what the template makes of the history", async () => {
      const qwen = await bytesTokenizer({ template: caseTemplates.get("qwen_like") as string, stop: ["<|im_end|>"] });
      const render = new TurnEncoder(qwen, { modelType: "qwen3", history: "render" });
      const tokens = new ContinuousTokenBuilder(render);
      tokens.start([user("2+2")]);
      tokens.addAssistant(sampled(qwen, thinking));
      expect(tokens.addMessages(asked, [...asked, user("3+3")]).kind).to.equal("split");
      expect(qwen.decode(tokens.promptIds)).to.contain("assistant\nfour<|im_end|>");
      tokens.addAssistant(sampled(qwen, "six<|im_end|>"));
      const updated = [...asked, user("3+3"), assistant("six")];
      expect(tokens.addMessages(updated, [...updated, user("4+4")]).kind).to.equal("messages");
      expect(tokens.samples).to.have.length(2);
    });
  });
});
