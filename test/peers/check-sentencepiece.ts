/** Compare with what test/peers/sentencepiece_models.py wrote: `node dist/test/peers/check-sentencepiece.js OUT.json`. */
import { readFileSync } from "node:fs";
import { type Answers, modelDifferences } from "../core/formats/sentencepiece/model-files.js";

interface File {
  readonly texts: readonly string[];
  readonly cases: readonly (Answers & { readonly path?: string; readonly name?: string; readonly model?: string })[];
}

const file = JSON.parse(readFileSync(process.argv[2], "utf8")) as File;
for (const one of file.cases) {
  const model = one.model === undefined ? readFileSync(one.path as string) : Buffer.from(one.model, "base64");
  const differences = modelDifferences(model, file.texts, one);
  console.log(`${one.path ?? one.name}: ${differences.length} differences in ${file.texts.length} texts`);
  for (const { input, expected, found } of differences.slice(0, 4)) {
    for (const [label, value] of Object.entries({ input, expected, found })) {
      console.log(`  ${label.padEnd(8)} ${JSON.stringify(value)?.slice(0, 300)}`);
    }
  }
  if (differences.length > 0) process.exitCode = 1;
}
