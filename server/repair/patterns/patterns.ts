import { and, eq, inArray, isNull, lt, ne, or, sql } from "drizzle-orm";
import type { Store } from "../../ground/db/store.ts";
import { urlPatterns } from "../../ground/db/tables.ts";
import { siteOfUrl } from "../../ground/lib/site.ts";
import { prefixesOf } from "./learn.ts";

const DAY_MS = 86_400_000;
const MOST_A_DAY = 1000;
/** A rule that proposed so many addresses, all of them wrong, rests. */
const MOST_FAILED = 20;
const FAILED_RESTS_MS = 30 * DAY_MS;
/** So many deaths on a site are not chance, so its patterns are computed at once. */
const MANY_DEATHS = 10;

/** An address that a learned rule proposes for a dead link. It is to be requested before it is suggested. */
export type Candidate = {
  url: string;
  patternId: string;
  /** How many links of the account moved like this. */
  pairs: number;
  /** The rule: what the old and the new addresses begin with. */
  from: string;
  to: string;
};

const utcDayOf = (at: number) => Math.floor(at / DAY_MS);

/** Returns what learned rules propose for a dead link, the most specific rule first. */
export async function candidatesOf(
  store: Store,
  { accountNo, url, now }: { accountNo: number; url: string; now: number },
): Promise<Candidate[]> {
  const rules = await store
    .select()
    .from(urlPatterns)
    .where(
      and(
        eq(urlPatterns.accountNo, accountNo),
        inArray(urlPatterns.oldPrefix, prefixesOf(url)),
        isNull(urlPatterns.restsUntil),
        or(ne(urlPatterns.triedDay, utcDayOf(now)), lt(urlPatterns.triedToday, MOST_A_DAY)),
      ),
    );
  return rules
    .toSorted((a, b) => b.oldPrefix.length - a.oldPrefix.length)
    .map(({ id, pairs, oldPrefix: from, newPrefix: to }) => ({
      url: to + url.slice(from.length),
      patternId: id,
      pairs,
      from,
      to,
    }));
}

/** Counts an address that a rule proposed and that was requested. A rule that only proposes wrong ones rests. */
export async function countTried(
  tx: Store,
  { patternId, isRight, now }: { patternId: string; isRight: boolean; now: number },
): Promise<void> {
  const { tried, failed, triedToday, triedDay, restsUntil } = urlPatterns;
  const failures = isRight ? 0 : 1;
  const isHopeless = sql`${failed} + ${failures} = ${tried} + 1 and ${failed} + ${failures} >= ${MOST_FAILED}`;
  await tx
    .update(urlPatterns)
    .set({
      tried: sql`${tried} + 1`,
      failed: sql`${failed} + ${failures}`,
      triedToday: sql`case when ${triedDay} = ${utcDayOf(now)} then ${triedToday} + 1 else 1 end`,
      triedDay: utcDayOf(now),
      restsUntil: sql`case when ${restsUntil} is null and ${isHopeless} then cast(${now + FAILED_RESTS_MS} as bigint) else ${restsUntil} end`,
    })
    .where(eq(urlPatterns.id, patternId));
}

type Noted = { accountNo: number; url: string; now: number };

/** Has the patterns of a link's site computed, in the transaction in which the link dies. */
export async function notePatternDeath(tx: Store, { accountNo, url, now }: Noted): Promise<void> {
  await tx.run(sql`
    insert into pattern_runs (account_no, site, deaths, due_at) values (${accountNo}, ${siteOfUrl(url)}, 1, ${now})
    on conflict (account_no, site) do update set deaths = pattern_runs.deaths + 1, due_at = case
      when pattern_runs.deaths + 1 >= ${MANY_DEATHS} and pattern_runs.due_at > excluded.due_at then excluded.due_at
      else pattern_runs.due_at end`);
}

/** Has the patterns of a site computed, since a person put another address in the place of a link. */
export async function noteAccepted(
  tx: Store,
  { accountNo, from, now }: { accountNo: number; from: string; to: string; now: number },
): Promise<void> {
  await tx.run(sql`
    insert into pattern_runs (account_no, site, deaths, due_at) values (${accountNo}, ${siteOfUrl(from)}, 0, ${now})
    on conflict (account_no, site) do update set due_at = excluded.due_at`);
}
