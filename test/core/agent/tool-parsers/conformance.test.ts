import { builtinToolParsers } from "../../../../core/agent/index.js";
import { runConformance, toolParserConformance } from "../../../../testing/index.js";
import { SAMPLES } from "./samples.js";
import { tool } from "./support.js";

describe("agent/tool-parsers: conformance", () => {
  const options = {
    tools: [tool("f", { a: { type: "string" }, b: { type: "array" } }, ["a"])],
    padToken: "<pad>",
    eosToken: "<eos>",
  };
  for (const parser of builtinToolParsers) {
    const texts = [...SAMPLES[parser.name], "Nothing but text, 1 < 2.\n"];
    runConformance(parser.name, toolParserConformance({ parser, texts, options }), { describe, it });
  }
});
