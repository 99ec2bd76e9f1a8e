/** One program for each thing that the suite asks of a sandbox. */
export interface SandboxPrograms {
  readonly language: string;
  /** Copies standard input to standard output, then the arguments, separated by spaces, then `err` to standard error. */
  readonly echo: string;
  /** Ends with exit code 3. */
  readonly fail: string;
  /** Prints `ready`, then waits for a minute. */
  readonly wait: string;
  /** Computes without end. */
  readonly spin: string;
  /** Prints without end. */
  readonly flood: string;
  /** Takes memory without end, and uses it. */
  readonly hoard: string;
  /** Copies `data/in.txt` to `out.txt`, and makes a link `link.txt` to it. */
  readonly files: string;
  /** Prints how many files its folder and the folder for temporary files hold, and leaves one more in each. */
  readonly litter: string;
  /**
   * Starts a process in a session of its own that waits for a minute with the program's first argument in its command
   * line, and ends without waiting for it.
   */
  readonly abandon: string;
}

export const pythonPrograms: SandboxPrograms = {
  language: "python",
  echo: `
import sys
sys.stdout.write(sys.stdin.read() + " ".join(sys.argv[1:]))
sys.stderr.write("err")
`,
  fail: "raise SystemExit(3)",
  wait: `
import time
print("ready", flush=True)
time.sleep(60)
`,
  spin: "while True: pass",
  flood: `while True: print("x" * 10000)`,
  hoard: `
kept = []
while True: kept.append(bytearray(b"x" * 1000000))
`,
  files: `
import os
open("out.txt", "w").write(open("data/in.txt").read())
os.symlink("out.txt", "link.txt")
`,
  litter: `
import os, tempfile
print(len(os.listdir(".")), len(os.listdir(tempfile.gettempdir())))
open("left.txt", "w").close()
open(tempfile.gettempdir() + "/left.txt", "w").close()
`,
  abandon: `
import os, sys
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.execv(sys.executable, [sys.executable, "-c", "import time; time.sleep(60)", sys.argv[1]])
    os._exit(0)
os.wait()
print("done")
`,
};
