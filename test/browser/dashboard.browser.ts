import { appendFile, mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect } from "chai";
import { metricsLine } from "../../core/tracking/index.js";
import { HOSTILE, makeRun, TestDashboard } from "../cli/dashboard/support.js";
import { Chromium, type Page, type PageSettings } from "./chromium.js";

const SIZES: readonly (readonly [name: string, settings: PageSettings])[] = [
  ["wide-light", { width: 1600, height: 1000, dark: false }],
  ["wide-dark", { width: 1600, height: 1000, dark: true }],
  ["narrow-light", { width: 400, height: 900, dark: false }],
  ["narrow-dark", { width: 400, height: 900, dark: true }],
];
const VIEWS = ["curves", "rollouts", "validation", "config", "plugins"];
const [, WIDE] = SIZES[0];
const CHARTS = "document.querySelectorAll('main figure.chart').length";

describe("dashboard in Chromium", () => {
  let board: TestDashboard;
  let browser: Chromium;
  before(async () => {
    browser = await Chromium.launch();
    board = await TestDashboard.start(async (dir) => {
      const runs = path.join(dir, "runs");
      const registered = [
        { kind: "trainer", key: "sync" },
        { kind: "tracker", key: HOSTILE },
      ];
      const plugins = [
        { name: "verl-ts", version: "0.1.0", source: "builtin", status: "loaded", hash: null, registered },
        {
          name: `plugin-${HOSTILE}`,
          version: "1.2.0",
          source: "config",
          status: "loaded",
          hash: "sha256-abcdef",
          registered,
        },
      ];
      await makeRun(path.join(runs, "grpo-lr1e-6"), { steps: 40, plugins });
      await makeRun(path.join(runs, "grpo-lr2e-6-with-a-rather-long-experiment-name"), {
        steps: 30,
        more: 0.2,
        config: "  extra: [1, 2]\n",
      });
      await makeRun(path.join(runs, "deep", "ein Lauf & <b>mehr<b>"), {
        steps: 12,
        more: -0.2,
        text: HOSTILE,
        config: `  note: ${JSON.stringify(HOSTILE)}\n`,
      });
      await appendFile(
        path.join(runs, "deep", "ein Lauf & <b>mehr<b>", "metrics.jsonl"),
        `${metricsLine(13, { [HOSTILE]: 1 })}\nbroken\n`,
      );
    });
  });
  after(async () => {
    await board?.[Symbol.asyncDispose]();
    await browser?.[Symbol.asyncDispose]();
  });

  const open = async (view: string, settings: PageSettings = WIDE, more = ""): Promise<Page> => {
    const page = await browser.open(`${board.url}/#view=${view}${more}`, settings);
    await page.until("document.querySelector('main section')?.childElementCount > 0");
    return page;
  };

  for (const [name, settings] of SIZES) {
    for (const view of VIEWS) {
      it(`shows ${view} ${name}, without sideways scrolling, errors or foreign scripts`, async () => {
        const page = await open(view, settings);
        if (process.env.SCREENSHOTS) {
          await mkdir(process.env.SCREENSHOTS, { recursive: true });
          await writeFile(path.join(process.env.SCREENSHOTS, `${view}-${name}.png`), await page.screenshot());
        }
        expect(page.troubles).to.deep.equal([]);
        expect(await page.value("document.documentElement.scrollWidth - innerWidth")).to.be.at.most(0);
        expect(
          await page.value(
            "[typeof window.broken, document.querySelectorAll('main img, main script, #app b b').length]",
          ),
        ).to.deep.equal(["undefined", 0]);
      });
    }
  }

  it("shows the values under the pointer, of every run", async () => {
    const page = await open("curves");
    await page.hover("main figure:nth-child(2) svg", 0.3);
    await page.until("document.querySelectorAll('.tip div').length === 4");
    expect(await page.value("document.querySelector('.tip').innerText")).to.match(/^step \d+\n.*mehr.* -?0\.\d+\ngrpo/);
  });

  it("moves along a curve by keys", async () => {
    const page = await open("curves");
    await page.value("document.querySelector('main figure:nth-child(2) svg').focus()");
    await page.key("Home");
    await page.key("ArrowRight");
    expect(await page.value("document.querySelector('.tip').innerText")).to.match(/^step 2\n/);
    await page.key("Escape");
    expect(await page.value("document.querySelector('.tip')")).to.equal(null);
  });

  it("smooths, and keeps the raw curve behind", async () => {
    const page = await open("curves", WIDE, "&smooth=0.8");
    expect(await page.value("document.querySelectorAll('main figure:nth-child(2) .faint').length")).to.equal(3);
  });

  it("counts time from the run's first line", async () => {
    const page = await open("curves", WIDE, "&axis=time");
    await page.value("document.querySelector('main figure:nth-child(2) svg').focus()");
    await page.key("End");
    expect(await page.value("document.querySelector('.tip').innerText")).to.match(/^39m 00s\n/);
  });

  it("unticks a run from the keyboard, and remembers that in the address", async () => {
    const page = await open("curves");
    await page.value("document.querySelector('.runs input').focus()");
    await page.key(" ");
    await page.until("document.querySelectorAll('.runs .chosen').length === 2");
    expect(await page.value("document.activeElement.id.startsWith('run-')")).to.equal(true);
    expect(await page.value<string>("location.hash")).to.match(/runs=[0-9a-f]{16}%2C[0-9a-f]{16}/);
  });

  it("filters metrics by name", async () => {
    const page = await open("curves", WIDE, "&filter=grad");
    await page.until(`${CHARTS} === 1`);
    expect(await page.value("document.querySelector('figure h4').textContent")).to.equal("actor/grad_norm");
  });

  it("opens a group of metrics and keeps it open when the run goes on", async () => {
    await using live = await TestDashboard.start((dir) => makeRun(path.join(dir, "runs", "a"), { steps: 5 }));
    const page = await browser.open(live.url, WIDE);
    await page.until("document.querySelector('details.group summary')");
    await page.value("document.querySelector('details.group summary').click()");
    await page.until("document.querySelector('details.group figure')");
    await writeFile(
      live.at("a", "run.lock"),
      JSON.stringify({ pid: process.pid, host: (await import("node:os")).hostname(), started: null }),
    );
    await appendFile(live.at("a", "metrics.jsonl"), `${metricsLine(6, { "critic/rewards/mean": 7.25 })}\n`);
    // A page that is looked at again asks at once.
    await page.value("document.dispatchEvent(new Event('visibilitychange'))");
    await page.until(
      "document.querySelector('.runs .status').textContent === 'running' && document.querySelector('.runs').innerText.includes('step 6')",
    );
    await page.until("[...document.querySelectorAll('main figure b')].some((b) => b.textContent === '7.250')");
    expect(await page.value("document.querySelector('details.group').open")).to.equal(true);
  });

  it("colours tokens by mask, probability and gap", async () => {
    const page = await open("rollouts", WIDE, "&order=file");
    const colours = () =>
      page.value<string[]>(
        "[...document.querySelectorAll('.response span')].map((s) => getComputedStyle(s).backgroundColor)",
      );
    const byProbability = await colours();
    await page.value("document.querySelectorAll('[aria-label=\"Colour tokens by\"] button')[2].click()");
    await page.until("document.querySelector('.response.gap')");
    expect(await colours()).not.to.deep.equal(byProbability);
    await page.value("document.querySelectorAll('[aria-label=\"Colour tokens by\"] button')[0].click()");
    await page.until("document.querySelector('.response.mask')");
    const byMask = await colours();
    expect(new Set(byMask).size).to.equal(2);
    expect(await page.value("document.querySelectorAll('.response .given').length")).to.equal(1);
  });

  it("shows what a model wrote as it is written", async () => {
    const page = await open("rollouts", WIDE, "&order=file");
    const text = await page.value<string>("document.querySelector('.response').textContent");
    expect(text.startsWith(HOSTILE)).to.equal(true);
  });

  it("filters rollouts and turns pages", async () => {
    const page = await open("rollouts");
    await page.value(
      "(() => { const s = [...document.querySelectorAll('select')].find((s) => s.parentElement.innerText.startsWith('stopped')); s.value = 'length'; s.dispatchEvent(new Event('change')); })()",
    );
    await page.until("document.querySelector('.pager span').textContent.startsWith('1–10 of 12 (of 24)')");
    await page.value("document.querySelector('.pager button:last-child').click()");
    await page.until("document.querySelector('.pager span').textContent.startsWith('11–12')");
    expect(await page.value("document.querySelectorAll('.card').length")).to.equal(2);
  });

  it("says what is wrong when the dashboard was ended", async () => {
    const live = await TestDashboard.start((dir) => makeRun(path.join(dir, "runs", "a"), { steps: 2 }));
    const page = await browser.open(live.url, WIDE);
    await page.until(`${CHARTS} > 0`);
    await live[Symbol.asyncDispose]();
    await page.value("document.dispatchEvent(new Event('visibilitychange'))");
    await page.until("document.querySelector('[role=alert]').textContent.includes('does not answer')");
  });

  it("takes the key out of the address and uses it", async () => {
    await using locked = await TestDashboard.start(
      (dir) => makeRun(path.join(dir, "runs", "a"), { steps: 2 }),
      "sesame",
    );
    const page = await browser.open(`${locked.url}/#key=sesame`, WIDE);
    await page.until(`${CHARTS} > 0`);
    expect(await page.value("location.href")).not.to.include("sesame");
  });
});
