import { readFileSync } from "node:fs";
import { eq } from "drizzle-orm";
import type { Page } from "playwright-core";
import { OPERATOR } from "../../server/accounts/caller.ts";
import { createKey } from "../../server/keys/keys.ts";
import { accounts } from "../../server/store/tables.ts";
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
  const { value } = await createKey(server.deps, caller, { name: "test" });
  return server.asker(value, caller);
}

const AXE = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

type Axe = {
  run(): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>;
};

/** What keeps people from reading or using the page once it is there, and whether it is wider than the screen. */
export async function faultsOf(page: Page): Promise<string[]> {
  // Until then some of it is half faded in.
  await page.waitForFunction(() => !document.querySelector(".loading"));
  await page.evaluate(AXE);
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: Axe };
    const { violations } = await axe.run();
    const { scrollWidth, clientWidth } = document.documentElement;
    return [
      ...violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`)),
      ...(scrollWidth > clientWidth ? [`${scrollWidth} px wide`] : []),
    ];
  });
}
