import { readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";

const root = path.resolve(import.meta.dirname, "../../..");
const pages = ["README.md", "CONTRIBUTING.md", ...markdownIn("docs"), ...markdownIn("examples")];

/** Named by the README and still to be written. */
const TO_COME: ReadonlySet<string> = new Set([]);

describe("links of the documentation", () => {
  for (const page of pages) {
    it(`${page} links to files and headings that exist`, () => {
      const broken = linksOf(read(page)).filter((link) => !resolves(page, link));
      expect(broken).to.deep.equal([]);
    });
  }
});

function markdownIn(folder: string): string[] {
  return readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const inside = path.posix.join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === "node_modules" ? [] : markdownIn(inside);
    return entry.name.endsWith(".md") ? [inside] : [];
  });
}

function read(page: string): string {
  return readFileSync(path.join(root, page), "utf8");
}

/** Targets of inline links, those to the web left out. Code is no place for links. */
function linksOf(text: string): string[] {
  const prose = text.replace(/^```[\s\S]*?^```/gm, "").replace(/`[^`\n]*`/g, "code");
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target).filter((to) => !/^[a-z]+:/.test(to));
}

function resolves(page: string, link: string): boolean {
  const [file, heading] = link.split("#");
  const target = file === "" ? page : path.posix.join(path.posix.dirname(page), file);
  if (!statSync(path.join(root, target), { throwIfNoEntry: false })) return TO_COME.has(target);
  return heading === undefined || anchorsOf(read(target)).includes(heading);
}

/** Headings as GitHub names them: lower case, punctuation dropped, spaces as hyphens. */
function anchorsOf(text: string): string[] {
  const headings = text.replace(/^```[\s\S]*?^```/gm, "").matchAll(/^#+ (.+)$/gm);
  return [...headings].map(([, heading]) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(" ", "-"),
  );
}
