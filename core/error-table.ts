import { agentErrors } from "./agent/errors.js";
import { errors as algorithmErrors } from "./algorithms/errors.js";
import { configErrors } from "./config/errors.js";
import { dataErrors } from "./data/errors.js";
import { tokenizerErrors } from "./data/tokenizer-errors.js";
import { engineErrors } from "./engine/errors.js";
import { formatErrors } from "./formats/errors.js";
import type { ErrorEntry } from "./host/errors.js";
import { pluginErrors } from "./host/plugin-errors.js";
import { platformErrors } from "./platform/errors.js";
import { rewardErrors } from "./reward/errors.js";
import { rolloutErrors } from "./rollout/errors.js";
import { poolErrors } from "./rollout/pool-errors.js";
import { sandboxErrors } from "./sandbox/errors.js";
import { tracingErrors } from "./tracing/errors.js";
import { trackingErrors } from "./tracking/errors.js";
import { trainerErrors } from "./trainer/errors.js";
import { transferErrors } from "./transfer/errors.js";

/** The error tables of the core's rooms. The other rooms' tables are added where those rooms are named, in cli/. */
const TABLES: readonly Readonly<Record<string, ErrorEntry>>[] = [
  agentErrors.table,
  algorithmErrors.table,
  configErrors.table,
  dataErrors.table,
  engineErrors.table,
  formatErrors.table,
  platformErrors.table,
  pluginErrors.table,
  poolErrors.table,
  rewardErrors.table,
  rolloutErrors.table,
  sandboxErrors.table,
  tokenizerErrors.table,
  tracingErrors.table,
  trackingErrors.table,
  trainerErrors.table,
  transferErrors.table,
];

/** Every code of the core, sorted: the source of the reference page and of `verl explain CODE`. */
export const ERROR_TABLE: Readonly<Record<string, ErrorEntry>> = Object.freeze(
  Object.fromEntries(TABLES.flatMap((table) => Object.entries(table)).sort(([a], [b]) => (a < b ? -1 : 1))),
);
