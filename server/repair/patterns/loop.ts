import { and, eq, gt, sql } from "drizzle-orm";
import { onRows, type Store } from "../../ground/db/store.ts";
import { type PatternRow, patternRuns, urlPatterns } from "../../ground/db/tables.ts";
import { newId } from "../../ground/lib/ids.ts";
import { siteOfUrl } from "../../ground/lib/site.ts";
import { yieldToEventLoop } from "../../ground/lib/steps.ts";
import type { Deps } from "../../work/deps.ts";
import { areOfDead, isStillDue, leaseFor, NEVER_DUE, startQueue } from "../../work/queue.ts";
import { learnRules, prefixesOf, type Rule } from "./learn.ts";
import { deadLinks, hasDead, readPairs, type Site } from "./pairs.ts";

const EVERY_MS = 86_400_000;
/** Longer than a site with the most pairs takes. */
const LEASE_MS = 5 * 60_000;

/** Computes the patterns of sites when they are due, until it is stopped. */
export function startPatternLoop(deps: Deps): { wake(): void; stop(): Promise<void> } {
  const ending = new AbortController();
  const { signal } = ending;
  const { wake, ended } = startQueue(deps, signal, {
    rows: "patterns",
    prepare: async () => (deps.troubles.stoppingWrites() ? "paused" : "ready"),
    claim: () => computeDue(deps, signal),
    limitWaits: () => limitWaits(deps),
  });
  return {
    wake,
    async stop() {
      ending.abort();
      await ended;
    },
  };
}

/** Computes what is due, one site after another. Returns when a site is due next. */
export async function computeDue(deps: Deps, signal?: AbortSignal): Promise<number> {
  await breakLeases(deps);
  for (;;) {
    const [next] = await deps.store
      .select()
      .from(patternRuns)
      .orderBy(patternRuns.dueAt, patternRuns.accountNo, patternRuns.site)
      .limit(1);
    const dueAt = next?.dueAt ?? NEVER_DUE;
    if (!next || signal?.aborted || dueAt > deps.clock.now()) return dueAt;
    const claimed = await claim(deps, next);
    if (claimed) await compute(deps, claimed);
  }
}

async function breakLeases(deps: Deps): Promise<void> {
  const areLeft = areOfDead(patternRuns, deps);
  if (!areLeft) return;
  const released = { lease: null, dueAt: deps.clock.now() };
  await deps.store.update(patternRuns).set(released).where(areLeft);
}

type Claimed = Site & { lease: string; deaths: number };

/** Of two nodes that choose the same site, the second finds it not due any more. */
async function claim(deps: Deps, site: Site): Promise<Claimed | null> {
  const leased = leaseFor(deps, LEASE_MS);
  const [taken] = await deps.store
    .update(patternRuns)
    .set(leased)
    .where(and(isRun(site), isStillDue(patternRuns, deps.clock.now())))
    .returning();
  return taken ? { ...taken, lease: leased.lease } : null;
}

async function compute(deps: Deps, claimed: Claimed): Promise<void> {
  const { store, clock } = deps;
  const rules = await learnRules(await readPairs(store, claimed));
  const isOver = !(await hasDead(store, claimed));
  const learned = await store.transaction(async (tx) => {
    const now = clock.now();
    if (!(await endRun(tx, claimed, isOver ? null : now + EVERY_MS))) return [];
    return writeRules(tx, claimed, { rules, now });
  });
  if (learned.length > 0) await lookAgain(deps, claimed, learned);
}

/** Ends a claim. Returns false if another node has it. @param dueAt null if the site has no dead links */
async function endRun(tx: Store, run: Claimed, dueAt: number | null): Promise<boolean> {
  const isHeld = and(isRun(run), eq(patternRuns.lease, run.lease));
  const held =
    dueAt === null
      ? await tx.delete(patternRuns).where(isHeld).returning({ site: patternRuns.site })
      : await tx
          .update(patternRuns)
          .set({ lease: null, dueAt, deaths: sql`${patternRuns.deaths} - ${run.deaths}` })
          .where(isHeld)
          .returning({ site: patternRuns.site });
  return held.length > 0;
}

const isRun = ({ accountNo, site }: Site) =>
  and(eq(patternRuns.accountNo, accountNo), eq(patternRuns.site, site));

/** Writes what is true of a site now. Returns the rules that may be used and could not be before. */
async function writeRules(
  tx: Store,
  { accountNo, site }: Site,
  { rules, now }: { rules: Rule[]; now: number },
): Promise<Rule[]> {
  const rows = await tx.select().from(urlPatterns).where(eq(urlPatterns.accountNo, accountNo));
  const known = new Map(
    rows.flatMap((row) => (siteOfUrl(row.oldPrefix) === site ? [[nameOf(row), row] as const] : [])),
  );
  const learned = new Map(rules.map((rule) => [nameOf(toPrefixes(rule)), rule]));
  await forget(
    tx,
    [...known].flatMap(([name, { id }]) => (learned.has(name) ? [] : [[id]])),
    { now },
  );
  await learn(
    tx,
    rules.map(({ from, to, pairs }) => [newId(), accountNo, from, to, pairs]),
    { now },
  );
  return [...learned].flatMap(([name, rule]) => {
    const before = known.get(name);
    const isNew = !before || (before.restsUntil !== null && before.restsUntil <= now);
    return isNew ? [rule] : [];
  });
}

type Prefixes = Pick<PatternRow, "oldPrefix" | "newPrefix">;
const toPrefixes = ({ from, to }: Rule): Prefixes => ({ oldPrefix: from, newPrefix: to });
const nameOf = ({ oldPrefix, newPrefix }: Prefixes) => `${oldPrefix} ${newPrefix}`;

/** Of a rule that rests, it is remembered that it does. */
async function forget(tx: Store, ids: [string][], { now }: { now: number }): Promise<void> {
  await unlearn(tx, ids);
  await drop(tx, ids, { now });
}

const unlearn = onRows(
  { id: "text" },
  (rows) =>
    sql`update url_patterns set pairs = 0 where id in (select gone.id from ${rows} as gone)`,
);

const drop = onRows(
  { id: "text" },
  (rows) => sql`delete from url_patterns where id in (select gone.id from ${rows} as gone)
    and (rests_until is null or rests_until <= ${sql.placeholder("now")})`,
);

/** One that a person deleted has no pairs, until its rest is over. */
const learn = onRows(
  { id: "text", account: "bigint", old_prefix: "text", new_prefix: "text", pairs: "bigint" },
  (rows) => {
    const now = sql.placeholder("now");
    const isOver = sql`url_patterns.rests_until <= ${now}`;
    return sql`
      insert into url_patterns
        (id, account_no, old_prefix, new_prefix, pairs, tried, failed, tried_today, tried_day, learned_at)
      select id, account, old_prefix, new_prefix, pairs, 0, 0, 0, 0, cast(${now} as bigint) from ${rows} as rule where true
      on conflict (account_no, old_prefix, new_prefix) do update set
        pairs = case when url_patterns.pairs = 0 and url_patterns.rests_until > ${now} then 0 else excluded.pairs end,
        tried = case when ${isOver} then 0 else url_patterns.tried end,
        failed = case when ${isOver} then 0 else url_patterns.failed end,
        rests_until = case when ${isOver} then null else url_patterns.rests_until end`;
  },
);

/** Has suggestions looked for again where a new rule proposes one. */
async function lookAgain(deps: Deps, site: Site, learned: Rule[]): Promise<void> {
  const { store, clock } = deps;
  const prefixes = new Set(learned.map(({ from }) => from));
  for await (const links of deadLinks(store, site)) {
    const isMeant = ({ url }: { url: string }) =>
      prefixesOf(url).some((each) => prefixes.has(each));
    const nos = links.filter(isMeant).map(({ no }): [number] => [no]);
    await restartLookups(store, nos, { now: clock.now() });
    await yieldToEventLoop();
  }
  deps.loops.wake();
}

/** A search that is under way has begun without the rule, and loses its lease. */
export const restartLookups = onRows(
  { no: "bigint" },
  (rows) => sql`
    update link_lookups set state = 'waiting', step = 'own', due_at = ${sql.placeholder("now")}, lease = null
    where link_no in (select no from ${rows} as again)`,
);

/** Clocks of several processes may differ by so much. */
const TOLERATED_MS = 60_000;

/** Makes due what would wait longer than a day. Returns how many. */
async function limitWaits({ store, clock }: Deps): Promise<number> {
  const latest = clock.now() + EVERY_MS;
  const late = await store
    .update(patternRuns)
    .set({ dueAt: latest })
    .where(gt(patternRuns.dueAt, latest + TOLERATED_MS))
    .returning({ site: patternRuns.site });
  return late.length;
}
