import { openDeps } from "../server/app/build.ts";
import { readConfig } from "../server/ground/config/config.ts";
import type { Engine } from "../server/ground/db/store.ts";
import type { Clock } from "../server/ground/lib/clock.ts";
import { sawNothing } from "../server/judge/probe/conclusion.ts";
import { claimDueLinks } from "../server/monitor/claim.ts";
import { recordResults } from "../server/monitor/record.ts";
import { newHome } from "./program.ts";
import { seed } from "./seed.ts";
import type { Note } from "./table.ts";

const LINKS = 20_000;
const HOURS = 72;
const HOUR_MS = 3_600_000;
const GROUP = 200;

/** What history takes on disk for a check, written as the checker writes it, hour by hour. */
export async function space(note: Note): Promise<void> {
  const home = await newHome();
  let now = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
  const clock: Clock = { now: () => now, elapsed: () => now, sleep: async () => {} };
  const dueAt = (n: number) => now + (n * HOUR_MS) / LINKS;
  await seed(home, { links: LINKS, dueAt, frequency: "hourly" });
  const { deps } = await openDeps(readConfig(home), clock);
  const endsAt = now + HOURS * HOUR_MS;
  let [checks, busyMs] = [0, 0];
  while (now < endsAt) {
    now += (GROUP * HOUR_MS) / LINKS;
    const startedAt = performance.now();
    const claimed = await claimDueLinks(deps, GROUP * 2);
    const results = claimed.map((link, i) => {
      const seen = { status: "active", statusCode: 200, responseTimeMs: 80 + (i % 200) } as const;
      return {
        link,
        at: now + i,
        conclusion: { ...sawNothing("ok"), ...seen, finalUrl: link.url },
      };
    });
    await recordResults(deps, results);
    busyMs += performance.now() - startedAt;
    checks += claimed.length;
  }
  const bytes = await bytesOf(deps.store.engine);
  await deps.store.engine.close();
  const what = "bytes on disk for a check, roll-ups and indexes included";
  note(what, bytes / checks, { most: 56, digits: 1 });
  note("claiming and recording 1,000 checks, ms", busyMs / (checks / 1000), { digits: 1 });
}

const SIZE = {
  sqlite: `select sum(pgsize) from dbstat where name in
    ('checks', 'checks_by_link', 'history_hours', 'history_days', 'check_kinds')`,
  postgres: `select pg_total_relation_size('checks') + pg_total_relation_size('history_hours')
    + pg_total_relation_size('history_days')`,
};

async function bytesOf(engine: Engine): Promise<number> {
  const rows = await engine.run({ sql: SIZE[engine.name], params: [] });
  return Number(rows[0]![0]);
}
