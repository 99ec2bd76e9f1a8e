import type { EngineBackend, NamedTensor, NumberSource, ReplicaGroup } from "../../core/plugin.js";

/** Ranks 1, 2, … in this process: all of data parallelism but the processes. */
export function localReplicas(backends: readonly EngineBackend[]): ReplicaGroup {
  return {
    replicas: backends,
    async reduceGradients(first) {
      for (const backend of backends) {
        await first.addGradients?.(numbersOf(await copyOf(backend.gradients())));
        await backend.zeroGrad();
      }
    },
    async broadcastParameters(first) {
      const parameters = await copyOf(first.trainedTensors?.() ?? first.parameters());
      for (const backend of backends) await backend.setParameters?.(numbersOf(parameters));
    },
  };
}

async function copyOf(tensors: AsyncIterable<NamedTensor>): Promise<Float32Array> {
  const numbers: number[] = [];
  for await (const { data } of tensors) for (const x of data as Float32Array) numbers.push(x);
  return Float32Array.from(numbers);
}

function numbersOf(values: Float32Array): NumberSource {
  let at = 0;
  return async (into) => {
    into.set(values.subarray(at, at + into.length));
    at += into.length;
  };
}
