/** Entry of the thread in which onnxruntime's Node binding computes. */
import { parentPort } from "node:worker_threads";
import type { InferenceSession } from "onnxruntime-node";
import { reasonOf } from "../../../../core/host/basics.js";
import { viewOf } from "../tensor-memory.js";
import { createNative, loadBinding, type NativeTensors } from "./binding-session.js";
import type { SentTensor, ThreadReply, ThreadTask } from "./binding-thread.js";

const port = parentPort;
if (port === null) throw new Error("this file is the entry of a worker thread");
const ort = await loadBinding();
const sessions = new Map<number, InferenceSession>();
let created = 0;

async function perform(task: ThreadTask): Promise<number> {
  if (task.do === "create") {
    sessions.set(++created, await createNative(ort, task.model, task.settings));
    return created;
  }
  const session = sessions.get(task.session);
  if (!session) throw new Error("a session was run after its release");
  if (task.do === "release") {
    sessions.delete(task.session);
    await session.release();
  } else {
    await session.run(natives(task.feeds, task.buffers), natives(task.fetches, task.buffers));
  }
  return task.session;
}

/** One tensor for every buffer, so that what is fed and fetched in the same memory is. */
function natives(sent: readonly SentTensor[], buffers: readonly ArrayBuffer[]): NativeTensors {
  return Object.fromEntries(
    sent.map(({ name, dtype, dims, buffer }) => [
      name,
      new ort.Tensor(dtype as "float32", viewOf(dtype, buffers[buffer]) as Float32Array, dims),
    ]),
  );
}

port.on("message", async (task: ThreadTask) => {
  const buffers = task.do === "run" ? task.buffers : [];
  let [error, session]: [string | null, number] = [null, 0];
  try {
    session = await perform(task);
  } catch (failure) {
    error = reasonOf(failure);
  }
  const reply: ThreadReply = { error, session, buffers };
  port.postMessage(reply, [...buffers]);
});
