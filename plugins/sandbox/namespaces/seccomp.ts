import { type Architecture, type SyscallName, syscallNumber } from "./syscalls.js";

/**
 * Calls that a program never needs and that reach what namespaces do not cover, or widen the kernel's surface. `socket` and
 * `clone` are judged by their arguments.
 */
const DENIED: readonly SyscallName[] = [
  // Kernel keyrings are not part of any namespace: the keys of who started the run would be in reach.
  ...(["add_key", "keyctl", "request_key"] as const),
  // Other processes' memory, descriptors and behaviour.
  ...(["kcmp", "pidfd_getfd", "process_madvise", "process_vm_readv", "process_vm_writev", "ptrace"] as const),
  // New namespaces would give back every capability that was dropped.
  ...(["setns", "unshare"] as const),
  ...(["chroot", "fsconfig", "fsmount", "fsopen", "fspick", "mount", "mount_setattr", "move_mount"] as const),
  ...(["open_tree", "pivot_root", "quotactl", "quotactl_fd", "swapoff", "swapon", "umount2"] as const),
  ...(["name_to_handle_at", "open_by_handle_at"] as const),
  // Memory that no limit of a process counts.
  ...(["memfd_create", "memfd_secret", "mq_open", "msgget", "semget", "shmget"] as const),
  // Large kernel interfaces, a source of privilege escalations.
  ...(["bpf", "io_uring_enter", "io_uring_register", "io_uring_setup", "perf_event_open", "userfaultfd"] as const),
  ...(["fanotify_init", "lookup_dcookie", "mbind", "migrate_pages", "modify_ldt", "move_pages"] as const),
  ...(["set_mempolicy", "syslog", "vhangup"] as const),
  // The machine as a whole.
  ...(["acct", "adjtimex", "clock_adjtime", "clock_settime", "settimeofday", "sethostname", "setdomainname"] as const),
  ...(["delete_module", "finit_module", "init_module", "ioperm", "iopl"] as const),
  ...(["kexec_file_load", "kexec_load", "reboot"] as const),
];

const AF_UNIX = 1;
/** Every CLONE_NEW… flag that `clone` takes. */
const NEW_NAMESPACES = 0x7e02_0000;
const [EPERM, ENOSYS, EAFNOSUPPORT] = [1, 38, 97];
const AUDIT_ARCH = { x64: 0xc000_003e, arm64: 0xc000_00b7 } as const;
/** Numbers from here on are the x32 calls of a 64-bit x86 kernel. */
const X32_BIT = 0x4000_0000;

/** Offsets in `struct seccomp_data`; of an argument, the low half. */
const [NUMBER, ARCH, FIRST_ARGUMENT] = [0, 4, 16];
/** Classic BPF: load a word, jump if equal, if greater or equal, if bits are set; return. */
const [LOAD, EQUAL, AT_LEAST, ANY_BIT, RETURN] = [0x20, 0x15, 0x35, 0x45, 0x06];
const ALLOW = 0x7fff_0000;
const refuse = (errno: number) => 0x0005_0000 | errno;

type Instruction = readonly [code: number, whenTrue: number, whenFalse: number, operand: number];

/**
 * The seccomp filter of a program, as the kernel takes it (an array of `struct sock_filter`). It refuses calls with an
 * error instead of killing, so that libraries can fall back. Only Unix sockets can be made: other families, such as
 * AF_VSOCK, which reaches the host of a virtual machine, do not all respect network namespaces.
 */
export function seccompFilter(architecture: Architecture): Uint8Array {
  const when = (name: SyscallName, then: readonly Instruction[]): Instruction[] => {
    const number = syscallNumber(name, architecture);
    return number === null ? [] : [[EQUAL, 0, then.length, number], ...then];
  };
  const give = (value: number): Instruction => [RETURN, 0, 0, value];
  const onlyUnix: readonly Instruction[] = [
    [LOAD, 0, 0, FIRST_ARGUMENT],
    [EQUAL, 1, 0, AF_UNIX],
    give(refuse(EAFNOSUPPORT)),
    give(ALLOW),
  ];
  return encode([
    [LOAD, 0, 0, ARCH],
    [EQUAL, 1, 0, AUDIT_ARCH[architecture]],
    give(refuse(EPERM)),
    [LOAD, 0, 0, NUMBER],
    [AT_LEAST, 0, 1, X32_BIT],
    give(refuse(ENOSYS)),
    ...DENIED.flatMap((name) => when(name, [give(refuse(EPERM))])),
    // Its flags lie in memory, where a filter cannot look; the C library falls back to `clone`.
    ...when("clone3", [give(refuse(ENOSYS))]),
    ...when("socket", onlyUnix),
    ...when("socketpair", onlyUnix),
    ...when("clone", [[LOAD, 0, 0, FIRST_ARGUMENT], [ANY_BIT, 0, 1, NEW_NAMESPACES], give(refuse(EPERM)), give(ALLOW)]),
    give(ALLOW),
  ]);
}

function encode(program: readonly Instruction[]): Uint8Array {
  const bytes = new DataView(new ArrayBuffer(8 * program.length));
  for (const [i, [code, whenTrue, whenFalse, operand]] of program.entries()) {
    bytes.setUint16(8 * i, code, true);
    bytes.setUint8(8 * i + 2, whenTrue);
    bytes.setUint8(8 * i + 3, whenFalse);
    bytes.setUint32(8 * i + 4, operand, true);
  }
  return new Uint8Array(bytes.buffer);
}
