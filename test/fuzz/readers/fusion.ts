import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fusionSandboxFactory } from "../../../plugins/sandbox/fusion/fusion-sandbox.js";
import { FAKE_LIMITS } from "../../../testing/index.js";
import type { FuzzReader } from "../fuzz-reader.js";
import { withOddMember } from "./odd-json.js";
import { nested } from "./soup.js";

const RAN = { status: "Finished", stdout: "hello\n", stderr: "", return_code: 0, execution_time: 0.25 };
const ANSWER = {
  status: "Success",
  message: "",
  compile_result: null,
  run_result: RAN,
  files: { "out.txt": "aGVsbG8=" },
};
const COMPILED = { ...ANSWER, status: "Failed", compile_result: { ...RAN, return_code: 1 }, run_result: null };

/** What a SandboxFusion service answers about a program. */
export const fusion: FuzzReader = {
  name: "fusion",
  seeds: () => [ANSWER, COMPILED].map((answer) => JSON.stringify(answer)),
  words: ['"status":"TimeLimitExceeded"', '"return_code":', '"files":{', "null", "1e999", "-1", "[", "{", "\\u0000"],
  generated: withOddMember(ANSWER).map((answer) => JSON.stringify(answer ?? null)),
  hostile: {
    "no answer": () => "null",
    "deep values": () => `{"files": ${nested("[", "]", 100_000)}}`,
    "20 MB of output": () => JSON.stringify({ ...ANSWER, run_result: { ...RAN, stdout: "x".repeat(20_000_000) } }),
    "20 MB in a file": () => JSON.stringify({ ...ANSWER, files: { "out.txt": "A".repeat(20_000_000) } }),
    "100,000 files": () => `{"status":"Success","files":{${Array.from({ length: 100_000 }, (_, i) => `"${i}":"A"`)}}}`,
    "a message of 1 MB": () => JSON.stringify({ status: "SandboxError", message: "x".repeat(1_000_000) }),
  },
  async read(input) {
    let answers = 0;
    const server = createServer((request, response) => {
      request.resume().on("end", () => response.end(answers++ === 0 ? JSON.stringify(ANSWER) : input));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    try {
      const extra = { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/run_code` };
      const logger = { debug() {}, info() {}, warn() {}, error() {} };
      const limits = { ...FAKE_LIMITS, outputBytes: 1000, filesMiB: 1 };
      const sandbox = await fusionSandboxFactory([]).create({ limits, maxConcurrent: 1, extra, logger });
      return await sandbox.run({ language: "python", code: "", collect: ["out.txt"] });
    } finally {
      server.close();
      server.closeAllConnections();
    }
  },
};
