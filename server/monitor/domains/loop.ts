import { and, eq, gt, isNull, sql } from "drizzle-orm";
import { onRows, type Store } from "../../ground/db/store.ts";
import { type DomainRow, domains, registryServers } from "../../ground/db/tables.ts";
import { log, logFailure } from "../../ground/lib/log.ts";
import { createRate } from "../../ground/lib/rate.ts";
import { serverOf } from "../../judge/identity/rdap.ts";
import { ASKED_EVERY_MS, afterAnswer, isUnconfirmed } from "../../judge/identity/registry.ts";
import type { Deps } from "../../work/deps.ts";
import { bucketOf, sharersOf } from "../../work/nodes.ts";
import { areOfDead, leaseFor, NEVER_DUE, startQueue } from "../../work/queue.ts";
import { type Asked, askAbout, createGet, type Get, ownHosts } from "./ask.ts";
import { keepServers, LIST_LIMITS, readKept, serversFrom, toKept } from "./server-list.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Between the starts of two requests to one server: ten a minute, which the strictest registries allow. */
const GAP_MS = 6000;
const LEASE_MS = 60_000;
/** Domains that are assigned to servers in one round. */
const PLACED_AT_ONCE = 500;

/** The row of `registry_servers` that is due when the list of servers is to be read. */
const LIST = "";

type Asking = {
  deps: Deps;
  get: Get;
  rate: ReturnType<typeof createRate>;
  signal: AbortSignal;
  /** Whether the list of servers was read from the URL of the settings. */
  hasList: boolean;
  running: Set<Promise<void>>;
  wake(): void;
};

/**
 * Asks registries about due domains until it is stopped. What is claimed is a server: its lease allows one request at a
 * time, and the time at which it is due again keeps its pace, whichever node asks.
 */
export function startDomainLoop(deps: Deps): { wake(): void; stop(): Promise<void> } {
  const ending = new AbortController();
  const { signal } = ending;
  const renewed = renewList(deps).catch(logFailure("failed to look for the list of registries"));
  const { wake, ended } = startQueue(deps, signal, {
    rows: "domains",
    async prepare() {
      await renewed;
      const isOffline = deps.online.known().state === "offline";
      return deps.troubles.stoppingWrites() || isOffline ? "paused" : "ready";
    },
    claim: () => claimAndAsk(asking),
    limitWaits: () => limitWaits(deps),
  });
  const asking = createAsking(deps, signal, wake);
  return {
    wake,
    async stop() {
      ending.abort();
      await ended;
      await Promise.all(asking.running);
    },
  };
}

/** @param signal ends requests that are under way */
export function createAsking(deps: Deps, signal: AbortSignal, wake: () => void): Asking {
  const perMinute = () => {
    const nodes = Math.max(1, sharersOf("checks", deps.nodes.all()).length);
    return Math.max(1, Math.floor(deps.config.rdapPerMinute / nodes));
  };
  return {
    deps,
    get: createGet(deps),
    rate: createRate(perMinute, deps.clock),
    signal,
    hasList: false,
    running: new Set(),
    wake,
  };
}

/** The list from another URL than before is read at once. */
async function renewList({ store, clock, config }: Deps): Promise<void> {
  const kept = await readKept(store);
  if (!kept || kept.url === config.rdapBootstrapUrl) return;
  await store
    .update(registryServers)
    .set({ dueAt: clock.now() })
    .where(eq(registryServers.host, LIST));
}

/** Begins the requests that may begin now. Returns when something is due next. */
export async function claimAndAsk(asking: Asking): Promise<number> {
  const { deps, rate } = asking;
  const { store, clock, config, nodes } = deps;
  await breakLeases(deps);
  asking.hasList ||= (await serversFrom(store, config.rdapBootstrapUrl)) !== null;
  const share = nodes.share("checks");
  const isAllPlaced = !share.has(bucketOf(LIST)) || (await placeDomains(deps));
  const now = clock.now();
  let nextAt = isAllPlaced ? NEVER_DUE : now;
  for (const { host, dueAt } of await readDue(store)) {
    if (!share.has(bucketOf(host)) || (host !== LIST && !asking.hasList)) continue;
    const isLeft = dueAt > now || rate.left() <= 0;
    const lease = isLeft ? null : await take(deps, host);
    if (lease) begin(asking, { host, lease });
    else nextAt = Math.min(nextAt, dueAt);
  }
  return nextAt;
}

async function breakLeases(deps: Deps): Promise<void> {
  const areLeft = areOfDead(registryServers, deps);
  if (!areLeft) return;
  const released = { lease: null, dueAt: deps.clock.now() };
  await deps.store.update(registryServers).set(released).where(areLeft);
}

/** Looks in the list for the servers of new domains. Returns whether all have theirs. */
async function placeDomains({ store, config }: Deps): Promise<boolean> {
  const unplaced = await store
    .select({ domain: domains.domain })
    .from(domains)
    .where(isNull(domains.server))
    .limit(PLACED_AT_ONCE);
  if (unplaced.length === 0) return true;
  const list = await serversFrom(store, config.rdapBootstrapUrl);
  if (!list) return true;
  const rows = unplaced.map(({ domain }) => {
    const base = serverOf(list, domain);
    return [domain, base === null ? "" : new URL(base).host];
  });
  await store.transaction(async (tx) => {
    await insertServers(tx, rows);
    await setServers(tx, rows);
  });
  return unplaced.length < PLACED_AT_ONCE;
}

const PLACED = { name: "text", of_server: "text" } as const;

const setServers = onRows(
  PLACED,
  (rows) => sql`
    update domains set server = of_server, state = case when of_server = '' then 'not_available'
      when state = 'not_available' then 'unasked' else state end
    from ${rows} as placed where domains.domain = name
  `,
);

const insertServers = onRows(
  PLACED,
  (rows) => sql`
    insert into registry_servers (host, due_at) select distinct of_server, 0 from ${rows} as placed where of_server <> ''
    on conflict (host) do nothing
  `,
);

/** When a server may be asked something that is due then, and since when that is due. */
type Due = { host: string; dueAt: number; firstAt: number };

/** Returns the servers that have something to be asked, the longest due first. */
async function readDue({ readPool }: Store): Promise<Due[]> {
  const firstOf = (isUrgent: 0 | 1) =>
    sql`select min(next_at) as at from domains where server = host and is_urgent = ${sql.raw(String(isUrgent))}`;
  const rows = await readPool.all<[host: string, freeAt: number, firstAt: number | null]>(sql`
    select host, due_at, case when host = '' then (select 0 where exists (select 1 from domains))
      else (select min(at) from (${firstOf(0)} union all ${firstOf(1)}) as firsts) end as first_at
    from registry_servers`);
  return rows
    .flatMap(([host, freeAt, firstAt]) =>
      firstAt === null ? [] : [{ host, dueAt: Math.max(Number(freeAt), Number(firstAt)), firstAt }],
    )
    .toSorted((a, b) => a.dueAt - b.dueAt);
}

/** Returns when the most overdue domain was due, in milliseconds since 1970; null if there is none. */
export async function firstDueDomain({ store }: Pick<Deps, "store">): Promise<number | null> {
  const due = (await readDue(store)).filter(({ host }) => host !== LIST);
  return due.length === 0 ? null : Math.min(...due.map(({ firstAt }) => Number(firstAt)));
}

type Claimed = { host: string; lease: string };

/** Of two nodes that choose the same server, the second finds it not due any more. */
async function take(deps: Deps, host: string): Promise<string | null> {
  const claimed = leaseFor(deps, LEASE_MS);
  const [taken] = await deps.store
    .update(registryServers)
    .set(claimed)
    .where(
      and(eq(registryServers.host, host), sql`${registryServers.dueAt} <= ${deps.clock.now()}`),
    )
    .returning({ host: registryServers.host });
  return taken ? claimed.lease : null;
}

function begin(asking: Asking, server: Claimed): void {
  asking.rate.count();
  const work = (server.host === LIST ? readList(asking, server) : askNext(asking, server))
    .catch(logFailure("failed to ask a registry"))
    .finally(() => {
      asking.running.delete(work);
      asking.wake();
    });
  asking.running.add(work);
}

/** Ends a claim, and writes what it came to if the lease is still held. */
async function settle(
  { store, clock }: Deps,
  { host, lease }: Claimed,
  restMs: number,
  write: (tx: Store) => Promise<unknown> = async () => {},
): Promise<void> {
  await store.transaction(async (tx) => {
    const held = await tx
      .update(registryServers)
      .set({ lease: null, dueAt: clock.now() + restMs })
      .where(and(eq(registryServers.host, host), eq(registryServers.lease, lease)))
      .returning({ host: registryServers.host });
    if (held.length > 0) await write(tx);
  });
}

async function readList({ deps, get, signal }: Asking, claimed: Claimed): Promise<void> {
  const { config, store } = deps;
  const url = config.rdapBootstrapUrl;
  const kept = await readKept(store);
  const etag = kept?.url === url ? kept.etag : null;
  const got = await get(url, {
    ...LIST_LIMITS,
    headers: { ...LIST_LIMITS.headers, ...(etag !== null && { "if-none-match": etag }) },
    own: ownHosts(config, []),
    signal,
  });
  if (got.kind === "failed" && got.result === "aborted") return settle(deps, claimed, 0);
  if (got.kind === "response" && got.status === 304) return settle(deps, claimed, ASKED_EVERY_MS);
  const list =
    got.kind === "response" && got.status === 200 ? toKept(url, got.headers, got.body) : null;
  if (list) return settle(deps, claimed, ASKED_EVERY_MS, (tx) => keepServers(tx, list));
  const result = got.kind === "failed" ? got.result : `status ${got.status}`;
  log.warn("failed to read the list of registries", { result });
  return settle(deps, claimed, HOUR_MS);
}

/** Asks about the domain of the server that is due first, urgent ones before others. */
async function askNext({ deps, get, signal }: Asking, claimed: Claimed): Promise<void> {
  const { store, clock, config, metrics } = deps;
  const [row] = await nextOf(store, claimed.host, clock.now());
  const list = await serversFrom(store, config.rdapBootstrapUrl);
  if (!row || !list) return settle(deps, claimed, 0);
  const { domain } = row;
  const base = serverOf(list, domain);
  if (base === null || new URL(base).host !== claimed.host) {
    return settle(deps, claimed, 0, (tx) => change(tx, domain, { server: null }));
  }
  const own = ownHosts(config, Object.values(list));
  const asked = await askAbout(get, { base, domain, now: clock.now(), own, signal });
  if (asked.result === "aborted") return settle(deps, claimed, GAP_MS);
  metrics.registryAsked(asked.result);
  const columns = columnsAfter(row, asked, clock.now());
  await settle(deps, claimed, Math.max(GAP_MS, asked.holdMs), (tx) => change(tx, domain, columns));
}

const nextOf = (store: Store, host: string, now: number) =>
  store
    .select()
    .from(domains)
    .where(
      sql`domain = coalesce(
        (select domain from domains where server = ${host} and is_urgent = 1 and next_at <= ${now} order by next_at limit 1),
        (select domain from domains where server = ${host} and is_urgent = 0 and next_at <= ${now} order by next_at limit 1))`,
    );

const change = (tx: Store, domain: string, columns: Partial<DomainRow>) =>
  tx.update(domains).set(columns).where(eq(domains.domain, domain));

/** News that another answer must confirm is due in a day; a response that cannot be read does not improve sooner than others. */
function columnsAfter(row: DomainRow, { result, answer }: Asked, now: number): Partial<DomainRow> {
  if (answer) {
    const after = afterAnswer(row, answer, now);
    const isUrgent = isUnconfirmed(after, row.notedAt);
    const nextAt = now + (isUrgent ? DAY_MS : ASKED_EVERY_MS);
    return { ...after, isUrgent, nextAt, askedAt: now, answeredAt: now };
  }
  // The server is asked again once it is free.
  if (result === "rate_limited") return { nextAt: row.nextAt };
  const nextAt = now + (result === "unreachable" || result === "refused" ? DAY_MS : ASKED_EVERY_MS);
  return { isUrgent: false, nextAt, askedAt: now };
}

/** Clocks of several processes may differ by so much. */
const TOLERATED_MS = 60_000;

/** Makes due what would wait longer than it ever has to. Returns how many. */
async function limitWaits({ store, clock }: Deps): Promise<number> {
  const latest = clock.now() + ASKED_EVERY_MS;
  const isLate = (column: typeof domains.nextAt | typeof registryServers.dueAt) =>
    gt(column, latest + TOLERATED_MS);
  const late = await store
    .update(domains)
    .set({ nextAt: latest })
    .where(isLate(domains.nextAt))
    .returning({ domain: domains.domain });
  const held = await store
    .update(registryServers)
    .set({ dueAt: latest })
    .where(isLate(registryServers.dueAt))
    .returning({ host: registryServers.host });
  return late.length + held.length;
}
