export {
  createFakeSandbox,
  FAKE_LIMITS,
  type FakeProgram,
  type FakeSandboxOptions,
  fakeSandboxFactory,
} from "./fake-sandbox.js";
export { pythonPrograms, type SandboxPrograms } from "./programs.js";
export { type SandboxUnderTest, sandboxConformance } from "./sandbox-conformance.js";
