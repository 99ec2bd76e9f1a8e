import { writeFileSync } from "node:fs";
import path from "node:path";
import { composeAnyway, printConfig, validateConfig } from "../../../core/config/index.js";
import { type FuzzReader, textOf } from "../fuzz-reader.js";
import { nested, soup } from "./soup.js";

const ENV = { HOME: "/home/user", NAME: "value", VERL_ROLLOUT: "onnx" };
/** What follows this line is overrides, one a line. */
const CUT = "\n%%\n";

const KEYS = [
  "data.train_batch_size",
  "trainer.logger",
  "actor_rollout_ref.actor.optim.lr",
  "algorithm.adv_estimator",
  "plugins",
  "a",
  "a.b",
  "data",
  "trainr.loger",
];
const WORDS = [
  ...KEYS,
  ...KEYS.map((key) => `\${${key}}`),
  ...[
    "${",
    "}",
    "${.",
    "${..b}",
    "${oc.env:NAME}",
    "${oc.env:NOPE,",
    "${oc.select:a,1}",
    "${oc.decode:'[1,2]'}",
    "\\${",
    "\\\\",
    "${${a}}",
  ],
  ...[
    "=",
    "+",
    "++",
    "~",
    "[",
    "]",
    "{",
    "}",
    ",",
    ":",
    "'",
    '"',
    "\\",
    " ",
    "\n",
    CUT,
    "1",
    "1e-6",
    "null",
    "true",
    "inf",
    "text",
    "defaults: [a]\n",
    "a: ",
  ],
];

/** References that double what they refer to, thirty times. */
const doubling = (part: (name: string) => string) =>
  `a0: x\n${Array.from({ length: 40 }, (_, i) => `a${i + 1}: ${part(`\${a${i}}`)}\n`).join("")}`;

/** A configuration as the command line reads it: file, overrides, references, checks. */
export const config: FuzzReader = {
  name: "config",
  seeds: () => [
    `data:\n  train_files: [a.jsonl]\n  train_batch_size: 8\ntrainer:\n  logger: [console]\n  project_name: "\${oc.env:NAME,none}"${CUT}data.train_batch_size=16\n++data.apply_chat_template_kwargs={a: [1, 'x'], b: 1e-6}\n~trainer.project_name`,
    `actor_rollout_ref:\n  model: {path: ~/model}\n  actor:\n    optim: {lr: 1e-6}\n  rollout: {n: "\${data.train_batch_size}", name: onnx}\nalgorithm: {adv_estimator: grpo}${CUT}trainer.logger=[console,file]\nalgorithm.gamma=\${oc.decode:'0.9'}`,
    `data:\n  apply_chat_template_kwargs: {b: "\${.c}", c: "\${.d.0}", d: ["\${oc.select:x.y,null}", 'x\${data.train_batch_size}y']}${CUT}+plugins=['./p.js']`,
  ],
  words: WORDS,
  generated: soup(WORDS, 30),
  hostile: {
    "references that double a text": () => doubling((reference) => `"${reference}${reference}"`),
    "references that double a list": () => doubling((reference) => `["${reference}", "${reference}"]`),
    "references that double a list, as text": () =>
      `${doubling((reference) => `["${reference}", "${reference}"]`)}b: "x\${a40}"`,
    "references in a circle": () => 'a: "${b}"\nb: "${c}"\nc: "${a}"',
    "a reference to itself": () => 'a: "${a}"\nb: {c: "${b}"}\nd: "x${oc.select:d,1}"',
    "a chain of 3,000 references": () => Array.from({ length: 3_000 }, (_, i) => `k${i}: "\${k${i + 1}}"\n`).join(""),
    "50,000 nested references": () => `a: "${nested("${", "}", 50_000, "a")}"`,
    "50,000 open references": () => `a: "${"${".repeat(50_000)}"`,
    "50,000 nested arguments": () => `a: "${nested("${oc.select:a,", "}", 20_000)}"`,
    "100,000 backslashes": () => `a: '${"\\".repeat(100_000)}$\{b}'`,
    "an override of 100,000 open lists": () => `${CUT}+plugins=${"[".repeat(100_000)}`,
    "an override of 100,000 nested lists": () => `${CUT}+plugins=${nested("[", "]", 100_000)}`,
    "an override of 50,000 nested dicts": () => `${CUT}++data.x=${nested("{a:", "}", 50_000, "1")}`,
    "an override of 60,000 items": () => `${CUT}trainer.logger=[${"a,".repeat(60_000)}b]`,
    "an override of a long text": () => `${CUT}trainer.project_name='${"\\".repeat(100_000)}x'`,
    "an override of 60,000 parts": () => `${CUT}++${"a.".repeat(60_000)}b=1`,
    "an override that decodes deeply": () => `a: "\${oc.decode:'${"[".repeat(100_000)}'}"`,
    "3,000 keys that do not exist": () => Array.from({ length: 3_000 }, (_, i) => `ky${i}: 1\n`).join(""),
    "5,000 misspelt keys": () =>
      `trainer:\n${Array.from({ length: 5_000 }, (_, i) => `  totl_epochs${i}: 1\n`).join("")}`,
    "a key of 100,000 letters": () => `trainer:\n  ${"k".repeat(100_000)}: 1\n`,
    "a name of 100,000 letters": () => `trainer: {logger: [${"n".repeat(100_000)}]}\n`,
    "a file that builds on itself": () => "defaults: [input]\na: 1",
    "a file that builds on strange names": () => 'defaults: ["../..", "\\0", "/", "a\\nb", 5]',
    "10,000 overrides": () => `a: 1${CUT}${"data.train_batch_size=3\n".repeat(10_000)}`,
    "a list item far away": () => `data: {train_files: [a]}${CUT}data.train_files.999999999=b\n++data.train_files.-1=b`,
    "a prototype": () =>
      `__proto__: {a: 1}\nconstructor: 1${CUT}++__proto__.x=1\n++data.__proto__.y=1\n+a.constructor.prototype=1`,
  },
  async read(input, folder) {
    const [document, overrides = ""] = textOf(input).split(CUT);
    writeFileSync(path.join(folder, "input.yaml"), document);
    const composed = await composeAnyway({
      files: ["input.yaml"],
      overrides: overrides.split("\n").filter((line) => line !== ""),
      env: ENV,
      cwd: folder,
    });
    const names = {
      trackers: ["console", "file", "jsonl", "report"],
      rollouts: ["onnx"],
      engines: ["onnx"],
      advantages: ["grpo", "gae"],
    };
    printConfig(composed.tree, { sources: true, env: ENV });
    return validateConfig(composed, { names, cwd: folder, withoutModel: true });
  },
};
