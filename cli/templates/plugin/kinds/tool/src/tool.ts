import { functionTool, type ToolFactory } from "verl-ts/plugin";

/** Counts the words of a text. An entry's `config` may raise the least length that counts: `{ name: __SHORT__, config: { min: 3 } }`. */
export const tool: ToolFactory = {
  name: "__SHORT__",
  create({ config, where }) {
    const { min = 1 } = config;
    if (typeof min !== "number") throw new TypeError(`${where}: config.min is no number`);
    const count = functionTool(
      ({ text }) => String((text as string).split(/\s+/).filter((word) => word.length >= min).length),
      {
        name: "__SHORT__",
        description: "Counts the words of a text.",
        parameters: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
      },
    );
    // What a tool starts, a server or a connection, ends in a function `dispose` beside `tools`.
    return { tools: [count] };
  },
};
