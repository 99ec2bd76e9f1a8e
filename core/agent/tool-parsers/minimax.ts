import { composeToolParser } from "./compose-tool-parser.js";
import { parseBlocks } from "./tagged-blocks.js";
import type { TaggedForm } from "./tagged-call.js";

const FORM: TaggedForm = {
  block: { open: "<minimax:tool_call>", close: "</minimax:tool_call>" },
  call: { open: "<invoke", close: "</invoke>" },
  parameter: { open: "<parameter", close: "</parameter>" },
  naming: "attributes",
};

/**
 * `<minimax:tool_call><invoke name="NAME"><parameter name="KEY">VALUE</parameter></invoke></minimax:tool_call>`, as MiniMax-M2
 * writes it: any number of calls a block. Content is the text before the first block.
 */
export const minimax = composeToolParser({
  name: "minimax",
  parse: (input, out, options) => parseBlocks(FORM, input, out, options),
});
