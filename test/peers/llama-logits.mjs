/**
 * llama.cpp, by the package node-llama-cpp. `{ path, ids }` on standard input gives logits, [positions, vocab]; `{ path, text }` gives
 * `{ ids, logProbs }`, of each next token of the text. `NODE_LLAMA_CPP` is a folder that the package is installed in:
 *
 *   mkdir /tmp/llama && cd /tmp/llama && npm init -y
 *   npm install --ignore-scripts --omit=optional node-llama-cpp@3.22.1 @node-llama-cpp/linux-x64@3.22.1
 */
import { createRequire } from "node:module";
import { text } from "node:stream/consumers";
import { pathToFileURL } from "node:url";

const folder = process.env.NODE_LLAMA_CPP;
if (!folder) throw new Error("set NODE_LLAMA_CPP to the folder that node-llama-cpp is installed in");
const entry = createRequire(`${folder}/package.json`).resolve("node-llama-cpp");
const { getLlama } = await import(pathToFileURL(entry).href);

const question = JSON.parse(await text(process.stdin));
const llama = await getLlama({ gpu: false, build: "never", skipDownload: true, logLevel: "error" });
const model = await llama.loadModel({ modelPath: question.path, gpuLayers: 0 });
const ids = question.ids ?? model.tokenize(question.text);
const context = await model.createContext({
  contextSize: Math.max(ids.length + 8, 32),
  batchSize: ids.length,
  flashAttention: false,
  swaFullCache: true,
  experimentalKvCacheKeyType: "F32",
  experimentalKvCacheValueType: "F32",
});
const wanted = ids.map((id) => [id, { generateNext: { logits: true } }]);
const rows = (await context.getSequence().controlledEvaluate(wanted)).map(({ next }) => next.logits);
const logProbs = () => rows.slice(0, -1).map((row, i) => logProb(row, ids[i + 1]));
const results = question.ids ? rows.map(inOrder) : { ids, logProbs: logProbs() };
process.stdout.write(JSON.stringify(results));
await llama.dispose();

function inOrder(row) {
  return Array.from({ length: row.size }, (_, id) => row.get(id));
}

function logProb(row, id) {
  let largest = Number.NEGATIVE_INFINITY;
  for (const logit of row.values()) largest = Math.max(largest, logit);
  let sum = 0;
  for (const logit of row.values()) sum += Math.exp(logit - largest);
  return row.get(id) - largest - Math.log(sum);
}
