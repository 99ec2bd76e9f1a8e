import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";

const main = path.resolve("dist/cli/main.js");
const run = promisify(execFile);

/** Loader hooks that write down every module that is asked for. */
const recorder = (file: string): string => {
  const url = (code: string) => `data:text/javascript,${encodeURIComponent(code)}`;
  const hooks = `import { appendFileSync } from "node:fs";
    export async function load(url, context, next) {
      appendFileSync(${JSON.stringify(file)}, url + "\\n");
      return next(url, context);
    }`;
  return url(`import { register } from "node:module"; register(${JSON.stringify(url(hooks))});`);
};

const LIBRARIES = /node_modules\/(.*\/)?(zod|yaml|ajv|tsyringe|semver|hyparquet|koffi|onnxruntime-node)\//;
const ROOMS = /dist\/core\/[^/]+\/index\.js|dist\/core\/(index|plugin)\.js/;
const MACHINERY =
  /dist\/(engines|platforms|plugins)\/(?!.*errors\.js)|dist\/core\/(agent|trainer|rollout|reward|algorithms)\/index\.js/;

/** What a command that answers at once must not load. Times would depend on the machine; these lists do not. */
const MUST_NOT: readonly (readonly [string, readonly RegExp[]])[] = [
  ["--help", [LIBRARIES, ROOMS, MACHINERY]],
  ["--version", [LIBRARIES, ROOMS, MACHINERY]],
  ["trian", [LIBRARIES, ROOMS, MACHINERY]],
  ["plugins --help", [LIBRARIES, ROOMS, MACHINERY]],
  ["new", [LIBRARIES, ROOMS, MACHINERY]],
  ["plugins new", [LIBRARIES, ROOMS, MACHINERY]],
  ["explain VERL_CONFIG_SIZES", [LIBRARIES, ROOMS, MACHINERY]],
  ["completion bash", [LIBRARIES, ROOMS, MACHINERY]],
  ["plugins list", [/node_modules\/(yaml|ajv|tsyringe|koffi|onnxruntime-node)\//, ROOMS, MACHINERY]],
  ["config explain data.seed", [/node_modules\/(ajv|tsyringe|koffi|onnxruntime-node)\//, MACHINERY]],
  ["config print", [/node_modules\/(tsyringe|koffi|onnxruntime-node)\//, MACHINERY]],
  [
    "inspect nowhere",
    [
      /node_modules\/(ajv|tsyringe|koffi|onnxruntime-node)\//,
      /dist\/(engines|platforms|plugins)\/|core\/trainer\/index/,
    ],
  ],
  ["compare nowhere either", [/node_modules\/(tsyringe|koffi|onnxruntime-node)\//, MACHINERY]],
  ["dashboard nowhere", [/node_modules\/(tsyringe|koffi|onnxruntime-node)\//, MACHINERY]],
];

describe("what a command loads before it answers", () => {
  let folder = "";
  before(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), "verl-start-"));
  });
  after(() => rm(folder, { recursive: true }));

  for (const [command, forbidden] of MUST_NOT) {
    it(`verl ${command}`, async () => {
      const file = path.join(folder, command.replaceAll(/\W/g, "-"));
      // Some of them end with an error: what matters is what they loaded.
      await run(process.execPath, ["--import", recorder(file), main, ...command.split(" ")], { cwd: folder }).catch(
        () => {},
      );
      const loaded = (await readFile(file, "utf8")).split("\n").filter((url) => url.startsWith("file:"));
      expect(loaded.some((url) => url.includes("/commander/"))).to.equal(true);
      expect(loaded.filter((url) => forbidden.some((pattern) => pattern.test(url)))).to.deep.equal([]);
    });
  }
});
