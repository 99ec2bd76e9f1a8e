import { ChatTemplate, type LosslessJson, parseLosslessJson } from "../../../core/data/index.js";
import { type CaseKind, compare, type Mismatch } from "../kind.js";

export const render: CaseKind = {
  name: "render",
  fields: ["template", "messages", "tools", "add_generation_prompt", "extra", "now"],
  expectFields: ["text", "error"],
  run({ template, now, expect }, line): Mismatch | null {
    // Numbers in these three members are integers or floats by their spelling.
    const exact = parseLosslessJson(line) as Map<string, LosslessJson>;
    const variables = {
      messages: exact.get("messages"),
      tools: exact.get("tools") ?? null,
      documents: null,
      add_generation_prompt: exact.get("add_generation_prompt"),
      ...Object.fromEntries((exact.get("extra") ?? new Map()) as Map<string, LosslessJson>),
    };
    const clock = () => new Date((now as string | undefined) ?? "2026-01-02T03:04:05");
    let text: string;
    try {
      text = new ChatTemplate(template as string, clock).render(variables);
    } catch (error) {
      return expect.error ? null : { expected: expect, actual: String(error) };
    }
    return expect.error ? { expected: expect, actual: { text } } : compare(expect.text, text);
  },
};
