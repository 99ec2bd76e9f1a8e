import { BaseTool, type JsonObject, type ToolResult } from "verl-ts/plugin";
import { apply, type Operator } from "./expressions.js";

/** The tool of `tools.yaml`: one operation. */
export class Calculate extends BaseTool {
  async execute(_instanceId: string, { a, operator, b }: JsonObject): Promise<ToolResult> {
    return { text: String(apply(Number(a), operator as Operator, Number(b))) };
  }
}
