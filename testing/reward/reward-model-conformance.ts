import assert from "node:assert/strict";
import type { Awaitable, RenderedConversation, RewardModel } from "../../core/plugin.js";
import type { ConformanceCase } from "../case.js";

export interface RewardModelUnderTest {
  make(): Awaitable<RewardModel>;
  /** Different ones, at least two, that the model can score. */
  readonly conversations: readonly RenderedConversation[];
}

/** What every discriminative reward model must do. Run it with `runConformance`. */
export function rewardModelConformance({ make, conversations }: RewardModelUnderTest): ConformanceCase[] {
  const [first] = conversations;
  const started = (name: string, body: (model: RewardModel) => Promise<void>): ConformanceCase => ({
    name,
    async run() {
      const model = await make();
      try {
        await model.start();
        await body(model);
      } finally {
        await model.dispose();
      }
    },
  });
  return [
    started("gives a finite number, the same each time", async (model) => {
      const [one, again] = [await model.score(first), await model.score(first)];
      assert.ok(Number.isFinite(one), `${one}`);
      close(one, again);
    }),
    started("keeps calls that overlap apart", async (model) => {
      const alone: number[] = [];
      for (const conversation of conversations) alone.push(await model.score(conversation));
      const together = await Promise.all(conversations.map((conversation) => model.score(conversation)));
      alone.forEach((score, i) => {
        close(score, together[i]);
      });
    }),
    started("tells different conversations apart", async (model) => {
      const scores = await Promise.all(conversations.map((conversation) => model.score(conversation)));
      assert.ok(new Set(scores).size > 1, "all scores are equal");
    }),
    started("scores as before after it has slept", async (model) => {
      const before = await model.score(first);
      await model.sleep();
      await model.start();
      close(before, await model.score(first));
    }),
    started("may be started twice", async (model) => {
      await model.start();
      await model.score(first);
    }),
    started("rejects with the caller's reason when the caller has given up", async (model) => {
      const reason = new Error("stopped by the suite");
      await assert.rejects(async () => model.score(first, { signal: AbortSignal.abort(reason) }), reason);
    }),
    {
      name: "can be disposed without ever being started",
      run: async () => (await make()).dispose(),
    },
  ];
}

function close(a: number, b: number): void {
  assert.ok(Math.abs(a - b) <= 1e-5 * Math.max(1, Math.abs(a)), `${a} and ${b}`);
}
