import { dumpsLikePython } from "../../data/python-json.js";
import type { JsonValue } from "../../host/types.js";

/** Put at the beginning of a prompt for `reasoning_effort: max`. Wording of the model's publisher: it was trained on it. */
export const DEEPSEEK_V4_MAX_EFFORT =
  "Reasoning Effort: Absolute maximum with no shortcuts permitted.\n" +
  "You MUST be very thorough in your thinking and comprehensively decompose the problem to resolve the root cause, " +
  "rigorously stress-testing your logic against all potential paths, edge cases, and adversarial scenarios.\n" +
  "Explicitly write out your entire deliberation process, documenting every intermediate step, considered alternative, " +
  "and rejected hypothesis to ensure absolutely no assumption is left unchecked.\n\n";

/** The section that describes tools; the same wording for the same reason. */
export function deepseekV4Tools(tools: readonly JsonValue[]): string {
  const schemas = tools.map((tool) => dumpsLikePython((tool as { function?: JsonValue }).function ?? tool));
  return `## Tools

You have access to a set of tools to help answer the user's question. You can invoke tools by writing a "<｜DSML｜tool_calls>" block like the following:

<｜DSML｜tool_calls>
<｜DSML｜invoke name="$TOOL_NAME">
<｜DSML｜parameter name="$PARAMETER_NAME" string="true|false">$PARAMETER_VALUE</｜DSML｜parameter>
...
</｜DSML｜invoke>
<｜DSML｜invoke name="$TOOL_NAME2">
...
</｜DSML｜invoke>
</｜DSML｜tool_calls>

String parameters should be specified as is and set \`string="true"\`. For all other types (numbers, booleans, arrays, objects), pass the value in JSON format and set \`string="false"\`.

If thinking_mode is enabled (triggered by <think>), you MUST output your complete reasoning inside <think>...</think> BEFORE any tool calls or final response.

Otherwise, output directly after </think> with tool calls or final response.

### Available Tool Schemas

${schemas.join("\n")}

You MUST strictly follow the above defined tool name and parameter schemas to invoke tool calls.
`;
}
