import { writeFileSync } from "node:fs";
import path from "node:path";
import { cutMetrics, readMetrics } from "../../../core/tracking/index.js";
import type { FuzzReader } from "../fuzz-reader.js";
import { nested, soup } from "./soup.js";

const WORDS = [
  '{"step":1,"data":{}}\n',
  '"step":',
  '"data":',
  '"NaN"',
  "1e999",
  "null",
  "[]",
  "{",
  "}",
  "\n",
  "\r",
  ",",
  '"',
  "-1",
  "0.5",
];

/** metrics.jsonl as a resumed run and the report read it. */
export const metrics: FuzzReader = {
  name: "metrics",
  seeds: () => [
    '{"step":1,"time":"2026-01-02T03:04:05.000Z","data":{"loss":0.5,"kl":"NaN"}}\n{"step":2,"data":{"loss":0.25}}\n{"step":3,"da',
  ],
  words: WORDS,
  generated: soup(WORDS),
  hostile: {
    "100,000 lines that are no metrics": () => "x\n".repeat(100_000),
    "deep metrics": () => `{"step":1,"data":{"a":${nested("[", "]", 100_000)}}}\n`,
    "10,000 lines": () => '{"step":1,"data":{}}\n'.repeat(10_000),
    "200,000 blank lines": () => "\n".repeat(200_000),
  },
  async read(input, folder) {
    const file = path.join(folder, "metrics.jsonl");
    writeFileSync(file, input);
    const lines = await readMetrics(file);
    await cutMetrics(file, 2, true);
    return lines;
  },
};
