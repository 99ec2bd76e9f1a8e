#!/usr/bin/env node
import { readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { nextSteps } from "./next-steps.js";
import { DEFAULT_TEMPLATE, listTemplates, ScaffoldError, scaffoldProject } from "./scaffold.js";

// In the package, this file lies in dist/, beside package.json and the templates.
const root = fileURLToPath(new URL("..", import.meta.url));
const templates = path.join(root, "templates");

/** `npm create verl-ts DIR [-- --template NAME]`. */
function create(argv: readonly string[]): number {
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: { template: { type: "string", default: DEFAULT_TEMPLATE }, help: { type: "boolean", short: "h" } },
  });
  const [target, ...rest] = positionals;
  if (values.help || target === undefined || rest.length > 0) {
    const lines = listTemplates(templates).map(({ name, description }) => `  ${name.padEnd(10)} ${description}`);
    const text = `npm create verl-ts DIR [-- --template NAME]\n\nTemplates:\n${lines.join("\n")}\n`;
    (values.help ? process.stdout : process.stderr).write(text);
    return values.help ? 0 : 2;
  }
  const { version } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8")) as { version: string };
  scaffoldProject({ templates, template: values.template, target, version });
  process.stdout.write(`${nextSteps(target)}\n`);
  return 0;
}

try {
  process.exitCode = create(process.argv.slice(2));
} catch (error) {
  const fix = error instanceof ScaffoldError ? `\n  fix: ${error.fix}` : "";
  process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}${fix}\n`);
  process.exitCode = 2;
}
