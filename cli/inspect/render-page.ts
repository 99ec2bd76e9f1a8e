import { html, renderDocument, SAMPLE_BROWSER, sampleOf, type TrajectoryRecord } from "../../core/tracking/index.js";

const LIMITS = { tokens: 100_000, characters: 200_000 };

/** Trajectories as a page that is complete in itself. */
export function trajectoryPage(records: readonly TrajectoryRecord[], title: string, summary: string): string {
  const body = html`<header class="top"><div><h1>${title}</h1><p>${summary}</p></div></header>
${SAMPLE_BROWSER}`;
  const samples = records.map((record) => sampleOf(record, LIMITS));
  return renderDocument({ title, body, samples, writtenAt: new Date() });
}
