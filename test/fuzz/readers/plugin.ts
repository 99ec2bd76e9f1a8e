import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { composeUser, inspectConfig, parseYaml } from "../../../core/config/index.js";
import { planPlugins } from "../../../core/host/index.js";
import { type FuzzReader, textOf } from "../fuzz-reader.js";
import { withOddMember } from "./odd-json.js";
import { nested } from "./soup.js";

/** What follows this line is the plugin's schema. */
const CUT = "\n%%\n";
const MANIFEST = {
  name: "p",
  version: "1.2.3",
  main: "./index.js",
  files: ["index.js"],
  exports: { ".": "./index.js", "./sub": { import: "./sub.js", default: "./sub.js" } },
  dependencies: { semver: "^7.0.0" },
  verl: {
    apiVersion: "^1.0.0",
    register: "./index.js",
    provides: ["reward"],
    processes: ["driver"],
    after: ["q@^1.0.0"],
    requires: [],
    configSchema: "./schema.json",
  },
};
const SCHEMA = {
  type: "object",
  properties: {
    p: { type: "object", properties: { n: { type: "integer", default: 3 } }, additionalProperties: false },
  },
};

/** A package.json with its `verl` section, as found before any code of the plugin runs, and its schema applied to a configuration. */
export const plugin: FuzzReader = {
  name: "plugin",
  seeds: () => [
    JSON.stringify(MANIFEST) + CUT + JSON.stringify(SCHEMA),
    JSON.stringify({ ...MANIFEST, verl: { apiVersion: ">=1.0.0 <2 || ~3.1", provides: [] } }, null, 2),
    JSON.stringify({ name: "p", exports: ["./index.js"], verl: { apiVersion: "1.x", provides: [] } }),
  ],
  words: [
    '"verl":',
    '"name":',
    '"__proto__":{},',
    '"toString":1,',
    "null",
    "[]",
    "{}",
    "1e999",
    '"^1.0.0"',
    '"$ref":"#"',
    '"../x"',
    '"./"',
    "\ufeff",
    ">=",
    "||",
    " - ",
  ],
  generated: fc
    .tuple(withOddMember(MANIFEST), fc.oneof(withOddMember(SCHEMA), fc.jsonValue()))
    .map(([manifest, schema]) => JSON.stringify(manifest) + CUT + JSON.stringify(schema)),
  hostile: {
    "names that are no texts": () =>
      '{"name": {"toString": 1}, "version": [[]], "verl": {"apiVersion": "^1.0.0", "provides": []}}',
    "files that are no list": () => JSON.stringify({ ...MANIFEST, files: 5, dependencies: 7 }),
    "files that are no texts": () => JSON.stringify({ ...MANIFEST, files: [1, null, {}, "\0", "../../../../../.."] }),
    "deep JSON": () => `{"verl": ${nested("[", "]", 100_000)}}`,
    "a long range": () => JSON.stringify({ ...MANIFEST, verl: { apiVersion: "1.x || ".repeat(20_000), provides: [] } }),
    "a range of many dashes": () =>
      JSON.stringify({ ...MANIFEST, verl: { apiVersion: `1.0.0-${"a.".repeat(50_000)}`, provides: [] } }),
    "a range of many blanks": () =>
      JSON.stringify({ ...MANIFEST, verl: { apiVersion: `>=${" ".repeat(100_000)}1x`, provides: [] } }),
    "a long kind": () => JSON.stringify({ ...MANIFEST, verl: { ...MANIFEST.verl, provides: ["x".repeat(200_000)] } }),
    "20,000 kinds": () =>
      JSON.stringify({ ...MANIFEST, verl: { ...MANIFEST.verl, provides: Array(20_000).fill("rewrd") } }),
    "20,000 wrong keys": () =>
      JSON.stringify({
        ...MANIFEST,
        verl: { ...MANIFEST.verl, ...Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`k${i}`, 1])) },
      }),
    "a deep schema": () => JSON.stringify(MANIFEST) + CUT + nested('{"properties":{"p":', "}}", 5_000, "{}"),
    "a schema that refers to itself": () => `${JSON.stringify(MANIFEST)}${CUT}{"$ref": "#", "allOf": [{"$ref": "#"}]}`,
    "a wide schema": () =>
      JSON.stringify(MANIFEST) +
      CUT +
      JSON.stringify({
        properties: Object.fromEntries(Array.from({ length: 2_000 }, (_, i) => [`k${i}`, { type: "integer" }])),
      }),
    "paths with NUL": () =>
      JSON.stringify({
        ...MANIFEST,
        main: "a\0b",
        files: ["\0"],
        verl: { ...MANIFEST.verl, register: "./\0", configSchema: "./\0" },
      }),
  },
  async read(input, folder) {
    const [manifest, schema = "{}"] = textOf(input).split(CUT);
    const root = path.join(folder, "node_modules", "p");
    mkdirSync(root, { recursive: true });
    writeFileSync(path.join(folder, "package.json"), '{"name": "project", "dependencies": {"p": "*"}}');
    writeFileSync(path.join(root, "package.json"), manifest);
    writeFileSync(path.join(root, "schema.json"), schema);
    writeFileSync(path.join(root, "index.js"), "");
    const plan = planPlugins({
      cwd: folder,
      env: { VERL_USE_EXTERNAL_PLUGINS: "auto" },
      plugins: ["p", "./node_modules/p"],
      rules: { apiVersion: "1.0.0", kinds: ["reward", "engine"] },
      logger: { debug() {}, info() {}, warn() {}, error() {} },
    });
    await inspectConfig(composeUser(parseYaml("p: {n: 1}", "config.yaml"), {}), { pluginSchemas: plan.configSchemas });
    for (const { error } of plan.failed) throw error;
    return plan;
  },
};
