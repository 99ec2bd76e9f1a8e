export { advantageConformance } from "./advantage-conformance.js";
export { lossConformance } from "./loss-conformance.js";
