import { expect } from "chai";
import { Catalogue } from "../../../cli/dashboard/catalogue.js";
import { Roots } from "../../../cli/dashboard/roots.js";
import { serve } from "../../../cli/dashboard/server.js";
import { FAKE_PLUGIN } from "../../core/trainer/support/child.js";
import { ToyFolder } from "../../core/trainer/support/toy-run.js";
import { TOY_OVERRIDES } from "../../core/trainer/support/toy-task.js";
import { cli } from "../support.js";

describe("verl dashboard: a run that verl train made", () => {
  it("is shown with its dumps, settings and plugins", async () => {
    await using folder = await ToyFolder.create();
    const overrides = [...TOY_OVERRIDES, "trainer.logger=[jsonl]", "trainer.rollout_data_dir=run/rollouts"];
    const env = { VERL_USE_EXTERNAL_MODULES: FAKE_PLUGIN };
    const { code, stderr } = await cli(["train", ...overrides], { cwd: folder.dir, env });
    expect(code, stderr).to.equal(0);

    const catalogue = new Catalogue(await Roots.open([folder.dir]));
    const server = await serve({ catalogue, files: new Map(), host: "127.0.0.1", port: 0, key: null });
    const get = async <T>(place: string) =>
      (await (await fetch(`http://127.0.0.1:${server.port}/api/${place}`)).json()) as T;
    try {
      const { runs } = await get<{
        runs: { id: string; name: string; status: string; lastStep: number; problem: null }[];
      }>("runs");
      expect(runs).to.have.length(1);
      expect(runs[0]).to.include({ name: "run", lastStep: 3, problem: null });
      const { items, outside } = await get<{
        items: { step: number; mask: string; tokens: string[] }[];
        outside: boolean;
      }>(`runs/${runs[0].id}/rollouts?step=2&split=train`);
      expect(outside).to.equal(false);
      expect(items[0].step).to.equal(2);
      expect(items[0].mask).to.have.length(items[0].tokens.length);
      const { settings } = await get<{ settings: { key: string; source: string }[] }>(`runs/${runs[0].id}/config`);
      expect(settings.find(({ key }) => key === "trainer.rollout_data_dir")?.source).not.to.equal("default");
      const { plugins } = await get<{ plugins: { source: string; registered: object[] }[] }>(
        `runs/${runs[0].id}/plugins`,
      );
      expect(plugins.some(({ source, registered }) => source === "environment" && registered.length > 0)).to.equal(
        true,
      );
    } finally {
      await server.close();
    }
  });
});
