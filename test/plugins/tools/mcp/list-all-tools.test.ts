import { expect } from "chai";
import { EndlessList, listAllTools, MAX_TOOL_PAGES } from "../../../../plugins/tools/mcp/list-all-tools.js";

/** A list of so many pages with a tool each. */
const pages = (count: number) => async (cursor: string | undefined) => {
  const page = Number(cursor ?? 1);
  return { tools: [page], ...(page < count ? { nextCursor: String(page + 1) } : {}) };
};

const failure = (work: Promise<unknown>): Promise<unknown> => work.then(() => null).catch((error: unknown) => error);

describe("the list of an MCP server's tools", () => {
  it("is read to its end, up to the bound on its pages", async () => {
    expect(await listAllTools(pages(3), () => false)).to.deep.equal([1, 2, 3]);
    expect(await listAllTools(pages(MAX_TOOL_PAGES), () => false)).to.have.length(MAX_TOOL_PAGES);
    const error = await failure(listAllTools(pages(MAX_TOOL_PAGES + 1), () => false));
    expect(error).to.be.instanceOf(EndlessList);
    expect((error as Error).message).to.equal(`its list of tools has more than ${MAX_TOOL_PAGES} pages`);
  });

  it("is refused where a page leads back to an earlier one", async () => {
    const circle = async () => ({ tools: [1], nextCursor: "again" });
    expect(await failure(listAllTools(circle, () => false))).to.be.instanceOf(EndlessList);
  });

  it("is not read on when nobody waits for it any more", async () => {
    let asked = 0;
    const counted = (cursor: string | undefined) => {
      asked++;
      return pages(9)(cursor);
    };
    await failure(listAllTools(counted, () => asked === 2));
    expect(asked).to.equal(2);
  });
});
