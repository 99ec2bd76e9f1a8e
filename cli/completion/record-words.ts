/** Run by the build: records the words of the built-ins. */
import { writeFileSync } from "node:fs";
import { processIo } from "../program/io.js";
import { collectWords } from "./collect-words.js";
import { WORDS_FILE } from "./recorded-words.js";

writeFileSync(WORDS_FILE, JSON.stringify(await collectWords({ ...processIo(), env: {} })));
