import { writeFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import {
  BaseTool,
  builtinToolParsers,
  functionTool,
  loadTools,
  parseToolCalls,
  requestedCalls,
  ToolExecutor,
  type ToolSchemaDefinition,
  ToolSet,
} from "../../../core/agent/index.js";
import { SAMPLES } from "../../core/agent/tool-parsers/samples.js";
import { type FuzzReader, textOf } from "../fuzz-reader.js";
import { nested, soup } from "./soup.js";
import { toolParsers } from "./tool-parsers.js";
import { yaml } from "./yaml.js";

const LIST_WORDS = [
  "tools:\n",
  "  - class_name: ./a.js#A\n",
  "    config: {type: native}\n",
  "    tool_schema: {type: function, function: {name: a}}\n",
  "parameters: ",
  "class_name: ",
  "properties: {a: {type: string}}",
  "$ref: '#'",
  "pattern: '['",
  "[",
  "]",
  "{",
  "}",
  "&a ",
  "*a",
  "null",
  "9".repeat(30),
];
const entry = (parameters: string) =>
  `tools:\n  - class_name: ./a.js#A\n    config: {}\n    tool_schema: {type: function, function: {name: a, parameters: ${parameters}}}\n`;

/** The list of tools (`tool_config_path`). */
export const toolList: FuzzReader = {
  name: "tool-list",
  seeds: () => [
    entry("{type: object, properties: {x: {type: integer, enum: [1, 2]}}, required: [x]}"),
    "tools:\n  - class_name: ./a.js#A\n    config: {type: native, x: [1]}\n    tool_schema: {function: {name: b}}\n",
  ],
  words: LIST_WORDS,
  generated: fc.oneof(soup(LIST_WORDS), soup(LIST_WORDS).map(entry)),
  hostile: {
    "a billion laughs": () => yaml.hostile?.["a billion laughs"]() ?? "",
    "a deep type": () => `tools: [{class_name: a#A, config: {type: ${nested("[", "]", 90)}}}]`,
    "a type beyond numbers": () => `tools: [{class_name: a#A, config: {type: ${"9".repeat(400)}}}]`,
    "a registered tool of a schema that is none": () => "tools: [{name: x, tool_schema: {function: {name: [1]}}}]",
    "a config that is a text": () => "tools: [{class_name: a#A, config: abc}]",
    "parameters that are a text": () => entry("abc"),
    "a schema of itself": () => entry("{$ref: '#'}"),
    "a schema that leads nowhere": () => entry("{$ref: 'https://127.0.0.1:1/x'}"),
    "a deep schema": () => entry(nested("{properties: {a: ", "}}", 40, "{}")),
    "1,000 properties": () =>
      entry(`{properties: {${Array.from({ length: 1_000 }, (_, i) => `p${i}: {type: string}`).join()}}}`),
  },
  async read(input, folder) {
    writeFileSync(path.join(folder, "tools.yaml"), input);
    const tool = class extends BaseTool {
      execute() {
        return { text: "" };
      }
    };
    const { tools } = await loadTools({
      configPath: "tools.yaml",
      functionPath: null,
      cwd: folder,
      env: {},
      loadUserModule: async () => tool,
      registered: (name) => ({
        name,
        create: ({ schema }) => ({ tools: [new tool({}, schema as ToolSchemaDefinition)] }),
      }),
      sandbox: () => Promise.reject(new Error("no sandbox")),
      logger: console,
      signal: new AbortController().signal,
    });
    return tools;
  },
};

const parameters = {
  type: "object",
  properties: { a: { type: "array", items: { $ref: "#" } }, b: { enum: ["x", "y"] }, c: { type: "integer" } },
  additionalProperties: false,
};
const echo = functionTool((args) => args, { name: "f", description: "gives its arguments back", parameters });

/** What a model wrote, up to the answers of its tools: the first line names the format. */
export const toolCalls: FuzzReader = {
  ...toolParsers,
  name: "tool-calls",
  seeds: () => [
    ...Object.entries(SAMPLES).flatMap(([format, texts]) => texts.map((text) => `${format}\n${text}`)),
    'hermes\n<tool_call>{"name":"f","arguments":{"a":[{"b":"x"}],"c":1}}</tool_call>',
  ],
  hostile: {
    ...toolParsers.hostile,
    "100,000 wrong values": () =>
      `hermes\n<tool_call>{"name":"f","arguments":{"a":[1${",1".repeat(100_000)}]}}</tool_call>`,
    "deep values": () => `hermes\n<tool_call>{"name":"f","arguments":${nested('{"a":[', "]}", 490, "{}")}}</tool_call>`,
    "20,000 calls of nobody": () => `hermes\n${'<tool_call>{"name":"g","arguments":{}}</tool_call>\n'.repeat(20_000)}`,
    "a name of 200,000 letters": () =>
      `hermes\n<tool_call>{"name":"${"f".repeat(200_000)}","arguments":{}}</tool_call>`,
  },
  async read(input) {
    const [format, ...lines] = textOf(input).split("\n");
    const parser = builtinToolParsers.find(({ name }) => name === format) ?? builtinToolParsers[0];
    const tools = await ToolSet.of([echo]);
    const calls = requestedCalls(parseToolCalls(parser, lines.join("\n"), { tools: tools.schemas }));
    const executor = new ToolExecutor(
      tools,
      { deadlineMs: 60_000, maxResponseLength: 256, truncateSide: "middle" },
      {
        session: { trajectoryId: "u_0", row: {}, state: new Map() },
        toolsKwargs: { f: { create_kwargs: {} } },
        signal: new AbortController().signal,
        logger: console,
      },
    );
    executor.refuse(calls);
    // As many as a run may ask for at a time.
    return executor.run(calls.slice(0, 100));
  },
};
