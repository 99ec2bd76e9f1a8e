export type { FakePlatformOptions } from "./fake-platform.js";
export { FAKE_VISIBLE_DEVICES, fakePlatformFactory } from "./fake-platform.js";
export { platformConformance } from "./platform-conformance.js";
