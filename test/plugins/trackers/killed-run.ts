/** A run that logs two steps to a tracker, prints the processes that it started, and waits to be killed: of `check.ts`. */
import { readdirSync, readFileSync } from "node:fs";
import { pythonTrackers } from "../../../plugins/trackers/index.js";
import { fakeRunInfo } from "../../../testing/index.js";

const [name, python, outputDir] = process.argv.slice(2);
const factory = pythonTrackers.find((tracker) => tracker.name === name);
if (!factory) throw new Error(`no tracker ${name}`);
const tracker = await factory.create({ env: process.env, settings: { valGenerations: 0, python, proxy: null } });
await tracker.start(fakeRunInfo({ outputDir }));
for (const step of [1, 2]) await tracker.log({ "actor/loss": step / 2 }, step);
// Sent is what matters: the client may still be at work when the run is killed.
process.stdout.write(`${descendants(process.pid).join(" ")}\n`);
setInterval(() => {}, 1000);

/** From /proc. */
function descendants(of: number): number[] {
  const parents = new Map<number, number>();
  for (const entry of readdirSync("/proc")) {
    if (!/^\d+$/.test(entry)) continue;
    try {
      const stat = readFileSync(`/proc/${entry}/stat`, "utf8");
      parents.set(Number(entry), Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]));
    } catch {
      // Gone meanwhile.
    }
  }
  const found: number[] = [];
  for (const pid of parents.keys()) {
    for (let at = parents.get(pid); at !== undefined && at > 0; at = parents.get(at)) {
      if (at === of) {
        found.push(pid);
        break;
      }
    }
  }
  return found;
}
