import type { Tokenizer } from "../../data/tokenizer.js";
import type { AgentLoopContext } from "../agent-loop.js";
import { TurnEncoder, type TurnEncoderOptions } from "../continuous-tokens/turn-encoder.js";

/** `AgentLoopContext.turnEncoder` of a run: an encoder for each list of tools, made when it is first asked for. */
export function turnEncoders(
  tokenizer: Tokenizer,
  options: Omit<TurnEncoderOptions, "tools">,
): AgentLoopContext["turnEncoder"] {
  const encoders = new Map<string, TurnEncoder>();
  return (tools) => {
    const key = JSON.stringify(tools);
    const encoder = encoders.get(key) ?? new TurnEncoder(tokenizer, { ...options, tools });
    encoders.set(key, encoder);
    return encoder;
  };
}
