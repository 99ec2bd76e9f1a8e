// Fills the generated parts of the reference pages from the schema, the error table and package-lock.json.
//   node scripts/docs.mjs [--check]   with --check nothing is written; exits 1 if a page is out of date
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { root } from "./lib.mjs";

const { configKeys, configSections, knownKeys, removedKeys, renamedKeys, sinceText, untilText } = await import(
  "../dist/core/config/index.js"
);
const { KINDS } = await import("../dist/core/index.js");
const { HOOK_STABILITY } = await import("../dist/core/trainer/index.js");
const { stabilityText } = await import("../dist/core/host/index.js");
const { errorTable } = await import("../dist/cli/error-table.js");

const pages = {
  "docs/Reference/configuration.md": {
    keys: keyTables,
    renamed: renamedTable,
    removed: removedTable,
    known: knownTable,
  },
  "docs/Guide/plugins.md": { stability: stabilityTable },
  "docs/Reference/differences.md": { differences: differencesTable },
  "docs/Reference/errors.md": { errors: errorTables },
  "THIRD_PARTY_LICENSES.md": { licences: licenceTable },
};

const check = process.argv.includes("--check");
const stale = [];
for (const [page, blocks] of Object.entries(pages)) {
  const file = path.join(root, page);
  const before = readFileSync(file, "utf8");
  const after = Object.entries(blocks).reduce((text, [name, make]) => fill(text, name, make(), page), before);
  if (after === before) continue;
  stale.push(page);
  if (!check) writeFileSync(file, after);
}
if (check && stale.length > 0) {
  console.error(`Out of date: ${stale.join(", ")}. Run node scripts/docs.mjs.`);
  process.exitCode = 1;
} else console.log(stale.length > 0 ? `Written: ${stale.join(", ")}.` : "The reference pages are up to date.");

function fill(text, name, content, page) {
  const start = `<!-- generated: ${name} -->`;
  const end = `<!-- /generated: ${name} -->`;
  const from = text.indexOf(start);
  const to = text.indexOf(end);
  if (from < 0 || to < from) throw new Error(`${page} has no place for "${name}".`);
  return `${text.slice(0, from + start.length)}\n\n${content.trim()}\n\n${text.slice(to)}`;
}

function table(head, rows) {
  const line = (cells) =>
    `| ${cells.map((cell) => String(cell).replaceAll("|", "\\|").replaceAll("\n", " ")).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

function code(value) {
  return `\`${typeof value === "string" ? value || '""' : JSON.stringify(value ?? null)}\``;
}

/** One table for each section that has keys of its own; small sections stay with their parent. */
function keyTables() {
  const tops = configSections.filter((section) => ownKeys(section).length > 0);
  const loose = configKeys.filter((entry) => entry.path.length === 1);
  const parts = tops.map(
    (section) => `### ${section.key}\n\n${section.description}\n\n${keyTable(ownKeys(section), section.key)}`,
  );
  return [...parts, `### Top level\n\n${keyTable(loose, "")}`].join("\n\n");
}

function ownKeys(section) {
  return configKeys.filter((entry) => entry.path.slice(0, -1).join(".") === section.key);
}

function keyTable(entries, prefix) {
  const name = (key) => (prefix === "" ? key : key.slice(prefix.length + 1));
  return table(
    ["key", "type", "default", "meaning"],
    entries.map((entry) => [
      code(name(entry.key)),
      entry.unit ? `${entry.typeText} (${entry.unit})` : entry.typeText,
      code(entry.default),
      entry.description,
    ]),
  );
}

function renamedTable() {
  return table(
    ["old", "new", "renamed", "the old name stops working with"],
    renamedKeys.map(({ from, to, since, until }) => [code(from), code(to), sinceText(since), untilText(until)]),
  );
}

function removedTable() {
  return table(
    ["key", "removed", "accepted values", "why", "instead"],
    removedKeys.map(({ key, allowed, note, removed: { since, instead } }) => [
      code(key),
      sinceText(since),
      allowed ? allowed.map(code).join(", ") : "any",
      note,
      instead ? code(instead) : "–",
    ]),
  );
}

/** What is not stable, and in one line what is. */
function stabilityTable() {
  const parts = [
    ...Object.values(KINDS).map(({ name, stability }) => [code(name), stability]),
    ...Object.entries(HOOK_STABILITY).map(([hook, stability]) => [`hook ${code(hook)}`, stability]),
  ];
  const stable = parts.filter(([, stability]) => stability === "stable").map(([name]) => name);
  const others = parts.filter(([, stability]) => stability !== "stable");
  const rows = others.map(([name, stability]) => [
    name,
    stabilityText(stability),
    typeof stability === "object" ? stability.instead : "–",
  ]);
  return `${table(["part", "label", "instead"], rows)}\n\nStable: ${stable.join(", ")}.`;
}

function knownTable() {
  return table(
    ["key", "accepted values", "why"],
    knownKeys.map(({ key, allowed, note, section }) => [
      code(section ? `${key}.*` : key),
      allowed ? allowed.map(code).join(", ") : "any",
      note,
    ]),
  );
}

function differencesTable() {
  return table(
    ["key", "verl", "here", "why"],
    configKeys
      .filter((entry) => entry.differs)
      .map(({ key, differs, default: value }) => [
        code(key),
        "verl" in differs ? code(differs.verl) : "–",
        code(value),
        differs.why,
      ]),
  );
}

function errorTables() {
  const rooms = Map.groupBy?.(Object.keys(errorTable), roomOf) ?? groupBy(Object.keys(errorTable), roomOf);
  return [...rooms]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([room, codes]) => `## ${room}\n\n${table(["code", "meaning", "what to do"], codes.sort().map(errorRow))}`)
    .join("\n\n");
}

function errorRow(name) {
  const { summary, fix } = errorTable[name];
  return [code(name), summary, fix ?? ""];
}

function roomOf(name) {
  return name.split("_")[1].toLowerCase();
}

function groupBy(items, keyOf) {
  const groups = new Map();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
}

function licenceTable() {
  const { packages } = JSON.parse(readFileSync(path.join(root, "package-lock.json"), "utf8"));
  const used = Object.entries(packages).filter(
    ([where, { dev, devOptional, peer }]) => where !== "" && !dev && !devOptional && !peer,
  );
  const rows = used.map(([where, { version, license }]) => [
    where.replace(/^.*node_modules\//, ""),
    version,
    license ?? "see package",
  ]);
  return table(
    ["package", "version", "licence"],
    rows.sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}
