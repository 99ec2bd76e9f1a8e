import { truncateToolResponse } from "../../../core/agent/index.js";
import { type CaseKind, compare } from "../kind.js";

export const truncateToolResponseKind: CaseKind = {
  name: "truncate_tool_response",
  fields: ["text", "limit", "side"],
  expectFields: ["text"],
  run: ({ text, limit, side, expect }) =>
    compare(expect.text, truncateToolResponse(text as string, limit as number, side as string)),
};
