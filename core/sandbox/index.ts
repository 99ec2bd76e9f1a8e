/** Public entry of the sandbox room: the contract, and what every implementation shares. */

export { languageMissing, type Program } from "./check-program.js";
export { composeSandbox, type SandboxBackend } from "./compose-sandbox.js";
export { sandboxErrors } from "./errors.js";
export type * from "./sandbox.js";
