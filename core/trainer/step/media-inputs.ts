import type { SequenceBatch } from "../../data/batch/sequence-batch.js";
import { type MediaInputs, type MediaRef, type PlacedMedia, type RunMedia, sequenceAt } from "../../data/index.js";
import { trainerErrors } from "../errors.js";

/** What a forward pass needs of media, by the run's processor. */
export type MediaSupply = Pick<RunMedia, "inputs" | "processor">;

/** Media whose inputs are computed at the same time. */
const AT_ONCE = 8;

/**
 * The batch with what its media are to the model. A medium that many sequences hold, as those of one prompt do, is prepared once
 * and shared. `media` are those of each sequence, [B].
 */
export async function withMediaInputs(
  batch: SequenceBatch,
  media: readonly (readonly PlacedMedia[])[],
  supply: MediaSupply | null,
  signal: AbortSignal,
): Promise<SequenceBatch> {
  if (media.every((placed) => placed.length === 0)) return batch;
  if (!supply)
    throw trainerErrors.VERL_TRAINER_ENGINE_UNFIT({ what: "trajectories hold media, and the run has no processor" });
  const inputs = await inputsOf(media.flat(), supply, signal);
  const ofSequences = media.map((placed) =>
    placed.map((medium) => ({ ...medium, inputs: inputs.get(medium.id) as MediaInputs })),
  );
  const { processor } = supply;
  const positions = processor?.positions
    ? ofSequences.map((own, b) => {
        if (own.length === 0) return null;
        const { promptIds, responseIds } = sequenceAt(batch, b);
        const ids = new Int32Array([...promptIds, ...responseIds]);
        return processor.positions?.({ ids, media: own }) ?? null;
      })
    : null;
  return { ...batch, media: ofSequences, ...(positions ? { positions } : {}) };
}

async function inputsOf(
  media: readonly PlacedMedia[],
  supply: MediaSupply,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, MediaInputs>> {
  const waiting = [...new Map(media.map((medium): [string, MediaRef] => [medium.id, medium])).values()];
  const inputs = new Map<string, MediaInputs>();
  const work = async () => {
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      signal.throwIfAborted();
      inputs.set(next.id, await supply.inputs(next, { signal }));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return inputs;
}
