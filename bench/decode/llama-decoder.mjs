/**
 * Decoding in llama.cpp, by the package node-llama-cpp, installed in the folder `NODE_LLAMA_CPP`. One JSON command per line, one JSON
 * answer each: `{ do: "load", path, batch, length, threads }`, then `{ do: "generate", prompts, tokens }`. It draws greedily, which is
 * the least that its sampler can do.
 */

import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const require = createRequire(`${process.env.NODE_LLAMA_CPP}/package.json`);
const { getLlama } = await import(pathToFileURL(require.resolve("node-llama-cpp")).href);
let context = null;
let sequences = [];

async function load({ path, batch, length, threads }) {
  const llama = await getLlama({
    gpu: false,
    build: "never",
    skipDownload: true,
    logLevel: "error",
    maxThreads: threads,
  });
  const model = await llama.loadModel({ modelPath: path, gpuLayers: 0 });
  context = await model.createContext({
    contextSize: length + 8,
    batchSize: batch * length,
    sequences: batch,
    threads: { ideal: threads, min: threads },
    flashAttention: true,
    experimentalKvCacheKeyType: "F32",
    experimentalKvCacheValueType: "F32",
  });
  sequences = Array.from({ length: batch }, () => context.getSequence());
  return {};
}

async function generate({ prompts, tokens }) {
  for (const sequence of sequences) await sequence.clearHistory();
  const begin = performance.now();
  const firsts = await Promise.all(sequences.map((sequence, row) => drawFrom(sequence, prompts[row], tokens)));
  const first = Math.max(...firsts);
  return { prefillMs: first - begin, decodeMs: performance.now() - first };
}

/** When the first token was there. */
async function drawFrom(sequence, prompt, count) {
  let [drawn, first] = [0, 0];
  for await (const _ of sequence.evaluate(prompt, { temperature: 0, yieldEogToken: true })) {
    if (drawn++ === 0) first = performance.now();
    if (drawn === count) return first;
  }
  throw new Error(`drew ${drawn} of ${count} tokens`);
}

const { version } = JSON.parse(
  await readFile(`${process.env.NODE_LLAMA_CPP}/node_modules/node-llama-cpp/package.json`, "utf8"),
);
process.stdout.write(`${JSON.stringify({ version })}\n`);
for await (const line of createInterface({ input: process.stdin })) {
  const command = JSON.parse(line);
  const answer = await (command.do === "load" ? load(command) : generate(command));
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
process.exit(0);
