import { eq } from "drizzle-orm";
import { openDeps } from "../server/app/build.ts";
import { readConfig } from "../server/ground/config/config.ts";
import { accounts, type WebhookRow } from "../server/ground/db/tables.ts";
import { systemClock } from "../server/ground/lib/clock.ts";
import type { Filter } from "../server/notify/filter.ts";
import { readSummary } from "../server/notify/summaries.ts";
import { newHome } from "./program.ts";
import { seed } from "./seed.ts";
import { medianBy, type Note } from "./table.ts";

const LINKS = 1_000_000;
const ROUNDS = 5;
const WEEK_MS = 7 * 86_400_000;

const FILTERS: Record<string, Filter | null> = {
  "": null,
  ", by reasons": {
    group_ids: null,
    services: null,
    reasons: ["http_*", "dns_*"],
    tags: null,
    assignee: null,
    kinds: null,
  },
  ", by group and service": {
    group_ids: ["none"],
    services: ["generic"],
    reasons: null,
    tags: null,
    assignee: null,
    kinds: null,
  },
};

/** A summary of a million links, of which one in twenty is dead, and how long it holds the event loop. */
export async function summary(note: Note): Promise<void> {
  const home = await newHome();
  const { accountId } = await seed(home, { links: LINKS });
  const { deps } = await openDeps(readConfig(home), systemClock);
  const [account] = await deps.store.select().from(accounts).where(eq(accounts.id, accountId));
  const now = Date.now();
  const webhook = { accountId: account!.id, summarySince: now - WEEK_MS } as WebhookRow;
  for (const [name, filter] of Object.entries(FILTERS)) {
    const times: number[] = [];
    const held = watchLoop();
    for (let n = 0; n < ROUNDS; n++) {
      const startedAt = performance.now();
      await readSummary(deps, webhook, filter, now);
      times.push(performance.now() - startedAt);
    }
    const ms = medianBy(times, (each) => each);
    note(`a summary of 1,000,000 links${name}, ms`, ms, { most: 2000 });
    note(`the loop held meanwhile${name}, ms`, held(), { most: 20, digits: 1 });
  }
  await deps.store.engine.close();
}

/** Returns a function that ends it and returns the longest time between two turns. */
function watchLoop(): () => number {
  let [last, longest] = [performance.now(), 0];
  const timer = setInterval(() => {
    const now = performance.now();
    [longest, last] = [Math.max(longest, now - last - 1), now];
  }, 1);
  return () => {
    clearInterval(timer);
    return longest;
  };
}
