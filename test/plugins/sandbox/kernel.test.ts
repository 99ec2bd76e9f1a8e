import net from "node:net";
import { expect } from "chai";
import { type Architecture, type SyscallName, syscallNumber } from "../../../plugins/sandbox/namespaces/syscalls.js";
import { ATTEMPTS, describeSandbox } from "./support.js";

const number = (name: SyscallName) => syscallNumber(name, process.arch as Architecture);

describeSandbox("plugins/sandbox/namespaces against network and kernel", ({ python, javascript }) => {
  const servers: net.Server[] = [];
  let connections = 0;
  const listen = async (where: net.ListenOptions) => {
    const server = net.createServer((socket) => {
      connections++;
      socket.destroy();
    });
    servers.push(server);
    await new Promise<void>((resolve, reject) => server.once("error", reject).listen(where, resolve));
    return server.address() as net.AddressInfo;
  };
  after(() => {
    for (const server of servers) server.close();
  });

  it("reaches no server of the host", async () => {
    const { port } = await listen({ host: "127.0.0.1", port: 0 });
    const name = `verl-sandbox-${process.pid}`;
    await listen({ path: `\0${name}` });
    const attempts = [
      `socket.create_connection(("127.0.0.1", ${port}), 2)`,
      `socket.socket(socket.AF_UNIX).connect("\\0${name}")`,
      'socket.getaddrinfo("example.com", 80)',
      "socket.socket(socket.AF_INET, socket.SOCK_DGRAM)",
      "socket.socket(socket.AF_INET6)",
      "socket.socket(socket.AF_VSOCK)",
      "socket.socket(socket.AF_NETLINK, socket.SOCK_RAW)",
      "socket.socket(socket.AF_PACKET, socket.SOCK_RAW)",
      "socket.socket(socket.AF_ALG, socket.SOCK_SEQPACKET)",
      "socket.socketpair()",
    ];
    const outcomes = (await python(ATTEMPTS, { stdin: attempts.join("\n") })) as string[];
    expect(outcomes.pop(), "sockets between its own processes").to.equal("done");
    expect(outcomes[1]).to.equal("ECONNREFUSED");
    expect(outcomes).to.not.include("done");
    expect(outcomes.slice(3)).to.deep.equal(outcomes.slice(3).map(() => "EAFNOSUPPORT"));
    expect(connections).to.equal(0);
  });

  it("has no network interface but an idle loopback of its own", async () => {
    const interfaces = await python(
      'import json; print(json.dumps([line.split(":")[0].strip() for line in open("/proc/self/net/dev").readlines()[2:]]))',
    );
    expect(interfaces).to.include("lo");
    expect(interfaces).to.not.include("eth0");
    expect(await python('print(open("/proc/self/net/route").read())')).to.not.match(/^(?!Iface).+/m);
  });

  it("gives JavaScript no network either", async () => {
    const { port } = await listen({ host: "127.0.0.1", port: 0 });
    const code = `fetch("http://127.0.0.1:${port}").then(() => console.log("done"), (e) => console.log(e.cause?.code ?? e.message));`;
    expect(await javascript(code))
      .to.be.a("string")
      .and.not.contain("done");
    expect(connections).to.equal(0);
  });

  it("refuses the calls that namespaces do not cover", async () => {
    const names: readonly SyscallName[] = [
      ...(["add_key", "request_key", "keyctl", "ptrace", "process_vm_readv", "process_vm_writev", "kcmp"] as const),
      ...([
        "pidfd_getfd",
        "unshare",
        "setns",
        "mount",
        "umount2",
        "pivot_root",
        "chroot",
        "fsopen",
        "move_mount",
      ] as const),
      ...(["open_tree", "mount_setattr", "open_by_handle_at", "bpf", "perf_event_open", "userfaultfd"] as const),
      ...([
        "io_uring_setup",
        "memfd_create",
        "shmget",
        "semget",
        "msgget",
        "mq_open",
        "init_module",
        "kexec_load",
      ] as const),
      ...(["reboot", "swapon", "settimeofday", "clock_settime", "sethostname", "syslog", "quotactl", "acct"] as const),
    ];
    const attempts = names.map((name) => `call(${number(name)}, 0, 0, 0, 0, 0)`);
    const outcomes = await python(ATTEMPTS, { stdin: attempts.join("\n") });
    expect(outcomes).to.deep.equal(names.map(() => "EPERM"));
  });

  it("makes processes, but no namespaces", async () => {
    const flags = [0x0002_0000, 0x0200_0000, 0x0400_0000, 0x0800_0000, 0x1000_0000, 0x2000_0000, 0x4000_0000];
    const attempts = [
      ...flags.map((flag) => `call(${number("clone")}, ${flag | 17}, 0, 0, 0, 0)`),
      `call(${number("clone3")}, 0, 0)`,
      "os.waitpid(os.fork() or os._exit(0), 0)",
    ];
    const outcomes = await python(ATTEMPTS, { stdin: attempts.join("\n") });
    expect(outcomes).to.deep.equal([...flags.map(() => "EPERM"), "ENOSYS", "done"]);
  });

  if (process.arch === "x64") {
    it("has no second door through the 32-bit calls of the processor", async () => {
      const x32 = 0x4000_0000 + number("mount")!;
      // mov eax, 21 (mount of 32-bit code); int 0x80; ret
      const attempts = [
        `call(${x32}, 0, 0, 0, 0, 0)`,
        "import mmap; m = mmap.mmap(-1, 4096, prot=7); m.write(bytes([0xb8, 21, 0, 0, 0, 0xcd, 0x80, 0xc3])); " +
          "r = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(m)))(); assert r >= 0, r",
      ];
      const outcomes = (await python(ATTEMPTS, { stdin: attempts.join("\n") })) as string[];
      expect(outcomes).to.deep.equal(["ENOSYS", "AssertionError"]);
    });
  }
});
