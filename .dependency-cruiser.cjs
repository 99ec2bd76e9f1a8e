/**
 * The layers of the code, checked by `npm run lint`.
 *
 * core       the host; knows no engine, chip, server or tracker by name
 * platforms  engines  plugins   what registers with it; none knows another
 * cli        composition root; only cli/builtin*.ts names what is built in
 *
 * Inside core, one way: trainer -> agent, reward, tracking -> rollout, sandbox, tracing, transfer -> engine, platform, algorithms,
 * data, formats -> config -> host. Files directly in core are assembled above all of them.
 */
const LAYERS = [
  ["host"],
  ["config"],
  ["engine", "platform", "algorithms", "data", "formats"],
  ["rollout", "sandbox", "tracing", "transfer"],
  ["agent", "reward", "tracking"],
  ["trainer"],
];
const ROOMS = LAYERS.flat();
const OUTER = "^(platforms|engines|plugins|cli|testing|test|bench|examples)/";
/** Beside the rooms' entries, small modules for what must start fast; they load next to nothing. */
const LIGHT_ENTRIES = "[^/]+/errors|host/basics|trainer/run-lock|error-table|inspect-plugins|plugin-api-version";
const ENTRIES = `^core/([^/]+/index|index|plugin|${LIGHT_ENTRIES})\\.ts$`;

const BROWSER = "^cli/dashboard/web/";

const oneWay = LAYERS.map((rooms, level) => ({
  name: `core-layers-${rooms.join("-")}`,
  comment: `core/${rooms.join(", core/")} may only use the layers below.`,
  severity: "error",
  from: { path: `^core/(${rooms.join("|")})/` },
  to: {
    path: `^core/(${LAYERS.slice(level + 1)
      .flat()
      .concat("-")
      .join("|")})/`,
  },
}));

module.exports = {
  forbidden: [
    {
      name: "no-cycles",
      comment: "Modules must not need each other at run time.",
      severity: "error",
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ["type-only"] } },
    },
    {
      name: "core-alone",
      comment: "The core imports nothing from the other rooms.",
      severity: "error",
      from: { path: "^core/" },
      to: { path: OUTER },
    },
    ...oneWay,
    {
      name: "core-rooms-below-assembly",
      comment: "Rooms of the core do not use what is assembled above them; its types are fine.",
      severity: "error",
      from: { path: `^core/(${ROOMS.join("|")})/` },
      to: { path: "^core/[^/]+\\.ts$", dependencyTypesNot: ["type-only"] },
    },
    {
      name: "core-through-entries",
      comment:
        "Other rooms import the core through core/ROOM/index.ts, core/index.ts, core/plugin.ts or a light entry.",
      severity: "error",
      from: { path: "^(platforms|engines|plugins|cli|testing)/", pathNot: BROWSER },
      to: { path: "^core/", pathNot: ENTRIES },
    },
    {
      name: "browser-alone",
      comment:
        "What runs in a browser imports its own modules, the types of what the server answers, and modules of the core that need no Node.js.",
      severity: "error",
      from: { path: BROWSER },
      to: { pathNot: `${BROWSER}|^core/tracking/(format|page/scale)\\.ts$|^cli/dashboard/answers\\.ts$` },
    },
    {
      name: "rooms-apart",
      comment: "Platforms, engines and plugins do not know each other; a rollout lives inside its engine's folder.",
      severity: "error",
      from: { path: "^(platforms|engines|plugins)/([^/]+)/" },
      to: { path: "^(platforms|engines|plugins)/", pathNot: "^$1/$2/" },
    },
    {
      name: "rooms-below-cli",
      comment: "Nothing imports the command line.",
      severity: "error",
      from: { path: "^(platforms|engines|plugins|testing)/" },
      to: { path: "^(cli|test|bench|examples)/" },
    },
    {
      name: "builtins-named-once",
      comment: "Only cli/builtin*.ts names what is built in.",
      severity: "error",
      from: { path: "^(cli|testing)/", pathNot: "^cli/builtin[^/]*\\.ts$" },
      to: { path: "^(platforms|engines|plugins)/" },
    },
    {
      name: "no-test-code",
      comment: "What is published needs nothing that is not.",
      severity: "error",
      from: { path: "^(core|platforms|engines|plugins|cli|testing)/" },
      to: { dependencyTypes: ["npm-dev"], dependencyTypesNot: ["type-only"], pathNot: "chai|mocha" },
    },
    {
      name: "resolvable",
      comment: "Every import leads somewhere.",
      severity: "error",
      from: {},
      to: { couldNotResolve: true, pathNot: "(^onnxruntime-node$|^koffi$|package\\.json$)" },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    exclude: { path: "(^|/)dist/|^cli/(create/)?templates/" },
    tsConfig: { fileName: "tsconfig.json" },
    tsPreCompilationDeps: "specify",
    combinedDependencies: false,
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "types", "node", "default"],
      extensions: [".ts", ".js", ".json"],
    },
  },
};
