export { type DatasetUnderTest, datasetConformance } from "./dataset-conformance.js";
