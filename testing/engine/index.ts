export { bigramModel, type TableModel, valueTableModel } from "./bigram-model.js";
export { engineConformance } from "./engine-conformance.js";
export type { EngineMaker, EngineUnderTest } from "./engine-under-test.js";
export { createFakeEngine, FAKE_OPTIMIZER, type FakeEngineOptions, fakeEngineFactory } from "./fake-engine.js";
export { TableBackend, type TableBackendOptions } from "./table-backend.js";
