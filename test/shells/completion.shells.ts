import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { expectCompletions } from "../cli/completion-support.js";

/** `npm run test:shells`: needs zsh and fish. The same in bash is part of `npm test`. */
describe("verl completion", () => {
  for (const shell of ["zsh", "fish"] as const) {
    it(`completes commands, options, keys and values in a real ${shell}`, async () => {
      const cwd = await mkdtemp(path.join(os.tmpdir(), "verl-completion-"));
      try {
        await expectCompletions(shell, cwd);
      } finally {
        await rm(cwd, { recursive: true });
      }
    });
  }
});
