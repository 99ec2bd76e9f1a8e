/**
 * Compare this project's tokenizers with vectors in a folder, by default the committed ones:
 * `node dist/test/peers/check-tokenizers.js [FOLDER]`. See docs/Guide/tokenizers.md.
 */
import {
  type DecodersFile,
  type Difference,
  decoderDifferences,
  readVectors,
  SPELLED_FILES,
  type SpelledFile,
  spelledDifferences,
  TOKENIZER_FILES,
  type TokenizersFile,
  tokenizerDifferences,
} from "../core/data/tokenizers/vector-files.js";

const folder = process.argv[2] ?? "test/core/data/tokenizers/vectors";
let cases = 0;
let different = 0;

function report(name: string, differences: readonly Difference[]): void {
  cases++;
  if (differences.length === 0) return;
  different++;
  console.log(`${name}: ${differences.length} differences`);
  for (const { input, expected, found } of differences.slice(0, 3)) {
    for (const [label, value] of Object.entries({ input, expected, found })) {
      console.log(`  ${label.padEnd(8)} ${JSON.stringify(value)?.slice(0, 300)}`);
    }
  }
}

for (const name of SPELLED_FILES) {
  const file = readVectors<SpelledFile>(folder, name);
  for (const one of file.cases) report(`${name}, ${one.name}`, spelledDifferences(file, one.steps, one.spelled));
}
for (const name of TOKENIZER_FILES) {
  const file = readVectors<TokenizersFile>(folder, name);
  for (const one of file.cases) report(`${name}, ${one.name}`, tokenizerDifferences(file, one));
}
const decoders = readVectors<DecodersFile>(folder, "decoders");
for (const one of decoders.cases) report(`decoders, ${one.name}`, decoderDifferences(decoders, one));
console.log(`${cases} cases, ${different} with differences`);
process.exitCode = different === 0 ? 0 : 1;
