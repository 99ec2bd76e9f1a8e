import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { platformConformance, pluginConformance, runConformance } from "verl-ts/testing";
import { AcmePlatform } from "../dist/acme-platform.js";

const here = fileURLToPath(new URL("..", import.meta.url));
const factory = () => ({ vendorName: "acme", create: () => new AcmePlatform() });

runConformance("acme platform", platformConformance(factory), { describe, it });
runConformance("acme plugin", pluginConformance(here), { describe, it });
