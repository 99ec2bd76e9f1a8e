import { createHash } from "node:crypto";
import { Html, html, scriptJson } from "./html.js";
import type { Sample } from "./sample.js";
import { SCRIPT } from "./script.js";
import { STYLE } from "./style.js";

export interface PageDocument {
  readonly title: string;
  readonly body: Html;
  /** Shown where the body holds {@link SAMPLE_BROWSER}. */
  readonly samples?: readonly Sample[];
  /** Data URLs of what samples show, each once. */
  readonly pictures?: ReadonlyMap<string, string>;
  readonly writtenAt: Date;
}

/** Where the page's script shows the samples. */
export const SAMPLE_BROWSER = html`<section><h2>Samples</h2><div id="browser"><noscript>Samples are shown by the page's script.</noscript></div></section>`;

/** A whole page. It loads nothing and runs one script, which a content policy names by its hash. */
export function renderDocument({ title, body, samples = [], pictures = new Map(), writtenAt }: PageDocument): string {
  // Of the page itself: data URLs.
  const images = pictures.size > 0 ? " img-src data:;" : "";
  const urls = html`<script type="application/json" id="pictures">${scriptJson(Object.fromEntries(pictures))}</script>`;
  const policy = `default-src 'none';${images} style-src '${hashOf(STYLE)}'; script-src '${hashOf(SCRIPT)}'`;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${new Html(STYLE)}</style>
</head>
<body>
<main>
${body}
<footer>Written by verl-ts, ${writtenAt.toISOString().slice(0, 19).replace("T", " ")} UTC. This file is complete in itself: it loads nothing.</footer>
</main>
<script type="application/json" id="samples">${scriptJson(samples)}</script>
${pictures.size > 0 ? urls : ""}
<script>${new Html(SCRIPT)}</script>
</body>
</html>
`.text;
}

function hashOf(text: string): string {
  return `sha256-${createHash("sha256").update(text).digest("base64")}`;
}
