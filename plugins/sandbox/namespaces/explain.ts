import fs from "node:fs";
import { PERL } from "./launch.js";

/** What the machine says about namespaces. Null where it has no such setting. */
export interface MachineFacts {
  readonly root: boolean;
  /** kernel.unprivileged_userns_clone (Debian) */
  readonly usernsClone: string | null;
  /** user.max_user_namespaces */
  readonly maxUserNamespaces: string | null;
  /** kernel.apparmor_restrict_unprivileged_userns (Ubuntu) */
  readonly apparmorRestricts: string | null;
  /** Whether a seccomp filter is on this process, as in most containers. */
  readonly filtered: boolean;
}

export interface Refusal {
  readonly reason: string;
  readonly fix?: string;
}

const CONTAINER =
  "start the container with --security-opt seccomp=unconfined --security-opt apparmor=unconfined --security-opt systempaths=unconfined";
const EPERM = 1;
const EACCES = 13;

/** Why the kernel refused a step of the set-up, as exactly as the machine tells, and what to do about it. */
export function explainFailure(
  { step, errno, text }: { readonly step: string; readonly errno: number; readonly text: string },
  facts: MachineFacts,
): Refusal {
  const refused = errno === EPERM || errno === EACCES;
  const said = `${step}: ${text}`;
  if (facts.maxUserNamespaces === "0") {
    const fix = "sudo sysctl -w user.max_user_namespaces=10000";
    return { reason: `user namespaces are switched off (user.max_user_namespaces = 0; ${said})`, fix };
  }
  if (refused && !facts.root && facts.usernsClone === "0") {
    const fix = "sudo sysctl -w kernel.unprivileged_userns_clone=1";
    return { reason: `only root may make user namespaces (kernel.unprivileged_userns_clone = 0; ${said})`, fix };
  }
  if (refused && !facts.root && facts.apparmorRestricts === "1") {
    const reason = `AppArmor keeps programs without a profile from using user namespaces (kernel.apparmor_restrict_unprivileged_userns = 1; ${said})`;
    const fix = `sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0, or give ${PERL} a profile with "userns,"`;
    return { reason, fix };
  }
  if (refused && step === "mount /proc") {
    const reason = `parts of /proc are masked, as in a container, so the kernel allows no new one (${said})`;
    return { reason, fix: CONTAINER };
  }
  if (refused && facts.filtered) return { reason: `the container forbids namespaces (${said})`, fix: CONTAINER };
  if (step.includes("uid_map") && facts.root) {
    return { reason: `user 65534, which programs run as, does not exist in this container (${said})` };
  }
  return { reason: said };
}

export function machineFacts(): MachineFacts {
  return {
    root: process.geteuid?.() === 0,
    usernsClone: setting("kernel/unprivileged_userns_clone"),
    maxUserNamespaces: setting("user/max_user_namespaces"),
    apparmorRestricts: setting("kernel/apparmor_restrict_unprivileged_userns"),
    filtered: /^Seccomp:\s*2$/m.test(read("/proc/self/status") ?? ""),
  };
}

const setting = (name: string) => read(`/proc/sys/${name}`)?.trim() ?? null;

function read(path: string): string | null {
  try {
    return fs.readFileSync(path, "utf8");
  } catch {
    return null;
  }
}
