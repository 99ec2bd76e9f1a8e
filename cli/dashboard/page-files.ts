import { readFile } from "node:fs/promises";
import { STYLE } from "./style.js";

export interface PageFile {
  readonly type: string;
  readonly body: Buffer;
}

/** The page's modules, as they were compiled; those that the command line uses as well lie in its rooms. */
export const PAGE_MODULES = [
  "core/tracking/format.js",
  "core/tracking/page/scale.js",
  ...[
    "api",
    "app",
    "chart",
    "compare-view",
    "curves-view",
    "dom",
    "plugins-view",
    "rollouts-view",
    "runs-list",
    "smooth",
    "state",
    "tokens",
    "validation-view",
  ].map((name) => `cli/dashboard/web/${name}.js`),
];

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>verl dashboard</title>
<link rel="icon" href="/icon.svg">
<link rel="stylesheet" href="/style.css">
${PAGE_MODULES.map((name) => `<link rel="modulepreload" href="/${name}">`).join("\n")}
<script type="module" src="/cli/dashboard/web/app.js"></script>
</head>
<body>
<noscript>The dashboard is shown by its script.</noscript>
<div id="app"></div>
</body>
</html>
`;

const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#2f66d0"/><path d="M5 24C12 24 12 9 27 8" fill="none" stroke="#fff" stroke-width="3.5" stroke-linecap="round"/></svg>`;

/** Everything that the page consists of, by path; nothing else is served but data. */
export async function pageFiles(): Promise<ReadonlyMap<string, PageFile>> {
  const files = new Map<string, PageFile>();
  const add = (path: string, type: string, text: string) =>
    files.set(path, { type: `${type}; charset=utf-8`, body: Buffer.from(text) });
  add("/", "text/html", PAGE);
  add("/style.css", "text/css", STYLE);
  add("/icon.svg", "image/svg+xml", ICON);
  for (const name of PAGE_MODULES) {
    const text = await readFile(new URL(`../../${name}`, import.meta.url), "utf8");
    add(`/${name}`, "text/javascript", text.replace(/^\/\/# sourceMappingURL=.*$/m, ""));
  }
  return files;
}
