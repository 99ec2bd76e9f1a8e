import { ERROR_TABLE } from "../core/error-table.js";
import type { ErrorEntry } from "../core/host/basics.js";
import { BUILTIN_ERRORS } from "./builtin-errors.js";
import { dashboardErrors } from "./dashboard/errors.js";
import { cliErrors } from "./errors.js";

/** Every code that a user of this package can meet. */
export const errorTable: Readonly<Record<string, ErrorEntry>> = Object.assign(
  {},
  ERROR_TABLE,
  cliErrors.table,
  dashboardErrors.table,
  ...BUILTIN_ERRORS,
);
