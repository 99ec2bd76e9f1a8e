import type { CaseKind } from "../kind.js";
import { config } from "./config.js";
import { externalModules } from "./external-modules.js";
import { groupFilter } from "./group-filter.js";
import { jsonLossless } from "./json-lossless.js";
import { mergeTrajectoriesKind } from "./merge-trajectories.js";
import { render } from "./render.js";
import { score } from "./score.js";
import { staleness } from "./staleness.js";
import { toolParse } from "./tool-parse.js";
import { truncateToolResponseKind } from "./truncate-tool-response.js";

/** Every kind that this version implements. */
export const KINDS: readonly CaseKind[] = [
  config,
  externalModules,
  groupFilter,
  jsonLossless,
  mergeTrajectoriesKind,
  render,
  score,
  staleness,
  toolParse,
  truncateToolResponseKind,
];
