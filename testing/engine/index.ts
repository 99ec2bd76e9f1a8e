export { type AdaptedEngineMaker, adapterConformance } from "./adapter-cases.js";
export { bigramModel, type TableModel, valueTableModel } from "./bigram-model.js";
export { type EngineCheckSubject, engineCheckConformance, type FaultyOptions } from "./check-cases.js";
export { type BackendMaker, dataParallelConformance, makeRanks } from "./data-parallel-cases.js";
export { engineConformance } from "./engine-conformance.js";
export type { EngineMaker, EngineUnderTest } from "./engine-under-test.js";
export {
  createFakeBackend,
  createFakeEngine,
  FAKE_OPTIMIZER,
  type FakeEngineOptions,
  fakeEngineFactory,
} from "./fake-engine.js";
export { localReplicas } from "./local-replicas.js";
export { type MediaEngineUnderTest, mediaEngineConformance } from "./media-cases.js";
export { PICTURE_WEIGHT, pictureModel } from "./picture-model.js";
export { TableBackend, type TableBackendOptions } from "./table-backend.js";
