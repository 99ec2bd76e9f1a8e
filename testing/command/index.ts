export { type CommandUnderTest, commandConformance } from "./command-conformance.js";
export { fakeCommandContext } from "./fake-context.js";
