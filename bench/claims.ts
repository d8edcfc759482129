import { SQL } from "bun";
import { openDeps } from "../server/app/build.ts";
import { readConfig } from "../server/ground/config/config.ts";
import { systemClock } from "../server/ground/lib/clock.ts";
import { newId } from "../server/ground/lib/ids.ts";
import { claimDueLinks } from "../server/monitor/claim.ts";
import type { Deps } from "../server/work/deps.ts";
import { ALL_BUCKETS, BUCKETS } from "../server/work/nodes.ts";
import { type MeasuredPostgres, startMeasuredPostgres } from "./postgres.ts";
import { homeAt } from "./program.ts";
import { medianBy, type Note } from "./table.ts";

const LINKS = 10_000_000;
const NODES = [1, 4, 16];
const ROUNDS = 3;
const CLAIMS = 96;
const LINKS_OF_CLAIM = 250;
const DAY_MS = 86_400_000;
/** So far back some links are due, which is more than all rounds take. */
const LATE_MS = 3_600_000;

/** What it costs to claim, when 10,000,000 daily links are shared by so many nodes. */
export async function claims(note: Note): Promise<void> {
  const postgres = await startMeasuredPostgres();
  const env = homeAt(await postgres.newDatabase());
  const all = await Promise.all(
    Array.from({ length: Math.max(...NODES) }, async () => {
      const { deps } = await openDeps(readConfig(env), systemClock);
      return deps;
    }),
  );
  const sql = new SQL(env.STILLUP_DATABASE_URL, { max: 1 });
  await fill(sql);
  await sql.close();
  const rounds: Cost[][] = [];
  for (let i = 0; i < ROUNDS; i++) {
    const round: Cost[] = [];
    for (const nodes of NODES) round.push(await claimBy(postgres, all.slice(0, nodes)));
    rounds.push(round);
  }
  for (const deps of all) await deps.store.engine.close();
  await postgres.stop();
  const costs = NODES.map((_, n) =>
    medianBy(
      rounds.map((round) => round[n]!),
      ({ cpuMs }) => cpuMs,
    ),
  );
  for (const [n, nodes] of NODES.entries()) {
    const what = `claiming 250 of 10,000,000 links, ${nodes} nodes at once`;
    note(`${what}: CPU of PostgreSQL, ms`, costs[n]!.cpuMs, { digits: 1 });
    note(`${what}: a claim takes, ms`, costs[n]!.tookMs, { digits: 1 });
  }
  const cpu = costs.map(({ cpuMs }) => cpuMs);
  note("the dearest of these / the cheapest", Math.max(...cpu) / Math.min(...cpu), {
    digits: 2,
    most: 1.5,
  });
}

type Cost = { cpuMs: number; tookMs: number };

async function claimBy(postgres: MeasuredPostgres, nodes: Deps[]): Promise<Cost> {
  const sharers = nodes.map((deps, n) => ({ ...deps, nodes: sharing(deps, n, nodes.length) }));
  const each = CLAIMS / nodes.length;
  // The first claim of each prepares its statement and opens its connection.
  await Promise.all(sharers.map((deps) => claimDueLinks(deps, LINKS_OF_CLAIM)));
  const cpuBefore = postgres.cpu();
  const took: number[] = [];
  await Promise.all(
    sharers.map(async (deps) => {
      for (let i = 0; i < each; i++) {
        const startedAt = performance.now();
        const { length } = await claimDueLinks(deps, LINKS_OF_CLAIM);
        if (length !== LINKS_OF_CLAIM) throw new Error(`Only ${length} links were due.`);
        took.push(performance.now() - startedAt);
      }
    }),
  );
  const cpuMs = ((postgres.cpu() - cpuBefore) * 1000) / CLAIMS;
  return { cpuMs, tookMs: took.reduce((sum, ms) => sum + ms, 0) / took.length };
}

/** As if there were so many of them, of which this is one. */
function sharing({ nodes }: Deps, n: number, of: number): Deps["nodes"] {
  const buckets = ALL_BUCKETS.filter((bucket) => bucket % of === n);
  const share = { isAll: of === 1, buckets, has: (bucket: number) => bucket % of === n };
  return { ...nodes, id: `node-${n}`, share: () => share, mailShare: () => share };
}

/**
 * Only the indexes by which links are claimed: the others cost every claimer the same, and would hide a
 * difference.
 */
async function fill(sql: SQL): Promise<void> {
  const others: { name: string }[] = await sql.unsafe(`
    select c.relname as name from pg_index i join pg_class c on c.oid = i.indexrelid
    where i.indrelid = 'links'::regclass and not i.indisprimary
    and c.relname not in ('links_due', 'links_asked')`);
  for (const { name } of others) {
    await sql.unsafe(`alter table links drop constraint if exists ${name} cascade`).simple();
    await sql.unsafe(`drop index if exists ${name}`).simple();
  }
  await sql.unsafe("drop index links_due").simple();
  await sql.unsafe("alter table links disable trigger user").simple();
  const [account, now] = [newId(), Date.now()];
  await sql.unsafe(`
    insert into accounts (id, email, tier, created_at, no, history_since)
    values ('${account}', 'bench@example.org', 'enterprise', ${now}, 1, 0)`);
  const firstAt = now - LATE_MS;
  await sql.unsafe(`
    insert into links (no, id, account_id, account_no, url, url_key, service, status, reason,
      status_changed_at, decided_status, last_active_at, inconclusive_checks, check_frequency,
      next_check_at, next_trigger, last_status, last_reason, last_status_code, last_response_time_ms,
      last_checked_at, created_at, updated_at, bucket)
    select i + 2, 'link-' || i, '${account}', 1, 'https://site-' || i % 500000 || '.bench.test/page/' || i,
      'https://site-' || i % 500000 || '.bench.test/page/' || i, 'generic', 'active', 'ok', ${now}, 'active',
      ${now}, 0, 'daily', ${firstAt} + i * ${DAY_MS} / ${LINKS}, 'scheduled', 'active', 'ok', 200, 120, ${now}, ${now},
      ${now}, (i % 500000) * 7919 % ${BUCKETS}
    from generate_series(cast(0 as bigint), ${LINKS - 1}) as made(i)`);
  await sql.unsafe("create index links_due on links (bucket, next_check_at)").simple();
  await sql.unsafe("vacuum analyze links").simple();
}
