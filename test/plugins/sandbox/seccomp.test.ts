import { expect } from "chai";
import { seccompFilter } from "../../../plugins/sandbox/namespaces/seccomp.js";
import { type Architecture, type SyscallName, syscallNumber } from "../../../plugins/sandbox/namespaces/syscalls.js";

const AUDIT_ARCH = { x64: 0xc000_003e, arm64: 0xc000_00b7 };
const [EPERM, ENOSYS, EAFNOSUPPORT] = [1, 38, 97];

/** What the kernel does with a filter: `allow`, or the error number of the call. */
function judge(filter: Uint8Array, data: { arch: number; number: number; firstArgument?: number }): "allow" | number {
  const program = new DataView(filter.buffer);
  const words = new Map([
    [0, data.number],
    [4, data.arch],
    [16, data.firstArgument ?? 0],
  ]);
  for (let at = 0, loaded = 0; ; at++) {
    const [code, whenTrue, whenFalse] = [program.getUint16(8 * at, true), filter[8 * at + 2], filter[8 * at + 3]];
    const operand = program.getUint32(8 * at + 4, true);
    const jump = (holds: boolean) => {
      at += holds ? whenTrue : whenFalse;
    };
    if (code === 0x20) loaded = words.get(operand)!;
    else if (code === 0x15) jump(loaded === operand);
    else if (code === 0x35) jump(loaded >= operand);
    else if (code === 0x45) jump((loaded & operand) !== 0);
    else if (operand === 0x7fff_0000) return "allow";
    else return operand & 0xffff;
  }
}

describe("plugins/sandbox/namespaces seccomp filter", () => {
  for (const architecture of ["x64", "arm64"] as Architecture[]) {
    describe(`on ${architecture}`, () => {
      const filter = seccompFilter(architecture);
      const arch = AUDIT_ARCH[architecture];
      const call = (name: SyscallName, firstArgument?: number) =>
        judge(filter, { arch, number: syscallNumber(name, architecture)!, firstArgument });

      it("refuses what a program has no use for", () => {
        for (const name of ["keyctl", "ptrace", "unshare", "mount", "memfd_create", "bpf", "reboot"] as const) {
          expect(call(name), name).to.equal(EPERM);
        }
      });

      it("lets everything else pass", () => {
        for (const name of ["kill", "prctl", "setsid", "clock_gettime", "close_range"] as const) {
          expect(call(name), name).to.equal("allow");
        }
        // read and write, openat, futex, exit_group, on either processor.
        for (const number of architecture === "x64" ? [0, 1, 257, 202, 231] : [63, 64, 56, 98, 94]) {
          expect(judge(filter, { arch, number }), `call ${number}`).to.equal("allow");
        }
      });

      it("judges sockets by their family, and clone by its namespaces", () => {
        expect([1, 2, 10, 16, 40].map((family) => call("socket", family))).to.deep.equal([
          "allow",
          ...[2, 10, 16, 40].map(() => EAFNOSUPPORT),
        ]);
        expect(call("socketpair", 1)).to.equal("allow");
        // What fork and pthread_create ask for.
        expect([17, 0x003d_0f00, 0x0120_0011].map((flags) => call("clone", flags))).to.deep.equal(
          Array(3).fill("allow"),
        );
        expect([0x1000_0011, 0x0002_0011].map((flags) => call("clone", flags))).to.deep.equal([EPERM, EPERM]);
        expect(call("clone3")).to.equal(ENOSYS);
      });

      it("refuses every call in another form", () => {
        expect(judge(filter, { arch: 0x4000_0003, number: 4 })).to.equal(EPERM);
        expect(judge(filter, { arch, number: 0x4000_0001 })).to.equal(ENOSYS);
      });
    });
  }
});
