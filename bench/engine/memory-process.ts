/** Training steps in a process of their own; prints its memory as JSON. Arguments: workload, threads, steps. */
import { openOrtRuntime } from "../../engines/onnx/runtime/index.js";
import { residentMiB } from "../figures.js";
import { Trainer } from "./trainer.js";
import { WORKLOADS } from "./workload.js";

const [name, threads, steps] = process.argv.slice(2);
const work = WORKLOADS.find((workload) => workload.name === name);
if (!work) throw new Error(`there is no workload ${name}`);
// Importing torch loads its libraries; this loads onnxruntime's.
await openOrtRuntime();
const imported = residentMiB().now;
const trainer = await Trainer.load(work, Number(threads));
for (let i = 0; i < Number(steps); i++) await trainer.run("step", work.batch);
console.log(JSON.stringify({ imported, peak: residentMiB().peak }));
await trainer.dispose();
