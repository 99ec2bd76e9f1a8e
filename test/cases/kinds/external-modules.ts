import { parseModuleList } from "../../../core/host/index.js";
import { type CaseKind, compare } from "../kind.js";

export const externalModules: CaseKind = {
  name: "external_modules",
  fields: ["env"],
  expectFields: ["modules"],
  run: ({ env, expect }) => compare(expect.modules, parseModuleList(env as string)),
};
