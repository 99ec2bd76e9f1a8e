import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { isVerlError, type Tokenizer } from "../../../core/plugin.js";
import { checkServers, createJudge, createServerClient } from "../../../core/reward/index.js";
import { sglangRewardModel, vllmRewardModel } from "../../../plugins/rewards/index.js";
import type { FuzzReader } from "../fuzz-reader.js";
import { withOddMember } from "./odd-json.js";
import { nested } from "./soup.js";

const CHAT = { id: "c1", choices: [{ index: 0, message: { role: "assistant", content: "7" }, finish_reason: "stop" }] };
const CLASSIFIED = { data: [{ index: 0, label: "good", probs: [0.25, -1.5] }] };
const EMBEDDED = { data: [{ index: 0, embedding: [0.5] }] };
const MODELS = { data: [{ id: "judge" }] };

/** What servers of judges and reward models answer. */
export const judge: FuzzReader = {
  name: "judge",
  seeds: () => [CHAT, CLASSIFIED, EMBEDDED, MODELS].map((answer) => JSON.stringify(answer)),
  words: ['"choices":[', '"message":{', '"data":[', '"probs":[', "null", "1e999", "-1", "[", "{", "\\u0000"],
  generated: withOddMember({ ...CHAT, ...CLASSIFIED }).map((answer) => JSON.stringify(answer ?? null)),
  hostile: {
    "no answer": () => "null",
    "deep values": () => `{"choices": ${nested("[", "]", 100_000)}}`,
    "20,000 choices": () => JSON.stringify({ choices: Array(20_000).fill(CHAT.choices[0]) }),
    "a score that no float holds": () => '{"data":[{"probs":[1e999],"embedding":[1e999]}]}',
    "20,000 models": () => JSON.stringify({ data: Array(20_000).fill({ id: "x" }) }),
  },
  async read(input) {
    const server = createServer((request, response) => {
      request.resume().on("end", () => response.end(input));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    try {
      const addresses = [`http://127.0.0.1:${(server.address() as AddressInfo).port}`];
      const servers = () => createServerClient({ addresses, maxTries: 1 });
      const options = {
        modelName: "judge",
        servers,
        openEngine: () => Promise.reject(new Error("no engine")),
        tokenizer: {} as Tokenizer,
        maxTokens: 1,
        logger: { debug() {}, info() {}, warn() {}, error() {} },
      };
      const readings = [
        createJudge({ addresses, model: "judge", maxTries: 1 }).chat({ messages: [] }),
        checkServers(servers(), "judge"),
        ...[vllmRewardModel, sglangRewardModel].map(async (factory) =>
          (await factory.create(options)).score({ text: "", ids: [] }),
        ),
      ];
      const results = await Promise.allSettled(readings);
      const failures = results.flatMap((result) => (result.status === "rejected" ? [result.reason] : []));
      // What one of them reads the others refuse.
      const fault = failures.find((reason) => !isVerlError(reason));
      if (fault || failures.length === results.length) throw fault ?? failures[0];
      return results;
    } finally {
      server.close();
      server.closeAllConnections();
    }
  },
};
