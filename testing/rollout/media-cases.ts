import assert from "node:assert/strict";
import type { GenerateRequest, PlacedMedia, RolloutReplica } from "../../core/plugin.js";
import type { ConformanceCase } from "../case.js";
import { withCode } from "./generation-cases.js";

export interface MediaRolloutUnderTest {
  /** Two requests and more with the same tokens and other media of one kind, which `make`'s replica can read. */
  readonly requests: readonly GenerateRequest[];
  /** Launched and with weights; made anew for each case. */
  make(): Promise<RolloutReplica>;
}

/** What a rollout whose capabilities list media must do besides `rolloutConformance`. Run it with `runConformance`. */
export function mediaRolloutConformance({ requests, make }: MediaRolloutUnderTest): ConformanceCase[] {
  const withReplica = (body: (replica: RolloutReplica) => Promise<void>) => async () => {
    const replica = await make();
    try {
      await body(replica);
    } finally {
      await replica.dispose();
    }
  };
  const [first] = requests;
  const medium = (first.media as readonly PlacedMedia[])[0];
  return [
    {
      name: "lists the kinds that it takes",
      run: withReplica(async ({ capabilities }) => {
        for (const { media = [] } of requests) {
          for (const { kind } of media) assert.ok(capabilities.media?.includes(kind), kind);
        }
      }),
    },
    {
      name: "looks at media: others give other log-probabilities",
      run: withReplica(async (replica) => {
        const logProbs = new Set<string>();
        for (const request of requests) {
          const sampling = { ...request.sampling, temperature: 1, maxTokens: 1, logProbs: true };
          // The same draw, so that it is the distribution that differs.
          const output = await replica.generate({ ...request, requestId: "one", sampling });
          logProbs.add(`${output.tokenIds} ${output.logProbs}`);
        }
        assert.equal(logProbs.size, requests.length);
      }),
    },
    {
      name: "gives the same tokens for the same media, whatever else is in flight",
      run: withReplica(async (replica) => {
        const alone = [];
        for (const request of requests) alone.push((await replica.generate(request)).tokenIds);
        const together = await Promise.all(requests.map((request) => replica.generate(request)));
        assert.deepEqual(
          together.map(({ tokenIds }) => tokenIds),
          alone,
        );
      }),
    },
    {
      name: "refuses media that lie outside of the prompt, or over each other",
      run: withReplica(async (replica) => {
        const outside = { ...medium, offset: first.promptIds.length };
        for (const media of [[outside], [medium, medium]]) {
          await assert.rejects(replica.generate({ ...first, media }), withCode("VERL_ROLLOUT_BAD_REQUEST"));
        }
      }),
    },
  ];
}
