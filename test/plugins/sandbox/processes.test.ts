import { expect } from "chai";
import { ATTEMPTS, describeSandbox } from "./support.js";

describeSandbox("plugins/sandbox/namespaces against other processes", ({ python, bash, sandbox }) => {
  it("shows no process of the host", async () => {
    expect(await python("import os; print([int(p) for p in os.listdir('/proc') if p.isdigit()])")).to.deep.equal([
      1, 2,
    ]);
  });

  it("cannot signal who started it", async () => {
    const attempts = [`os.kill(${process.pid}, 0)`, `os.kill(${process.ppid}, 0)`, "os.kill(1, 9)", "os.kill(1, 19)"];
    const [host, parent, ...init] = (await python(ATTEMPTS, { stdin: attempts.join("\n") })) as string[];
    expect([host, parent]).to.deep.equal(["ESRCH", "ESRCH"]);
    // Process 1 takes no signal from inside: the answer came.
    expect(init).to.deep.equal(["done", "done"]);
  });

  it("survives a program that kills everything that it can", async () => {
    const { outcome, signal } = await sandbox().run({ language: "bash", code: "kill -9 -1; kill -9 $$" });
    expect({ outcome, signal }).to.deep.equal({ outcome: "signal", signal: "SIGKILL" });
  });

  it("sees nothing of the host's environment", async () => {
    process.env.VERL_TEST_SECRET = `token-${process.pid}`;
    try {
      const seen = (await bash(
        "env; cat /proc/*/environ /proc/*/cmdline 2>/dev/null | tr '\\0' '\\n'; true",
      )) as string;
      expect(seen).to.not.contain("VERL_TEST_SECRET");
      expect(await bash("env | cut -d= -f1 | sort")).to.equal(
        "HOME\nLANG\nPATH\nPWD\nPYTHONHASHSEED\nSHLVL\nTMPDIR\n_\n",
      );
    } finally {
      delete process.env.VERL_TEST_SECRET;
    }
  });

  it("cannot read or trace its supervisor", async () => {
    const attempts = [
      'open("/proc/1/environ").read()',
      'open("/proc/1/mem", "rb")',
      'open("/proc/1/maps").read()',
      'os.readlink("/proc/1/exe")',
      "call(101 if os.uname().machine == 'x86_64' else 117, 16, 1, 0, 0)",
    ];
    const outcomes = (await python(ATTEMPTS, { stdin: attempts.join("\n") })) as string[];
    for (const outcome of outcomes) expect(outcome).to.be.oneOf(["EACCES", "EPERM"]);
  });

  it("is nobody, without capabilities and without a way to more", async () => {
    const status = (await bash("cat /proc/self/status")) as string;
    for (const line of ["Uid:\t65534\t65534\t65534\t65534", "NoNewPrivs:\t1", "Seccomp:\t2"])
      expect(status).to.contain(line);
    for (const set of ["Inh", "Prm", "Eff", "Bnd", "Amb"]) expect(status).to.contain(`Cap${set}:\t${"0".repeat(16)}`);
    const attempts = ["os.setuid(0)", "os.setgid(0)", "os.setgroups([0])", 'os.sethostname("x")', "os.nice(-5)"];
    const outcomes = (await python(ATTEMPTS, { stdin: attempts.join("\n") })) as string[];
    expect(outcomes).to.not.include("done");
  });

  it("gains nothing from set-user-id programs", async () => {
    const code = `
      cp /usr/bin/id . && chmod 4755 id && ./id -u
      echo secret | su -c id root 2>/dev/null
      echo $?
    `;
    const [user, status] = ((await bash(code)) as string).trim().split("\n");
    expect(user).to.equal("65534");
    expect(status).to.not.equal("0");
  });
});
