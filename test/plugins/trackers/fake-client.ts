/** The program of {@link FakePython}: speaks the protocol of `bridge.py`. */
import { appendFileSync } from "node:fs";
import { createInterface } from "node:readline";
import type { FakeBehaviour, Told } from "./fake-python.js";

const { FAKE_CLIENT: behaviour, FAKE_NOTES: notes } = process.env as { FAKE_CLIENT: FakeBehaviour; FAKE_NOTES: string };
const note = (told: Told) => appendFileSync(notes, `${JSON.stringify(told)}\n`);
const answer = (message: object) => process.stdout.write(`${JSON.stringify(message)}\n`);

if (process.argv.includes("--check"))
  answer({ python: "3.12.0", client: behaviour === "is not installed" ? null : "1.2.3" });
else await serve();

async function serve(): Promise<void> {
  note({ type: "process", argv: process.argv.slice(2), pid: process.pid });
  for await (const line of createInterface({ input: process.stdin })) {
    const message = JSON.parse(line) as Told;
    note(message);
    if (message.type === "start") {
      if (behaviour === "never begins") continue;
      if (behaviour === "refuses") {
        process.stderr.write("trying\n");
        answer({ type: "error", message: `UsageError: key ${process.env.WANDB_API_KEY} is not valid` });
        return;
      }
      answer({ type: "ready", place: "https://tracker.example/run" });
    } else if (behaviour === "never answers") continue;
    else if (behaviour === "fails at step 2" && message.step === 2)
      answer({ type: "failed", message: "ValueError: no" });
    else if (/^ends at step (.)$/.exec(behaviour)?.[1] === String(message.step)) {
      process.stderr.write("out of memory\n");
      process.exit(3);
    } else if (message.type === "finish") {
      if (behaviour === "never finishes") continue;
      answer({ type: "finished" });
      process.exit(0);
    } else answer({ type: behaviour === "has step 1" && message.step === 1 ? "had" : "done" });
  }
  note({ type: "end of input" });
}
