/** Compare with what test/peers/real_tokenizers.py wrote: `node dist/test/peers/check-real-tokenizers.js OUT.json`. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { TokenizerPipeline } from "../../core/data/tokenizer/pipeline.js";
import { pipelineDifferences, type RealTokenizersFile } from "../core/data/tokenizers/vector-files.js";

const readJson = (path: string): unknown => JSON.parse(readFileSync(path, "utf8"));
const file = readJson(process.argv[2]) as RealTokenizersFile;
for (const one of file.cases) {
  const config = join(one.folder, "tokenizer_config.json");
  const json = readJson(join(one.folder, "tokenizer.json"));
  const before = performance.now();
  const pipeline = new TokenizerPipeline(json, one.config && existsSync(config) ? readJson(config) : {});
  const built = performance.now();
  const differences = pipelineDifferences(pipeline, file.texts, one);
  const [build, run] = [built - before, performance.now() - built].map((ms) => `${Math.round(ms)} ms`);
  const how = one.config ? "with its configuration" : "alone";
  console.log(`${one.folder} ${how}: ${differences.length} differences; built in ${build}, compared in ${run}`);
  for (const { input, expected, found } of differences.slice(0, 4)) {
    for (const [label, value] of Object.entries({ input, expected, found })) {
      console.log(`  ${label.padEnd(8)} ${JSON.stringify(value)?.slice(0, 300)}`);
    }
  }
  if (differences.length > 0) process.exitCode = 1;
}
