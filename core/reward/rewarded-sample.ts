import { type MediaReader, type MediaRef, type PlacedMedia, readableMedium } from "../data/index.js";
import type { RewardedSample, RewardInput, RewardMedium } from "./reward.js";

type Sample = Pick<RewardInput, "dataSource" | "solution" | "groundTruth" | "extraInfo" | "media">;

/** What a reward function is told, of what its manager was given. */
export function rewardedSample(
  { dataSource, solution, groundTruth, extraInfo, media = [] }: Sample,
  reader: MediaReader,
): RewardedSample {
  const readable = media.map((medium) => readableMedium(medium, reader));
  return { dataSource, solution, groundTruth, extraInfo, media: readable };
}

/** The media of a trajectory, by where they stand. */
export const rewardMedia = (media: readonly PlacedMedia[], promptLength: number): readonly RewardMedium[] =>
  media.map(({ offset, length: _, ...ref }) => ({
    ...(ref satisfies MediaRef),
    place: offset < promptLength ? "prompt" : "response",
  }));
