import { expect } from "chai";
import { describeSandbox } from "./support.js";

const MIB = 2 ** 20;

describeSandbox("plugins/sandbox/namespaces at its limits", ({ sandbox, python }) => {
  const run = (code: string, limits = {}, language = "python") => sandbox().run({ language, code, limits });

  it("lets a program have so many processes and no more", async () => {
    const code = `
import os, time
made = 0
try:
    while True:
        if os.fork() == 0:
            time.sleep(60)
        made += 1
except OSError as error:
    print(made)
`;
    expect(await python(code, { limits: { processes: 8 } })).to.equal(7);
  });

  it("ends a fork bomb with the program", async () => {
    const bomb = "import os\nwhile True:\n    try: os.fork()\n    except OSError: pass";
    expect((await run(bomb, { processes: 16, wallMs: 300 })).outcome).to.equal("timeout");
  });

  it("counts the memory of all processes together", async () => {
    const code = `
import os, time
for _ in range(4):
    if os.fork() == 0:
        kept = bytearray(b"x" * (24 << 20))
        time.sleep(60)
time.sleep(60)
`;
    expect((await run(code, { memoryMiB: 64 })).outcome).to.equal("memory");
  });

  it("counts memory that processes share once", async () => {
    const code = `
import os
kept = bytearray(b"x" * (40 << 20))
children = [os.fork() or (sum(kept[::4096]), os._exit(0)) for _ in range(3)]
print(all(os.waitpid(child, 0)[1] == 0 for child in children))
`;
    const { stdout, outcome } = await run(code, { memoryMiB: 100 });
    expect({ stdout, outcome }).to.deep.equal({ stdout: "True\n", outcome: "ok" });
  });

  it("counts shared mappings, and of a program that hides from inspection", async () => {
    const code = `
import ctypes, mmap, time
ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)
kept = mmap.mmap(-1, 200 << 20)
for i in range(0, len(kept), 4096): kept[i] = 1
time.sleep(60)
`;
    expect((await run(code, { memoryMiB: 64 })).outcome).to.equal("memory");
  });

  it("refuses one allocation that is far too large", async () => {
    const { outcome, stderr } = await run("bytearray(b'x') * 10**11", { memoryMiB: 64 });
    expect({ outcome, refused: stderr.includes("MemoryError") }).to.deep.equal({ outcome: "exit", refused: true });
  });

  it("ends JavaScript that hoards memory", async () => {
    const hoard = "const kept = []; for (;;) kept.push(new Array(1e5).fill(kept.length));";
    expect((await run(hoard, { memoryMiB: 100 }, "javascript")).outcome).to.be.oneOf(["memory", "signal"]);
  });

  it("bounds what is written, in one file or in many", async () => {
    const code = `
import json, os
total, errors = 0, set()
for folder in ("/sandbox", "/tmp", "/dev/shm"):
    for i in range(30):
        try:
            with open(f"{folder}/{i}", "wb", buffering=0) as file:
                while True: total += file.write(bytes(1 << 20))
        except OSError as error:
            errors.add(error.strerror)
print(json.dumps([total, sorted(errors)]))
`;
    const [total, errors] = (await python(code, { limits: { filesMiB: 4 } })) as [number, string[]];
    expect(total).to.be.within(4 * MIB, 4.2 * MIB);
    expect(errors).to.include("No space left on device");
  });

  it("bounds the number of files", async () => {
    const code = `
import os
made = 0
try:
    while True:
        os.close(os.open(f"/tmp/{made}", os.O_CREAT | os.O_WRONLY))
        made += 1
except OSError as error:
    print(made)
`;
    expect(await python(code)).to.be.within(4000, 4096);
  });

  it("reads no more of a gigabyte of output than it keeps", async () => {
    const code = 'import os, sys\nwhile True: os.write(int(sys.argv[1]), b"x" * 65536)';
    for (const [fd, stream] of [
      ["1", "stdout"],
      ["2", "stderr"],
    ] as const) {
      const request = { language: "python", code, argv: [fd], limits: { outputBytes: 1000 } };
      const result = await sandbox().run(request);
      expect(result.outcome).to.equal("output-limit");
      expect(result[stream]).to.equal("x".repeat(1000));
      expect(result.truncated[stream]).to.equal(true);
    }
  });

  it("ends a program that will not end: deaf to signals, stopped, or busy in many processes", async () => {
    const deaf =
      "import signal, time\nfor s in range(1, 32):\n    try: signal.signal(s, signal.SIG_IGN)\n    except OSError: pass\ntime.sleep(60)";
    expect((await run(deaf, { wallMs: 200 })).outcome).to.equal("timeout");
    expect((await run("kill -STOP $$", { wallMs: 100 }, "bash")).outcome).to.equal("timeout");
    const busy = "for i in 1 2 3; do (while :; do :; done) & done; wait";
    const { outcome, cpuMs } = await run(busy, { cpuMs: 100 }, "bash");
    expect(outcome).to.equal("timeout");
    expect(cpuMs).to.be.greaterThan(90);
  });

  it("says how a program was killed", async () => {
    const { outcome, signal, exitCode } = await run("import os; os.kill(os.getpid(), 11)");
    expect({ outcome, signal, exitCode }).to.deep.equal({ outcome: "signal", signal: "SIGSEGV", exitCode: null });
  });

  it("keeps programs apart that run at the same time", async () => {
    const code = `
import sys, time
name = sys.argv[1]
for folder in ("/sandbox", "/tmp", "/dev/shm"):
    with open(folder + "/same-name", "x") as file: file.write(name)
time.sleep(0.05)
print(*(open(folder + "/same-name").read() for folder in ("/sandbox", "/tmp", "/dev/shm")))
`;
    const names = ["a", "b", "c", "d"];
    const results = await Promise.all(names.map((name) => sandbox().run({ language: "python", code, argv: [name] })));
    expect(results.map(({ stdout }) => stdout.trim())).to.deep.equal(names.map((name) => `${name} ${name} ${name}`));
  });

  it("gives the same output twice where Python would shuffle", async () => {
    const code = 'print(list({"a", "b", "c", "d", "e", "f"}))';
    expect((await run(code)).stdout).to.equal((await run(code)).stdout);
  });
});
