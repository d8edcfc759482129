import { join } from "node:path";
import type { Page } from "playwright-core";
import { seed } from "../../bench/seed.ts";
import { createSession } from "../../server/accounts/sessions.ts";
import { operatorOf } from "../../server/accounts/users.ts";
import { openDeps } from "../../server/app/build.ts";
import { readConfig } from "../../server/ground/config/config.ts";
import { users } from "../../server/ground/db/tables.ts";
import { systemClock } from "../../server/ground/lib/clock.ts";
import { newId } from "../../server/ground/lib/ids.ts";
import { createGroup } from "../../server/links/groups/groups.ts";
import { makeChange } from "../../server/work/unit.ts";

/** More than are shown on one page. */
const GROUPS = 60;

/**
 * Fills a folder with an account of so many links, with as many checks of each as make a million.
 * @returns the session of its owner, for a cookie
 */
export async function seedLarge(folder: string, links: number): Promise<string> {
  const env = { STILLUP_DATA_DIR: join(folder, "data") };
  const { accountId } = await seed(env, { links, checks: 1_000_000 });
  const { deps } = await openDeps(readConfig(env), systemClock);
  const caller = await operatorOf(deps, accountId);
  for (let n = 1; n <= GROUPS; n++)
    await makeChange(deps, caller, (unit) =>
      createGroup(unit, caller, { name: `Group ${n}`, color: "#2563EB" }),
    );
  const id = newId();
  const now = deps.clock.now();
  const owner = {
    id,
    accountId,
    email: "bench@example.org",
    role: "owner",
    isAdmin: false,
  } as const;
  await deps.store.insert(users).values({ ...owner, createdAt: now });
  const token = await createSession(deps.store, id, now);
  await deps.store.engine.close();
  return token;
}

export const enter = (page: Page, url: string, token: string) =>
  page.context().addCookies([{ name: "session", value: token, url, httpOnly: true }]);

/** What went over the wire for a view. */
export type Transfer = { requests: number; bytes: number; scriptBytes: number };

/** Counts from now on, by what the browser itself saw; the copies that it keeps count as nothing. */
export async function countTransfers(page: Page): Promise<() => Transfer> {
  const line = await page.context().newCDPSession(page);
  const scripts = new Set<string>();
  let seen: Transfer = { requests: 0, bytes: 0, scriptBytes: 0 };
  line.on("Network.requestWillBeSent", ({ requestId, type }) => {
    seen.requests++;
    if (type === "Script") scripts.add(requestId);
  });
  line.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
    seen.bytes += encodedDataLength;
    if (scripts.has(requestId)) seen.scriptBytes += encodedDataLength;
  });
  await line.send("Network.enable");
  return () => {
    const counted = seen;
    seen = { requests: 0, bytes: 0, scriptBytes: 0 };
    return counted;
  };
}
