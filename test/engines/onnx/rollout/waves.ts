import { RandomStream } from "../../../../core/data/random.js";
import type { GenerateRequest, NamedTensor, RolloutOptions, TokenOutput } from "../../../../core/plugin.js";
import { request, withOnnxReplica } from "./tiny-model.js";

/**
 * Requests with prompts of 1 to 70 tokens (33 and 65 fill attention's blocks of 32 queries and one more), some of them
 * equal, different budgets and distributions.
 */
export function mixedRequests(count: number): GenerateRequest[] {
  const random = new RandomStream(5, "requests");
  return Array.from({ length: count }, (_, i) => {
    const length = i % 3 === 0 ? [1, 2, 33, 65][i % 4] : 1 + random.int(70);
    const promptIds = i % 8 === 7 ? [5, 6, 7] : Array.from({ length }, () => random.int(61));
    const truncation = [{}, { topP: 0.9 }, { topK: 7 }, { temperature: 0.7 }][i % 4];
    return request(`r${i}`, { promptIds, maxTokens: 1 + random.int(8), ...truncation });
  });
}

/** What is drawn for each request when they come in waves of `size`, in a random order. */
export async function inWaves(
  requests: readonly GenerateRequest[],
  size: number,
  options: Partial<RolloutOptions>,
  weights?: readonly NamedTensor[],
): Promise<TokenOutput[]> {
  const inOrder = requests.map((_, i) => i);
  const order = size === 1 ? inOrder : new RandomStream(size, "order").shuffled(inOrder);
  const outputs: TokenOutput[] = [];
  await withOnnxReplica(
    { maxNumSeqs: size, maxModelLen: 96, ...options },
    async (replica) => {
      for (let at = 0; at < order.length; at += size) {
        const wave = order.slice(at, at + size);
        const drawn = await Promise.all(wave.map((i) => replica.generate(requests[i])));
        wave.forEach((i, k) => {
          outputs[i] = drawn[k];
        });
      }
    },
    weights,
  );
  return outputs;
}
