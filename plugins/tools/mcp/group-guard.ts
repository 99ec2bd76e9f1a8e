import { spawn } from "node:child_process";

/**
 * Reads until its input ends. A line first: all is well. Without one, whoever wrote is gone, and the group $1 is ended: it has
 * $2 tenths of a second to end with its input, and as many after SIGTERM.
 */
const WATCH = `
if read -r _; then exit 0; fi
for signal in TERM KILL; do
  left=$2
  while [ "$left" -gt 0 ]; do
    kill -s 0 -- "-$1" 2>/dev/null || exit 0
    sleep 0.1
    left=$((left - 1))
  done
  kill -s "$signal" -- "-$1" 2>/dev/null
done`;

/**
 * A process that ends this group should this process be killed: nothing of its own runs then. Returns the function that ends the
 * watch. Where there is no shell, there is none.
 */
export function guardGroup(group: number, graceMs: number): () => void {
  const args = ["-c", WATCH, "verl-guard", String(group), String(Math.ceil(graceMs / 100))];
  const guard = spawn("/bin/sh", args, { detached: true, stdio: ["pipe", "ignore", "ignore"], env: PLAIN, cwd: "/" });
  guard.on("error", () => {});
  guard.stdin.on("error", () => {});
  // It waits for this process, not the other way round.
  guard.unref();
  (guard.stdin as unknown as { unref?(): void }).unref?.();
  return () => void guard.stdin.end("\n");
}

/** `sleep` is found by it. */
const PLAIN = { PATH: "/usr/local/bin:/usr/bin:/bin" };
