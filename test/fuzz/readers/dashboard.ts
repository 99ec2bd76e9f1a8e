import { mkdirSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { answer } from "../../../cli/dashboard/api.js";
import { Catalogue } from "../../../cli/dashboard/catalogue.js";
import { Query } from "../../../cli/dashboard/query.js";
import { Roots } from "../../../cli/dashboard/roots.js";
import { isVerlError } from "../../../core/host/errors.js";
import { type FuzzReader, type Input, textOf } from "../fuzz-reader.js";
import { CUT, runFolder, writeRunFolder } from "./run-folder.js";

/** What the page asks for about a run. */
const PARTS = [
  "",
  "/metrics?name=loss&name=kl",
  "/metrics?name=loss&from=0&to=5&points=10",
  "/rollouts?order=gap&limit=50",
  "/rollouts/0",
  "/validation",
  "/config",
  "/plugins",
];
const query = fc
  .array(
    fc.tuple(fc.constantFrom("name", "from", "to", "points", "step", "split", "limit", "offset", "x"), fc.string()),
  )
  .map((pairs) => `?${new URLSearchParams(pairs)}`);
const request = fc.oneof(
  fc.tuple(fc.constantFrom(...PARTS), query).map(([part, text]) => part.split("?")[0] + text),
  fc.webPath(),
);

const withRequest = (input: Input, request: string): Input => `${input}${CUT}${request}`;

/** What the dashboard answers about a run whose files may hold anything, to a request that may be anything. */
export const dashboard: FuzzReader = {
  ...runFolder,
  name: "dashboard",
  seeds: async () => (await runFolder.seeds()).flatMap((seed) => PARTS.map((part) => withRequest(seed, part))),
  words: [...(runFolder.words ?? []), "&name=", "?from=", "1e400", "%00", "%2e%2e", "NaN", "/"],
  generated: fc.tuple(runFolder.generated!, request).map(([input, text]) => withRequest(input, text)),
  hostile: {
    ...runFolder.hostile,
    "100,000 names": () => withRequest("", `/metrics?${"name=a&".repeat(100_000)}`),
    "100,000 different names": () =>
      withRequest("", `/metrics?${Array.from({ length: 100_000 }, (_, i) => `name=${i}`).join("&")}`),
    "5,000 metrics on each of 20 lines": () => {
      const data = Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`m${i}`, i]));
      return ["", "{}", `${JSON.stringify({ step: 1, data })}\n`.repeat(20), ""].join(CUT);
    },
    "steps from end to end of the numbers": () =>
      ["", "{}", [-1e308, 0, 1e308].map((step) => `{"step":${step},"data":{"loss":1}}\n`).join(""), ""].join(CUT),
    "200,000 tokens": () => {
      const list = Array(200_000).fill(1);
      const trajectory = { tokens: list.map(String), mask: list, log_probs: list, trainer_log_probs: list };
      return ["", "{}", "", `${JSON.stringify({ input: "a", output: "b", trajectory })}\n`].join(CUT);
    },
  },
  async read(input, folder) {
    const run = path.join(folder, "run");
    mkdirSync(run);
    const [given = ""] = writeRunFolder(textOf(input), run);
    const catalogue = new Catalogue(await Roots.open([folder]));
    const [found] = await catalogue.summaries();
    for (const request of [given, ...PARTS]) {
      if (!URL.canParse(`/api/runs/${found?.id}${request}`, "http://localhost")) continue;
      const { pathname, searchParams } = new URL(`/api/runs/${found?.id}${request}`, "http://localhost");
      try {
        JSON.stringify(await answer(pathname.split("/").slice(2), new Query(searchParams), catalogue));
      } catch (error) {
        if (!isVerlError(error)) throw error;
      }
    }
  },
};
