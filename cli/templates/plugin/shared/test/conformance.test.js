import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { __SUITES__ } from "verl-ts/testing";
__TEST_IMPORTS__

const root = fileURLToPath(new URL("..", import.meta.url));

runConformance("__NAME__", pluginConformance(root), { describe, it });
__TESTS__
