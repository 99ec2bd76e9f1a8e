/** One model call: the tokens that the server saw and the tokens that it sampled. */
export interface ModelCall {
  readonly prompt: readonly number[];
  readonly completion: readonly number[];
  /** One for each completion token. */
  readonly logProbs?: readonly number[];
}

export interface MergedSample {
  readonly promptIds: number[];
  readonly responseIds: number[];
  /** 1 = sampled, 0 = what tools and users put between. */
  readonly responseMask: (0 | 1)[];
  /** 0 where the mask is 0; absent if no call of the chain has log-probabilities. */
  readonly responseLogProbs?: number[];
}

interface Chain {
  readonly sample: Required<MergedSample>;
  /** Prompt and completion of the last call. */
  tokens: readonly number[];
  hasLogProbs: boolean;
  /** Number of the call that extended it last. */
  extended: number;
}

/**
 * Merges the model calls of one task into training samples. A call joins the chain whose tokens are a prefix of its prompt
 * (the longest; of several, the one extended last), otherwise it starts a new sample: an edited, repeated or rolled-back
 * history never rewrites an old one, and no token is encoded again. Samples without a sampled token are left out.
 */
export function mergeTrajectories(calls: readonly ModelCall[]): MergedSample[] {
  const chains: Chain[] = [];
  calls.forEach((call, number) => {
    const chain = chainFor(call, chains) ?? startChain(call, chains);
    extend(chain, call, number);
  });
  return chains
    .filter(({ sample }) => sample.responseMask.includes(1))
    .map(({ sample: { responseLogProbs, ...sample }, hasLogProbs }) =>
      hasLogProbs ? { ...sample, responseLogProbs } : sample,
    );
}

function chainFor({ prompt }: ModelCall, chains: readonly Chain[]): Chain | null {
  let best: Chain | null = null;
  for (const chain of chains) {
    if (!isPrefix(chain.tokens, prompt)) continue;
    const longer = best ? chain.tokens.length - best.tokens.length : 1;
    if (!best || longer > 0 || (longer === 0 && chain.extended > best.extended)) best = chain;
  }
  return best;
}

function startChain({ prompt }: ModelCall, chains: Chain[]): Chain {
  const sample = { promptIds: [...prompt], responseIds: [], responseMask: [], responseLogProbs: [] };
  const chain: Chain = { sample, tokens: prompt, hasLogProbs: false, extended: -1 };
  chains.push(chain);
  return chain;
}

function extend(chain: Chain, { prompt, completion, logProbs }: ModelCall, number: number): void {
  const { responseIds, responseMask, responseLogProbs } = chain.sample;
  for (const token of prompt.slice(chain.tokens.length)) {
    responseIds.push(token);
    responseMask.push(0);
    responseLogProbs.push(0);
  }
  completion.forEach((token, i) => {
    responseIds.push(token);
    responseMask.push(1);
    responseLogProbs.push(logProbs?.[i] ?? 0);
  });
  chain.tokens = [...prompt, ...completion];
  chain.hasLogProbs ||= logProbs !== undefined;
  chain.extended = number;
}

function isPrefix(prefix: readonly number[], whole: readonly number[]): boolean {
  return prefix.length <= whole.length && prefix.every((token, i) => token === whole[i]);
}
