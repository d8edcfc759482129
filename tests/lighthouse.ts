/**
 * Has the pages that are opened most judged by Lighthouse, as the executable serves them.
 *
 *   npm run lighthouse    ends with 1 when a page is below 95 in anything
 */
import { join } from "node:path";
import lighthouse, { desktopConfig } from "lighthouse";
import { createSession } from "../server/accounts/sessions.ts";
import { createAccount } from "../server/accounts/users.ts";
import { openDeps } from "../server/app/build.ts";
import { readConfig } from "../server/ground/config/config.ts";
import { links } from "../server/ground/db/tables.ts";
import { launch } from "./browser.ts";
import { movableClock } from "./clock.ts";
import { freePort } from "./free-port.ts";
import { install, newFolder, SETTINGS } from "./installed.ts";
import { closeShared } from "./shared.ts";
import { DAYS, fillShowcase } from "./web/showcase.ts";

const DAY_MS = 86_400_000;
const LEAST = 95;
const CATEGORIES = ["performance", "accessibility", "best-practices"];
const VIEWS = [
  { path: "/sign-in", isSignedIn: false },
  { path: "/", isSignedIn: true },
  { path: "/links", isSignedIn: true },
  { path: "/sources", isSignedIn: true },
  { path: "/changes", isSignedIn: true },
  { path: "/alerts", isSignedIn: true },
];
const SCREENS = [
  { name: "mobile", config: undefined },
  { name: "desktop", config: desktopConfig },
];

/** An account after a season of use. @returns the session of its owner, for a cookie */
async function fill(folder: string): Promise<string> {
  const receiver = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("ok") });
  const env = { ...SETTINGS, STILLUP_DATA_DIR: join(folder, "data") };
  const clock = movableClock(Date.now() - (DAYS + 1) * DAY_MS, { autoMove: true });
  const { deps } = await openDeps(readConfig(env), clock);
  const { store } = deps;
  const input = { email: "me@example.org", tier: "business", passwordHash: null } as const;
  const { owner, account } = await createAccount(deps, { ...input, isAdmin: true });
  await fillShowcase({ deps, clock }, account.id, `http://127.0.0.1:${receiver.port}/hook`);
  // No site is requested while the pages are judged.
  await store.update(links).set({ nextCheckAt: Date.now() + DAYS * DAY_MS });
  const token = await createSession(store, owner.id, Date.now());
  await store.engine.close();
  await receiver.stop(true);
  return token;
}

/** What keeps the page from the best mark, worst first. */
async function judge(url: string, cookie: string | null, port: number, screen: Screen) {
  const extraHeaders = cookie === null ? {} : { Cookie: `session=${cookie}` };
  const flags = { port, extraHeaders, onlyCategories: CATEGORIES, logLevel: "error" } as const;
  const result = await lighthouse(url, flags, screen.config);
  if (!result) throw new Error(`Lighthouse could not judge ${url}.`);
  const { categories, audits } = result.lhr;
  const marks = CATEGORIES.map((name) => Math.round((categories[name]?.score ?? 0) * 100));
  const faults = Object.values(audits).filter(({ score }) => score !== null && score < 0.9);
  return { marks, faults: faults.map(({ id, displayValue = "" }) => `${id} ${displayValue}`) };
}

type Screen = (typeof SCREENS)[number];

async function judgeAll(): Promise<boolean> {
  const folder = newFolder();
  const token = await fill(folder);
  const installed = await install(folder);
  const port = freePort();
  await launch(`--remote-debugging-port=${port}`);
  let isGood = true;
  for (const screen of SCREENS) {
    for (const { path, isSignedIn } of VIEWS) {
      const cookie = isSignedIn ? token : null;
      const { marks, faults } = await judge(installed.url + path, cookie, port, screen);
      console.log(
        `${screen.name} ${path}: ${marks.map((mark, i) => `${CATEGORIES[i]} ${mark}`).join(", ")}`,
      );
      if (marks.some((mark) => mark < 100))
        console.log(faults.map((each) => `  ${each}`).join("\n"));
      isGood &&= marks.every((mark) => mark >= LEAST);
    }
  }
  await installed.remove();
  return isGood;
}

const isGood = await judgeAll();
await closeShared();
process.exit(isGood ? 0 : 1);
