import { AgentLoopBase, type AgentLoopInput, type AgentLoopOutput, type ChatMessage } from "verl-ts";
import { ContinuousTokenBuilder } from "verl-ts/plugin";
import { LetterGame } from "./game.js";

/** The model plays the game: its turns are moves, the environment answers as the user, and the reward is the environment's. */
export class GuessingAgent extends AgentLoopBase {
  /** No data source needs a scorer. */
  static readonly scoresItself = true;

  async run({ messages, row }: AgentLoopInput): Promise<AgentLoopOutput> {
    const { tokenizer, responseLength, encodePrompt, turnEncoder } = this.context;
    const game = new LetterGame(String((row.reward_model as { ground_truth: unknown }).ground_truth));
    const tokens = new ContinuousTokenBuilder(turnEncoder([]));
    tokens.start(messages, encodePrompt(messages));

    let conversation: readonly ChatMessage[] = messages;
    const turnScores: number[] = [];
    for (;;) {
      const output = await this.generate(tokens.promptIds, responseLength - tokens.current.responseIds.length);
      tokens.addAssistant(output);
      const content = tokenizer.decode(output.tokenIds, { skipSpecialTokens: true });
      const { observation, reward, found } = game.move(content);
      turnScores.push(reward);
      const said = [...conversation, { role: "assistant", content }];
      if (observation === null) return this.#result(tokens, turnScores, found, output.stopReason);
      conversation = [...said, { role: "user", content: observation }];
      const plan = tokens.plan(said, conversation);
      // No room for another move.
      if (plan.responseLength >= responseLength) return this.#result(tokens, turnScores, false, "length");
      tokens.apply(plan);
    }
  }

  #result(
    tokens: ContinuousTokenBuilder,
    turnScores: readonly number[],
    found: boolean,
    stopReason: string,
  ): AgentLoopOutput {
    const { promptIds, responseIds, responseMask, responseLogProbs, spans } = tokens.current;
    return {
      promptIds,
      responseIds,
      responseMask,
      responseLogProbs,
      rewardScore: turnScores.reduce((sum, score) => sum + score, 0),
      numTurns: 2 * turnScores.length,
      stopReason,
      minWeightVersion: Math.min(...spans.map((span) => span.minWeightVersion)),
      maxWeightVersion: Math.max(...spans.map((span) => span.maxWeightVersion)),
      metrics: this.metrics,
      extraFields: {
        turn_scores: turnScores,
        reward_extra_info: { acc: found ? 1 : 0, guesses: turnScores.length },
      },
    };
  }
}
