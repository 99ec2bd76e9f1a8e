import { expect } from "chai";
import { isVerlError, type Sandbox, type SandboxOptions, type SandboxRequest } from "../../../core/plugin.js";
import { namespacesSandbox } from "../../../plugins/sandbox/index.js";
import { FAKE_LIMITS } from "../../../testing/index.js";

const probe = await namespacesSandbox.probe();

export const OPTIONS: SandboxOptions = {
  limits: FAKE_LIMITS,
  maxConcurrent: 2,
  extra: {},
  logger: { debug() {}, info() {}, warn() {}, error() {} },
};

/** Runs one program and gives what it printed, which is read as JSON if it is. */
export interface SandboxTools {
  sandbox(): Sandbox;
  python(code: string, over?: Partial<SandboxRequest>): Promise<unknown>;
  bash(code: string, over?: Partial<SandboxRequest>): Promise<unknown>;
  javascript(code: string, over?: Partial<SandboxRequest>): Promise<unknown>;
}

/**
 * Tests of the real sandbox. Where its mechanism is missing there is nothing to attack, and the one thing to show is that it
 * refuses to be made.
 */
export function describeSandbox(title: string, body: (tools: SandboxTools) => void): void {
  if (!probe.available) {
    describe(`${title}: NOT TRIED, for ${probe.reason}`, () => {
      it("refuses to be made", async () => {
        const error = await Promise.resolve(namespacesSandbox.create(OPTIONS)).catch((e: unknown) => e);
        expect(isVerlError(error) && error.code).to.equal("VERL_SANDBOX_UNAVAILABLE");
        expect((error as Error).message).to.contain(probe.reason);
      });
    });
    return;
  }
  describe(title, () => {
    let sandbox: Sandbox;
    before(async () => {
      sandbox = await namespacesSandbox.create(OPTIONS);
    });
    after(() => sandbox.close());
    const printed =
      (language: string) =>
      async (code: string, over: Partial<SandboxRequest> = {}) => {
        const { stdout, stderr, outcome } = await sandbox.run({ language, code, ...over });
        expect(outcome, stderr).to.equal("ok");
        try {
          return JSON.parse(stdout) as unknown;
        } catch {
          return stdout;
        }
      };
    body({
      sandbox: () => sandbox,
      python: printed("python"),
      bash: printed("bash"),
      javascript: printed("javascript"),
    });
  });
}

/**
 * Python that tries expressions and statements from its standard input, one a line, and prints a list of what each gave:
 * the name of its error, or "done".
 */
export const ATTEMPTS = `
import ctypes, errno, glob, json, os, signal, socket, stat, sys
libc = ctypes.CDLL(None, use_errno=True)
def call(number, *arguments):
    if libc.syscall(number, *arguments) == -1:
        raise OSError(ctypes.get_errno(), "")
outcomes = []
for line in sys.stdin.read().splitlines():
    try:
        exec(line)
        outcomes.append("done")
    except OSError as error:
        outcomes.append(errno.errorcode.get(error.errno, type(error).__name__))
    except Exception as error:
        outcomes.append(type(error).__name__)
print(json.dumps(outcomes))
`;
