/** `npm run cases -- FOLDER [--kind NAME] [--id PREFIX] [--implemented]` */
import fs from "node:fs";
import { parseArgs } from "node:util";
import { KINDS } from "./kinds/index.js";
import { failureLine, runCases } from "./run-cases.js";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { kind: { type: "string" }, id: { type: "string" }, implemented: { type: "boolean" } },
});
const folder = positionals[0] ?? "test/cases";
if (positionals.length > 1 || !fs.existsSync(folder)) {
  console.error(positionals.length > 1 ? "Name one folder." : `There is no folder ${folder}.`);
  process.exit(2);
}
const { passed, failures } = await runCases(folder, {
  kinds: KINDS,
  kind: values.kind,
  idPrefix: values.id,
  implementedOnly: values.implemented,
});
for (const failure of failures) console.log(failureLine(failure));
console.log(`${passed} passed, ${failures.length} failed`);
process.exitCode = failures.length === 0 && passed > 0 ? 0 : 1;
