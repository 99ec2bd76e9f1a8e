import { expect } from "chai";
import { checkOutput, padTrajectories, tokenTexts, trajectoryRecord } from "../../../core/agent/index.js";
import { createToyTokenizer } from "../../../testing/index.js";
import { byteDecoder } from "../data/byte-decoder.js";
import { harness, loopOf, task } from "./harness.js";

describe("tokens of a trajectory", () => {
  it("stores sampled tokens as they were, though their text would encode to others", async () => {
    const tokenizer = createToyTokenizer({ vocabulary: ["he", "llo", "hello", "?"] });
    const sampled = [tokenizer.tokenId("he") as number, tokenizer.tokenId("llo") as number];
    expect(tokenizer.encode(tokenizer.decode(sampled))).to.have.length(1);
    const { manager, submit, rows, client } = harness({
      rollout: { n: 1 },
      over: { tokenizer },
      loops: [
        loopOf("twice", async ({ client, encodePrompt, trajectoryId, seed, sampling }) => {
          const promptIds = encodePrompt([{ role: "user", content: "?" }]);
          await client.generate({ requestId: trajectoryId, promptIds, sampling, seed });
          const next = [...promptIds, ...sampled, ...tokenizer.encode("<user>?<end><assistant>")];
          await client.generate({ requestId: trajectoryId, promptIds: next, sampling, seed });
          return {
            promptIds,
            responseIds: [...next.slice(promptIds.length), ...sampled],
            responseMask: [1, 1, 0, 0, 0, 0, 1, 1],
            responseLogProbs: null,
            numTurns: 4,
            stopReason: "stop",
            minWeightVersion: 0,
            maxWeightVersion: 0,
            metrics: { generateSequences: 0, toolCalls: 0, computeScore: 0, numPreempted: -1 },
            extraFields: {},
          };
        }),
      ],
    });
    await submit([task("a", { row: { agent_name: "twice" } })]);
    await manager.drain();
    const stored = (await rows()).a_0_0.responseIds as Int32Array;
    expect([...stored.subarray(0, 2)]).to.deep.equal(sampled);
    expect([...client.requests[1].promptIds].slice(4, 6)).to.deep.equal(sampled);
  });

  it("T16: keeps a real token that looks like padding", () => {
    const checked = checkOutput(
      {
        promptIds: [0, 5],
        responseIds: [5, 6, 0],
        responseMask: [1, 1, 1],
        responseLogProbs: [-1, -1, -1],
        numTurns: 2,
        stopReason: "stop",
        minWeightVersion: 0,
        maxWeightVersion: 0,
        metrics: { generateSequences: 0, toolCalls: 0, computeScore: 0, numPreempted: -1 },
        extraFields: {},
      },
      { promptLength: 4, responseLength: 5 },
      "test",
    );
    const padded = padTrajectories([{ ...checked, responseLogProbs: checked.logProbs, score: 1 }], {
      promptLength: 3,
      responseLength: 5,
      padTokenId: 0,
    });
    expect([...padded.responseMask]).to.deep.equal([1, 1, 1, 0, 0]);
    expect([...padded.attentionMask]).to.deep.equal([0, 1, 1, 1, 1, 1, 0, 0]);
    expect([...padded.inputIds]).to.deep.equal([0, 0, 5, 5, 6, 0, 0, 0]);
  });

  it("pads as the worked example says", () => {
    const padded = padTrajectories(
      [
        {
          promptIds: [7, 8],
          responseIds: [1, 2, 3, 4],
          responseMask: [1, 1, 0, 1],
          responseLogProbs: [-1, -2, 0, -4],
          score: 0.5,
        },
      ],
      { promptLength: 4, responseLength: 6, padTokenId: 0 },
    );
    expect([...padded.inputIds]).to.deep.equal([0, 0, 7, 8, 1, 2, 3, 4, 0, 0]);
    expect([...padded.attentionMask]).to.deep.equal([0, 0, 1, 1, 1, 1, 1, 1, 0, 0]);
    expect([...padded.positionIds]).to.deep.equal([0, 0, 0, 1, 2, 3, 4, 5, 5, 5]);
    expect([...padded.responseMask]).to.deep.equal([1, 1, 0, 1, 0, 0]);
    expect([...(padded.rolloutLogProbs ?? [])]).to.deep.equal([-1, -2, 0, -4, 0, 0]);
    expect([...(padded.rmScores ?? [])]).to.deep.equal([0, 0, 0, 0.5, 0, 0]);
  });

  it("pads to one width, cuts what is too long, and leaves out what not every row has", () => {
    const warnings: string[] = [];
    const row = {
      promptIds: [1, 2, 3],
      responseIds: [4, 5, 6],
      responseMask: [1, 1, 1],
      responseLogProbs: null,
      score: 1,
    };
    const padded = padTrajectories([row, { ...row, promptIds: [9], responseIds: [], responseMask: [], score: null }], {
      promptLength: 2,
      responseLength: 2,
      padTokenId: 99,
      logger: { warn: (text) => void warnings.push(text) },
    });
    expect([...padded.prompts]).to.deep.equal([2, 3, 99, 9]);
    expect([...padded.responses]).to.deep.equal([4, 5, 99, 99]);
    expect([...padded.responseMask]).to.deep.equal([1, 1, 0, 0]);
    expect([...padded.positionIds]).to.deep.equal([0, 1, 2, 3, 0, 0, 0, 0]);
    expect(padded.rolloutLogProbs).to.equal(null);
    expect(padded.rmScores).to.equal(null);
    expect(warnings).to.deep.equal(["1 of 2 prompts are longer than 2 tokens; their beginning is cut off"]);
  });

  it("pads the axes of models that count media in several dimensions beside a row that counts tokens", () => {
    const row = { promptIds: [1, 2], responseIds: [3, 4], responseMask: [0, 1], responseLogProbs: null, score: null };
    const positions = Int32Array.from([0, 5, 6, 7, 0, 8, 9, 9]);
    const options = { promptLength: 3, responseLength: 3, padTokenId: 0 };
    const { axisPositionIds } = padTrajectories([{ ...row, positions }, row], options);
    const rows = Array.from({ length: 6 }, (_, i) => [...(axisPositionIds ?? [])].slice(i * 6, (i + 1) * 6));
    const counted = [1, 0, 1, 2, 3, 1];
    expect(rows).to.deep.equal([counted, [1, 0, 5, 6, 7, 1], [1, 0, 8, 9, 9, 1], counted, counted, counted]);
    const cut = padTrajectories([{ ...row, positions }], { ...options, promptLength: 1, responseLength: 1 });
    expect([...(cut.axisPositionIds ?? [])]).to.deep.equal([0, 1, 5, 6, 8, 9]);
    expect(padTrajectories([row], options).axisPositionIds).to.equal(null);
  });

  it("shows the text that each token adds, characters split over tokens included", () => {
    // Bytes as ids: "é" is two tokens, "€" three.
    const tokenizer = { incrementalDecoder: byteDecoder };
    const bytes = [...new TextEncoder().encode("aé€b")];
    expect(tokenTexts(tokenizer, bytes)).to.deep.equal(["a", "", "é", "", "", "€", "b"]);
    expect(tokenTexts(tokenizer, bytes.slice(0, 2))).to.deep.equal(["a", "\uFFFD"]);
  });

  it("makes records for trackers", () => {
    const tokenizer = createToyTokenizer();
    const record = trajectoryRecord(
      {
        promptIds: Int32Array.from(tokenizer.encode("<user>6*7<end>")),
        responseIds: Int32Array.of(...tokenizer.encode("42"), 1),
        responseMask: Int32Array.of(1, 1, 1),
        rolloutLogProbs: Float32Array.of(-0.5, -0.25, -1),
        dataSource: "test",
        groundTruth: "42",
        score: 1,
        rewardExtra: { acc: 1 },
        rewardMessage: null,
        stopReason: "eos",
        minWeightVersion: 2,
        maxWeightVersion: 3,
        numTurns: 2,
        origin: "train.jsonl:4",
      },
      { key: "u_0_0", step: 3, split: "train" },
      tokenizer,
      { trainerLogProbs: [-0.5, -0.5, -1], advantages: [1, 1, 1] },
    );
    expect(record).to.deep.equal({
      key: "u_0_0",
      step: 3,
      split: "train",
      dataSource: "test",
      promptText: "<user>6*7<end>",
      responseText: "42<end>",
      tokens: ["4", "2", "<end>"],
      mask: [1, 1, 1],
      logProbs: [-0.5, -0.25, -1],
      groundTruth: "42",
      score: 1,
      extra: { acc: 1 },
      promptIds: tokenizer.encode("<user>6*7<end>"),
      responseIds: [...tokenizer.encode("42"), 1],
      trainerLogProbs: [-0.5, -0.5, -1],
      advantages: [1, 1, 1],
      stopReason: "eos",
      weightVersions: [2, 3],
      numTurns: 2,
      rewardMessage: null,
      origin: "train.jsonl:4",
    });
  });
});
