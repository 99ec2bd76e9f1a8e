import { writeFileSync } from "node:fs";
import path from "node:path";
import { loadAgentLoops } from "../../../core/agent/index.js";
import type { FuzzReader } from "../fuzz-reader.js";
import { nested, soup } from "./soup.js";
import { yaml } from "./yaml.js";

const WORDS = [
  "- name: a\n",
  "  _target_: ./a.js#A\n",
  "  x: 1\n",
  "name: ",
  "_target_: ",
  "scores_itself: true\n",
  "#",
  "\n",
  "- ",
  "[",
  "]",
  "{",
  "}",
  "&a ",
  "*a",
  ": ",
  "null",
];

/** The list of agent loops (`agent_loop_config_path`). */
export const loopList: FuzzReader = {
  name: "loop-list",
  seeds: () => [
    "- name: mine\n  _target_: ./loop.js#Loop\n  tools: {a: [1, 2]}\n- name: other\n  _target_: pkg#Loop\n",
  ],
  words: WORDS,
  generated: soup(WORDS),
  hostile: {
    "a billion laughs": () => yaml.hostile?.["a billion laughs"]() ?? "",
    "a deep target": () => `- name: a\n  _target_: ${nested("[", "]", 5_000)}\n`,
    "a long name": () => `- name: ${"a".repeat(100_000)}\n`,
  },
  async read(input, folder) {
    writeFileSync(path.join(folder, "loops.yaml"), input);
    const loop = class {
      run() {}
    };
    return loadAgentLoops({
      configPath: "loops.yaml",
      cwd: folder,
      registered: () => {
        throw new Error("not asked");
      },
      loadUserModule: async () => loop,
    });
  },
};
