/** `npm run cases -- FOLDER [--kind NAME] [--id PREFIX] [--implemented]` */
import { commandLine, folderOf, usageError } from "../command-line.js";
import { KINDS } from "./kinds/index.js";
import { failureLine, runCases } from "./run-cases.js";

const USAGE = "npm run cases -- FOLDER [--kind NAME] [--id PREFIX] [--implemented]";
const { values, positionals } = commandLine({
  usage: USAGE,
  allowPositionals: true,
  options: { kind: { type: "string" }, id: { type: "string" }, implemented: { type: "boolean" } },
});
const folder = folderOf(positionals.length === 0 ? ["test/cases"] : positionals, USAGE);
const names = KINDS.map(({ name }) => name);
if (values.kind !== undefined && !names.includes(values.kind))
  usageError(`There is no kind ${values.kind}; kinds are ${names.join(", ")}.`, USAGE);
const { passed, failures } = await runCases(folder, {
  kinds: KINDS,
  kind: values.kind,
  idPrefix: values.id,
  implementedOnly: values.implemented,
});
for (const failure of failures) console.log(failureLine(failure));
if (passed + failures.length === 0) console.log(`${folder}: no case ran; cases are lines of *.jsonl files`);
console.log(`${passed} passed, ${failures.length} failed`);
process.exitCode = failures.length === 0 && passed > 0 ? 0 : 1;
