import { composeToolParser } from "./compose-tool-parser.js";
import { THINK } from "./prose.js";
import { parseBlocks } from "./tagged-blocks.js";
import type { TaggedForm } from "./tagged-call.js";

const FORM: TaggedForm = {
  block: { open: "<seed:tool_call>", close: "</seed:tool_call>" },
  call: { open: "<function=", close: "</function>" },
  parameter: { open: "<parameter=", close: "</parameter>" },
  naming: "equals",
};

const THOUGHTS = [{ open: "<seed:think>", close: "</seed:think>" }, THINK];

/**
 * `<seed:tool_call><function=NAME><parameter=KEY>VALUE</parameter></function></seed:tool_call>`, as Seed-OSS writes it: one
 * function a block, the first. Content is the text before the first block.
 */
export const seed = composeToolParser({
  name: "seed",
  parse: (input, out, options) =>
    parseBlocks(FORM, input, out, { ...options, thoughts: THOUGHTS }, ({ calls }) => calls.slice(0, 1)),
});
