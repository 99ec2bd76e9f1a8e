export { BIGRAM_WEIGHT } from "./bigram-backend.js";
export { type RolloutCheckSubject, rolloutCheckConformance } from "./check-cases.js";
export { type ClientUnderTest, clientConformance } from "./client-conformance.js";
export type { FakeReplicaOptions } from "./fake-rollout.js";
export { createFakeReplica, fakeRolloutFactory, fakeServerAdapterFactory } from "./fake-rollout.js";
export { type MediaRolloutUnderTest, mediaRolloutConformance } from "./media-cases.js";
export { rolloutConformance } from "./rollout-conformance.js";
export type { ReplicaDemands, RolloutUnderTest } from "./rollout-under-test.js";
