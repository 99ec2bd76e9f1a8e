import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect } from "chai";
import { ATTEMPTS, describeSandbox } from "./support.js";

describeSandbox("plugins/sandbox/namespaces against its file system", ({ sandbox, python, bash, javascript }) => {
  const secret = `secret-${process.pid}-${Date.now()}`;
  const places = [os.tmpdir(), os.homedir()].map((folder) => path.join(folder, `${secret}.txt`));
  before(() => {
    for (const place of places) fs.writeFileSync(place, secret, { mode: 0o644 });
  });
  after(() => {
    for (const place of places) fs.rmSync(place);
  });

  it("shows no file of the host's temporary and home folders", async () => {
    const attempts = places.map((place) => `open(${JSON.stringify(place)})`).join("\n");
    expect(await python(ATTEMPTS, { stdin: attempts })).to.deep.equal(["ENOENT", "ENOENT"]);
    expect(await bash("cut -d' ' -f5 /proc/self/mountinfo | sort")).to.not.match(/home|root|var|run/);
  });

  it("has accounts and settings of its own", async () => {
    expect(await bash("cat /etc/passwd")).to.equal("nobody:x:65534:65534:nobody:/sandbox:/bin/sh\n");
    const seen = (await bash(
      "ls /etc; ls /; ls /root /home /var /run /mnt /opt /sys /boot 2>/dev/null; true",
    )) as string;
    const known =
      "alternatives group hosts ld.so.cache passwd bin dev etc lib lib32 lib64 libx32 proc sandbox sbin tmp usr";
    expect(known.split(" ")).to.include.members(seen.trim().split("\n"));
  });

  it("has nothing that the guide does not name", async () => {
    const guide = fs.readFileSync("docs/Guide/sandbox.md", "utf8");
    const rows = guide.split("What a program finds, and nothing besides:\n\n")[1].split("\n\n")[0];
    const named = new Set<string>(rows.match(/(?<=`)[^`|]+(?=`)/g));
    const seen = ((await bash("ls -d /*; ls -d /etc/*; ls /dev")) as string).trim().split("\n");
    const unnamed = seen.filter((place) => !named.has(place) && !named.has(`/dev/${place}`));
    expect(unnamed).to.deep.equal(["/dev", "/etc"]);
  });

  it("lets nothing be changed outside of its own folders", async () => {
    const targets = ["/x", "/usr/x", "/usr/bin/x", "/etc/passwd", "/etc/x", "/dev/x", "/proc/x", "/usr/bin/perl"];
    const attempts = [
      ...targets.map(
        (target) => `open(${JSON.stringify(target)}, "r+" if os.path.exists(${JSON.stringify(target)}) else "w")`,
      ),
      'os.unlink("/etc/passwd")',
      'os.chmod("/usr/bin", 0o777)',
      'os.rename("/usr", "/gone")',
      'os.chmod("/dev/null", 0o600)',
    ];
    const outcomes = (await python(ATTEMPTS, { stdin: attempts.join("\n") })) as string[];
    expect(outcomes).to.have.length(attempts.length);
    expect(outcomes).to.not.include("done");
  });

  it("cannot be made writable again", async () => {
    const attempts = [
      'assert libc.mount(None, b"/", None, 0x20, None) == 0',
      'assert libc.mount(None, b"/usr", None, 0x1020, None) == 0',
      'assert libc.mount(b"tmpfs", b"/usr", b"tmpfs", 0, None) == 0',
      'assert libc.umount2(b"/usr", 2) == 0',
    ];
    const outcomes = await python(ATTEMPTS, { stdin: attempts.join("\n") });
    expect(outcomes).to.deep.equal(attempts.map(() => "AssertionError"));
    expect(await bash("mount -o remount,rw /usr 2>&1; touch /usr/x 2>&1; true")).to.match(/Read-only file system/);
  });

  it("shows everything read-only and without set-user-id but its own folders and devices", async () => {
    const mounts = ((await bash("cut -d' ' -f5,6 /proc/self/mountinfo")) as string).trim().split("\n");
    const own = /^\/(sandbox|tmp|proc|dev\/\w+) /;
    for (const mount of mounts) expect(mount).to.match(own.test(mount) ? /nosuid/ : /ro,nosuid,nodev/);
    expect(mounts.some((mount) => mount.startsWith("/usr "))).to.equal(true);
  });

  it("has no way up or out", async () => {
    const attempts = [
      'os.chroot("/sandbox")',
      'open("/proc/1/root/etc/passwd")',
      'os.listdir("/proc/1/cwd")',
      'os.listdir("/proc/1/fd")',
      'open("/../../../etc/shadow")',
      'open("/proc/self/root/root/.bashrc")',
      'os.listdir("/old")',
    ];
    const outcomes = await python(ATTEMPTS, { stdin: attempts.join("\n") });
    expect(outcomes).to.deep.equal(["EPERM", "EACCES", "EACCES", "EACCES", "ENOENT", "ENOENT", "ENOENT"]);
  });

  it("has harmless devices alone, and makes none", async () => {
    expect(await bash("cd /dev; ls; echo gone > null; head -c 4 zero | wc -c; head -c 4 urandom | wc -c")).to.equal(
      "fd\nfull\nnull\nrandom\nshm\nstderr\nstdin\nstdout\nurandom\nzero\n4\n4\n",
    );
    const attempts = [
      'os.mknod("/sandbox/disk", stat.S_IFBLK | 0o600, os.makedev(8, 0))',
      'os.mknod("/sandbox/mem", stat.S_IFCHR | 0o600, os.makedev(1, 1))',
    ];
    expect(await python(ATTEMPTS, { stdin: attempts.join("\n") })).to.deep.equal(["EPERM", "EPERM"]);
  });

  it("hands back no file that a link leads to", async () => {
    const { files, stderr } = await sandbox().run({
      language: "bash",
      code: "ln -s /etc/passwd a; ln -s /proc/1/environ b; mkfifo c; mkdir d; ln /dev/null e; ln -s /proc/1 f; echo ok > g",
      collect: ["a", "b", "c", "d", "e", "f/environ", "f/cmdline", "g"],
    });
    expect(Object.keys(files), stderr).to.deep.equal(["g"]);
  });

  it("gives a program no file descriptors but the three", async () => {
    const opened = fs.openSync(places[0], "r");
    try {
      expect(await python("import os; print(sorted(map(int, os.listdir('/proc/self/fd'))))")).to.deep.equal([
        0, 1, 2, 3,
      ]);
      expect(await bash("echo x >&4; echo x >&5; readlink /proc/self/fd/0")).to.equal("/sandbox/stdin (deleted)\n");
    } finally {
      fs.closeSync(opened);
    }
  });

  it("opens the standard streams by name", async () => {
    const code = "cat /dev/stdin /dev/fd/0; echo out > /dev/stdout; echo err > /dev/stderr";
    const { stdout, stderr } = await sandbox().run({ language: "bash", code, stdin: "in\n" });
    expect({ stdout, stderr }).to.deep.equal({ stdout: "in\nin\nout\n", stderr: "err\n" });
  });

  it("hides files from JavaScript as well", async () => {
    const code = `
      const fs = require("fs");
      const tries = process.argv.slice(2).map((path) => { try { fs.readFileSync(path); return "done" } catch (e) { return e.code } });
      const { spawn } = process.binding("spawn_sync");
      const { output } = spawn({ file: "/usr/bin/id", args: ["id", "-u"], stdio: [
        { type: "pipe", readable: true, writable: false }, { type: "pipe", readable: false, writable: true },
        { type: "pipe", readable: false, writable: true } ] });
      console.log(JSON.stringify([...tries, String(output[1]).trim()]));
    `;
    expect(await javascript(code, { argv: places })).to.deep.equal(["ENOENT", "ENOENT", "65534"]);
  });
});
