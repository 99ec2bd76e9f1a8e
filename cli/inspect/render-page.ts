import { mediaLabel } from "../../core/data/index.js";
import {
  html,
  renderDocument,
  SAMPLE_BROWSER,
  type Sample,
  sampleOf,
  type TrajectoryRecord,
} from "../../core/tracking/index.js";
import { type MediaFiles, picturesOf } from "./media-files.js";

const LIMITS = { tokens: 100_000, characters: 200_000 };

/** Trajectories as a page that is complete in itself, with the pictures that lie beside their files. */
export async function trajectoryPage(
  records: readonly TrajectoryRecord[],
  mediaFiles: MediaFiles,
  { title, summary }: { readonly title: string; readonly summary: string },
): Promise<string> {
  const body = html`<header class="top"><div><h1>${title}</h1><p>${summary}</p></div></header>
${SAMPLE_BROWSER}`;
  const pictures = await picturesOf(records, mediaFiles);
  const samples = records.map((record): Sample => {
    const { media = [], promptIds = [] } = record;
    const own = media
      .filter(({ id }) => pictures.has(id))
      .map((placed) => ({ name: mediaLabel(placed), id: placed.id, inPrompt: placed.offset < promptIds.length }));
    return { ...sampleOf(record, LIMITS), ...(own.length > 0 ? { pictures: own } : {}) };
  });
  return renderDocument({ title, body, samples, pictures, writtenAt: new Date() });
}
