import { BaseTool, type JsonObject, type ToolResult } from "verl-ts/plugin";
import { printed } from "./products.js";

/** Reads one kind of program, `echo $((a*b))`, and says what it would print. Nothing is run. */
export class Calculator extends BaseTool {
  async execute(_instanceId: string, { code }: JsonObject): Promise<ToolResult> {
    const [, a, b] = /^echo \$\(\((\d+)\*(\d+)\)\)$/.exec(String(code)) ?? [];
    if (a === undefined) throw new Error("only products can be worked out here");
    return { text: printed(Number(a) * Number(b)) };
  }
}
