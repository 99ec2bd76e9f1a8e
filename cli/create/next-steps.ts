import { existsSync } from "node:fs";
import path from "node:path";

/** What to do with a project that was just written. */
export function nextSteps(target: string): string {
  const steps = [`cd ${/\s/.test(target) ? JSON.stringify(target) : target}`, "npm install", "npm run train"];
  // A template without a model says in its README where to get one.
  const hint = existsSync(path.join(target, "tokenizer")) ? "" : "\n\nIt needs a model: see README.md.";
  return `A project was written to ${target}. Next:\n\n${steps.map((step) => `  ${step}`).join("\n")}${hint}`;
}
