import type { Page } from "playwright-core";
import { openVisitor } from "../tests/browser.ts";
import { install, newFolder } from "../tests/installed.ts";
import { enter, seedLarge } from "../tests/web/large-account.ts";
import type { Note } from "./table.ts";

const LINKS = 1_000_000;
const ROUNDS = 8;
/** What the sidebar leads to. */
const PLACES = ["Links", "Sites", "Changes", "Alerts", "Settings", "Overview"];
/** People rest on a link for this long before they press. */
const AIMS_MS = 200;
const SCROLL_MS = 4000;
/** Pixels each time, about 6,000 a second: as fast as a wheel is turned. */
const WHEEL = 100;

/** Pages of a large account in a browser: from a click to the painted page, and frames while its list is scrolled. */
export async function dashboard(note: Note): Promise<void> {
  const folder = newFolder();
  const token = await seedLarge(folder, LINKS);
  const installed = await install(folder);
  const { page } = await openVisitor(installed, { width: 1440, height: 900 });
  await enter(page, installed.url, token);
  const clicks = await clicksOn(page);
  note("first click to the painted page, slowest, ms", Math.max(...clicks.first), { most: 100 });
  note("click to the painted page, p95 ms", p95Of(clicks.all), { most: 100 });
  const { frames, rows } = await scroll(page);
  note("frames a second while 1,000,000 rows are scrolled", frames, { least: 55 });
  note("rows in the document meanwhile, at most", rows, { most: 60 });
  await page.context().close();
  await installed.remove();
}

async function clicksOn(page: Page) {
  const [first, all]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    // Each document has to load the pages again.
    if (round % 2 === 0) {
      await page.goto("/");
      await page.locator("#main h1").waitFor();
      // Long enough to look at the page, while the browser loads what may be opened next.
      await page.waitForTimeout(4000);
    }
    for (const name of PLACES) {
      const link = page.getByRole("navigation", { name: "Main" }).or(page.locator(".foot"));
      await link.getByRole("link", { name }).hover();
      await page.waitForTimeout(AIMS_MS);
      const ms = await clickTime(page, () => link.getByRole("link", { name }).click());
      all.push(ms);
      if (round % 2 === 0) first.push(ms);
      if (process.env.STILLUP_TEST_VERBOSE) console.error(round, name, Math.round(ms));
    }
    await page.goBack();
  }
  return { first, all };
}

/** From the pointer's press until the frame that shows the page with its data was drawn, in milliseconds. */
async function clickTime(page: Page, click: () => Promise<void>): Promise<number> {
  await page.evaluate(watchClick);
  await click();
  return page.evaluate(() => (globalThis as unknown as { painted: Promise<number> }).painted);
}

/** Runs in the page. */
function watchClick() {
  const before = document.title;
  const isShown = () =>
    document.title !== before &&
    document.querySelector("#main h1") &&
    !document.querySelector("#main[aria-busy=true], #main .loading, #main [aria-busy=true]");
  const painted = new Promise<number>((resolve) => {
    const from = (event: Event) => {
      const startedAt = event.timeStamp;
      const look = () => {
        if (!isShown()) requestAnimationFrame(look);
        else requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - startedAt)));
      };
      requestAnimationFrame(look);
    };
    addEventListener("click", from, { capture: true, once: true });
  });
  Object.assign(globalThis, { painted });
}

async function scroll(page: Page) {
  await page.goto("/links");
  await page.locator("[role=row][data-index='20']").waitFor();
  await page.mouse.move(700, 500);
  const seen = page.evaluate(watchFrames, SCROLL_MS);
  const until = Date.now() + SCROLL_MS;
  while (Date.now() < until) {
    await page.mouse.wheel(0, WHEEL);
    await page.waitForTimeout(16);
  }
  return seen;
}

/** Runs in the page. */
async function watchFrames(forMs: number) {
  const from = performance.now();
  let [frames, rows] = [0, 0];
  while (performance.now() - from < forMs) {
    await new Promise(requestAnimationFrame);
    frames++;
    rows = Math.max(rows, document.querySelectorAll("[role=row][data-index]").length);
  }
  return { frames: (frames * 1000) / (performance.now() - from), rows };
}

const p95Of = (times: number[]): number =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.95)]!;
