import { readFileSync } from "node:fs";
import type axe from "axe-core";
import { eq } from "drizzle-orm";
import type { Page } from "playwright-core";
import { createKey } from "../../server/accounts/keys.ts";
import { accounts } from "../../server/ground/db/tables.ts";
import { OPERATOR } from "../../server/http/caller.ts";
import { makeChange } from "../../server/work/unit.ts";
import type { Asker, TestServer } from "../harness.ts";

/** Asks the API as the account of someone in front of the dashboard. */
export async function askerOf(server: TestServer, accountId: string): Promise<Asker> {
  const [account] = await server.deps.store
    .select()
    .from(accounts)
    .where(eq(accounts.id, accountId));
  const { no: accountNo, tier } = account!;
  const permissions = { read: true, write: true };
  const caller = { accountId, accountNo, tier, permissions, by: OPERATOR };
  const { value } = await makeChange(server.deps, caller, (unit) =>
    createKey(unit, caller, { name: "test" }),
  );
  return server.asker(value, caller);
}

/** Half the size of the source that the module itself has. */
const AXE = readFileSync(Bun.resolveSync("axe-core/axe.min.js", import.meta.dir), "utf8");

/** What only a theme can change. */
const OF_COLORS = ["color-contrast", "link-in-text-block"];

/**
 * What keeps people from reading or using the page once all of it is there, by axe's rules, and whether it is wider
 * than the screen.
 * @param part a selector of what to look at, where the rest was seen already
 */
export async function faultsOf(page: Page, part?: string): Promise<string[]> {
  const faults = await barriersOn(page, { rules: { "target-size": { enabled: true } } }, part);
  return [...faults, ...(await widthFaultsOf(page))];
}

/** The same of the page as it is, and then in dark colors on a phone. */
export async function faultsInAllLooks(page: Page, part?: string): Promise<string[]> {
  const faults = await faultsOf(page, part);
  const size = page.viewportSize()!;
  await page.emulateMedia({ colorScheme: "dark" });
  await page.setViewportSize({ width: 360, height: 800 });
  faults.push(...(await faultsOf(page, part)));
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize(size);
  return faults;
}

/** As `faultsOf`, for a page that was looked at in the other theme already. */
export const colorFaultsOf = (page: Page): Promise<string[]> =>
  barriersOn(page, { runOnly: OF_COLORS });

async function barriersOn(page: Page, options: axe.RunOptions, part = "html"): Promise<string[]> {
  // Each page has a heading once it is there.
  await page.waitForFunction(
    () => !document.querySelector(".loading") && document.querySelector("h1"),
  );
  const judge = () => page.evaluate(violationsIn, [part, options] as const);
  return (await judge()) ?? (await page.evaluate(AXE).then(judge))!;
}

/** @returns undefined while axe is not in the page */
async function violationsIn([part, options]: readonly [string, axe.RunOptions]) {
  const { axe: judge } = globalThis as unknown as { axe?: typeof axe };
  // It would write style sheets that could not be loaded into a document of its own, which our policy forbids.
  const { violations } =
    (await judge?.run(part, { ...options, resultTypes: ["violations"], preload: false })) ?? {};
  return violations?.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary}`),
  );
}

/** Whether the page is wider than the screen. */
export const widthFaultsOf = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    const over = scrollWidth - clientWidth;
    return over > 0 ? [`${over} px too wide for ${clientWidth}`] : [];
  });
