import { writeFileSync } from "node:fs";
import path from "node:path";
import { PassThrough } from "node:stream";
import { inspectSpans } from "../../../cli/inspect/inspect-spans.js";
import type { FuzzReader } from "../fuzz-reader.js";
import { nested, soup } from "./soup.js";

const WORDS = [
  '{"resourceSpans":[{"scopeSpans":[{"spans":[',
  "]}]}]}\n",
  '{"traceId":"a","spanId":"b","name":"n","startTimeUnixNano":"1","endTimeUnixNano":"2","attributes":[',
  '{"key":"verl.kind","value":{"stringValue":"session"}}',
  '"parentSpanId":"b",',
  '{"intValue":"9"}',
  "]}",
  ",",
  "null",
  "9".repeat(30),
];
const span = (fields: object) => ({ traceId: "a", spanId: "1", name: "n", ...fields });
const line = (...spans: readonly object[]) => `${JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] })}\n`;
const kind = (value: unknown) => [{ key: "verl.kind", value: { stringValue: value } }];

/** Files of spans (`verl inspect`). */
export const traces: FuzzReader = {
  name: "traces",
  seeds: () => [
    line(
      span({ spanId: "2", parentSpanId: "1", startTimeUnixNano: "1700000000000000000", attributes: kind("generate") }),
      span({ endTimeUnixNano: "1700000001000000000", attributes: kind("session"), status: { code: 2 } }),
    ),
    '{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"a","spanId":"1","name":"n","attributes":[{"key":"verl.step","value":{"intValue":"3"}},{"key":"gen_ai.response.finish_reasons","value":{"arrayValue":{"values":[{"stringValue":"stop"}]}}}]}]}]}]}\n',
  ],
  words: WORDS,
  generated: soup(WORDS).map((text) => `{"resourceSpans":[]}\n${text}`),
  hostile: {
    "spans that are each other's parents": () =>
      line(span({ spanId: "2", parentSpanId: "3" }), span({ spanId: "3", parentSpanId: "2" }), span({})),
    "a span that is its own parent": () => line(span({ spanId: "2", parentSpanId: "2" }), span({})),
    "one id for all": () => line(...Array.from({ length: 200 }, () => span({ parentSpanId: "1" })), span({})),
    "20,000 generations": () =>
      line(
        ...Array.from({ length: 20_000 }, (_, i) => span({ spanId: `${i + 2}`, parentSpanId: `${i + 1}` })).reverse(),
        span({}),
      ),
    "times beyond numbers": () => line(span({ startTimeUnixNano: "9".repeat(400), endTimeUnixNano: -1 })),
    "an attribute called __proto__": () => line(span({ attributes: [{ key: "__proto__", value: { intValue: 1 } }] })),
    "a deep value": () => `{"resourceSpans":${nested("[", "]", 10_000)}}\n`,
    "names that write on the terminal": () => line(span({ name: "\u001b[2J\u202e", attributes: kind("session") })),
  },
  async read(input, folder) {
    const file = path.join(folder, "traces.jsonl");
    writeFileSync(file, input);
    const [stdout, stderr] = [new PassThrough(), new PassThrough()];
    const io = { stdout, stderr, env: {}, cwd: folder, color: { stdout: true, stderr: false } };
    const selection = { steps: null, split: null, uid: null, source: null, order: "longest" as const, limit: 20 };
    await inspectSpans(file, selection, { place: "traces.jsonl", step: null, json: false }, io);
    await inspectSpans(file, selection, { place: "traces.jsonl", step: null, json: true }, io);
  },
};
