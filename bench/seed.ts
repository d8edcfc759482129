import { type SQL, sql } from "drizzle-orm";
import { createKey } from "../server/accounts/keys.ts";
import { hasAccounts } from "../server/accounts/users.ts";
import { openDeps } from "../server/app/build.ts";
import { readConfig, sqlitePath } from "../server/ground/config/config.ts";
import { takeNumbers } from "../server/ground/db/queries.ts";
import { rowsOf, type Store } from "../server/ground/db/store.ts";
import { accounts } from "../server/ground/db/tables.ts";
import { systemClock } from "../server/ground/lib/clock.ts";
import { newId } from "../server/ground/lib/ids.ts";
import { siteOfUrl } from "../server/ground/lib/site.ts";
import type { FREQUENCIES, Verdict } from "../server/ground/lib/vocabulary.ts";
import { numbersOfKinds } from "../server/history/kinds.ts";
import { OPERATOR } from "../server/http/caller.ts";
import { reclassify } from "../server/links/reclassify.ts";
import { noteCleanStop } from "../server/ops/start/integrity.ts";
import { bucketOfUrl } from "../server/work/nodes.ts";
import { makeChange } from "../server/work/unit.ts";

/** How much there is to be, and what the links are. */
type Seed = {
  links: number;
  /** Of links in turn, a million in each of the last hours, so that all links have as many. */
  checks?: number;
  urlOf?: (n: number) => string;
  /** When a link is due, in milliseconds since 1970; not for weeks by default. */
  dueAt?: (n: number) => number;
  frequency?: (typeof FREQUENCIES)[number];
};

/** What a benchmark needs to ask for what was made. */
type Seeded = { key: string; accountId: string; firstNo: number; linkId: string };

const HOUR_MS = 3_600_000;
const LINKS_AT_ONCE = 5000;
const CHECKS_AT_ONCE = 1_000_000;
const CHECKS_A_PART = 1000;
/** A million checks an hour make parts of 3.6 seconds. */
const PART_MS = 3600;

/**
 * One account with a key, links that were checked, and their history, on a fresh database.
 * @throws a sentence for numbers that do not go together, or a database that is in use
 */
export async function seed(env: Record<string, string>, wanted: Seed): Promise<Seeded> {
  refuseUneven(wanted);
  const { deps } = await openDeps(readConfig(env), systemClock);
  const { store } = deps;
  if (await hasAccounts(deps)) throw new Error("There are accounts already; name another folder.");
  // Otherwise the program would read all links again while it is measured.
  await reclassify(deps);
  const [accountId, no] = [newId(), await takeNumbers(store, 1)];
  const account = { id: accountId, email: "bench@example.org", tier: "enterprise" } as const;
  await store.insert(accounts).values({ ...account, createdAt: Date.now(), no, historySince: 0 });
  const caller = { accountId, accountNo: no, tier: account.tier, permissions: ALL, by: OPERATOR };
  const { value: key } = await makeChange(deps, caller, (unit) =>
    createKey(unit, caller, { name: "bench" }),
  );
  const firstNo = await takeNumbers(store, wanted.links);
  const last = await insertLinks(store, { accountId, accountNo: no, firstNo }, wanted);
  if (wanted.checks) await insertHistory(store, { accountNo: no, firstNo }, wanted);
  await store.engine.close();
  const path = sqlitePath(deps.config);
  if (path !== null) noteCleanStop(deps.config, path);
  return { key, accountId, firstNo, linkId: last };
}

const ALL = { read: true, write: true };

/** One in twenty is dead, and a very few are unknown. */
function statusOf(n: number): Verdict {
  if (n % 100_000 === 7) return "unknown";
  return n % 20 === 0 ? "dead" : "active";
}

const nextMonth = () => Date.now() + 20 * 24 * HOUR_MS;

const pageUrl = (n: number) => `https://site-${n % 5000}.bench.test/page/${n}`;

async function insertLinks(
  store: Store,
  { accountId, accountNo, firstNo }: { accountId: string; accountNo: number; firstNo: number },
  { links, urlOf = pageUrl, dueAt = nextMonth, frequency = "monthly" }: Seed,
): Promise<string> {
  const now = Date.now();
  let id = "";
  for (let from = 0; from < links; from += LINKS_AT_ONCE) {
    const count = Math.min(LINKS_AT_ONCE, links - from);
    const rows = Array.from({ length: count }, (_, i) => {
      const n = from + i;
      id = newId();
      const url = urlOf(n);
      return [
        firstNo + n,
        id,
        url,
        statusOf(n),
        Math.round(dueAt(n)),
        now - links + n,
        siteOfUrl(url),
        // Otherwise the program would move all links to their buckets while it is measured.
        bucketOfUrl(url),
      ];
    });
    await store.write([
      store.run(sql`
        insert into links (no, id, account_id, account_no, url, url_key, service, status, reason,
          status_changed_at, decided_status, last_active_at, inconclusive_checks, check_frequency,
          next_check_at, next_trigger, last_status, last_reason, last_status_code, last_response_time_ms,
          last_checked_at, created_at, updated_at, site, bucket)
        select no, id, ${accountId}, cast(${accountNo} as bigint), url, url, 'generic', verdict,
          case verdict when 'dead' then 'http_404' when 'unknown' then 'http_403' else 'ok' end, made_at,
          'active', made_at, 0, ${frequency}, due_at, 'scheduled', 'active', 'ok', 200, 120, made_at, made_at,
          made_at, site, bucket
        from ${rowsOf(store, LINK, rows)} as fresh
      `),
    ]);
  }
  return id;
}

const LINK = {
  no: "bigint",
  id: "text",
  url: "text",
  verdict: "text",
  due_at: "bigint",
  made_at: "bigint",
  site: "text",
  bucket: "bigint",
} as const;

/** What history is made by goes up evenly only in such numbers. */
function refuseUneven({ links, checks = 0 }: Seed) {
  const isWhole = Number.isInteger(links) && links >= 0 && Number.isInteger(checks);
  const isEven = checks === 0 || (links > 0 && links % 100_000 === 0 && checks % links === 0);
  if (isWhole && isEven && checks % CHECKS_AT_ONCE === 0) return;
  throw new RangeError(
    "Ask for links in hundred thousands and for checks in millions, as many for each link.",
  );
}

type Numbers = { accountNo: number; firstNo: number };

/** Rows first and the index of links after them, which is quicker than both in turn. */
async function insertHistory(store: Store, numbers: Numbers, { links, checks = 0 }: Seed) {
  const startAt = startOf(checks);
  await store.run(sql`drop index checks_by_link`);
  await insertChecks(store, numbers, { links, checks, startAt });
  await store.run(sql`create index checks_by_link on checks (link_no, checked_at)`);
  await insertRollUps(store, numbers, { links, checks, startAt });
}

/** Of the first hour, so that the last one ends before now. */
const startOf = (checks: number) =>
  Math.floor(Date.now() / HOUR_MS) * HOUR_MS - (checks / CHECKS_AT_ONCE) * HOUR_MS;

type Span = { links: number; checks: number; startAt: number };

async function insertChecks(store: Store, { accountNo, firstNo }: Numbers, span: Span) {
  const kind = { previousStatus: "active", statusChanged: false, statusCode: 200 } as const;
  const rest = { reason: "ok", cause: null, trigger: "scheduled", redirectCount: 0 } as const;
  for (const status of ["active", "dead", "unknown"] as const) {
    await numbersOfKinds(store, [{ status, ...kind, ...rest }]);
  }
  for (let from = 0; from < span.checks; from += CHECKS_AT_ONCE) {
    await store.run(sql`
      insert into checks (account_no, checked_at, link_no, kind_no, response_time_ms, final_url)
      select cast(${accountNo} as bigint), ${span.startAt} + i * 36 / 10, ${firstNo} + i % ${whole(span.links)},
        case when i % 100000 = 7 then 3 when i % 20 = 0 then 2 else 1 end, 80 + i % 200, ''
      from ${series(from, from + CHECKS_AT_ONCE)} as n
    `);
  }
}

const whole = (value: number): SQL => sql.raw(String(value));

/** A table of whole numbers `i`. */
const series = (from: number, until: number): SQL => sql`(
  with recursive counted(i) as (
    select cast(${from} as bigint) union all select i + 1 from counted where i + 1 < ${until}
  ) select i from counted)`;

/** By the rule that made the checks, and not by counting them. */
async function insertRollUps(store: Store, { accountNo, firstNo }: Numbers, span: Span) {
  const parts = span.checks / CHECKS_A_PART;
  await store.run(sql`
    insert into history_hours (subject, since, active, dead, unknown, changes, answered, total_ms)
    select cast(${accountNo} as bigint), ${span.startAt} + i * ${whole(PART_MS)},
      case when i % 100 = 0 then 949 else 950 end, 50, case when i % 100 = 0 then 1 else 0 end, 0, 1000, 179500
    from ${series(0, parts)} as n
  `);
  await store.run(sql`
    insert into history_days (subject, day, active, dead, unknown, changes, answered, total_ms)
    select subject, since / 86400000, sum(active), sum(dead), sum(unknown), 0, sum(answered), sum(total_ms)
    from history_hours group by subject, since / 86400000
  `);
  const checksOfLink = span.checks / span.links;
  await store.run(sql`
    insert into history_days (subject, day, active, dead, unknown, changes, answered, total_ms)
    select no, day, case when what = 1 then many else 0 end, case when what = 2 then many else 0 end,
      case when what = 3 then many else 0 end, 0, many, many * ms
    from (
      select ${firstNo} + l.i as no, day, many, 80 + l.i % 200 as ms,
        case when l.i % 100000 = 7 then 3 when l.i % 20 = 0 then 2 else 1 end as what
      from ${series(0, span.links)} as l
      cross join (
        select (${span.startAt} + k.i * ${whole((span.links / CHECKS_AT_ONCE) * HOUR_MS)}) / 86400000 as day,
          count(*) as many
        from ${series(0, checksOfLink)} as k group by 1
      ) as days
    ) as counts
  `);
}

if (import.meta.main) {
  const [folder, links = "1000000", checks = "10000000"] = process.argv.slice(2);
  const wanted = { links: Number(links), checks: Number(checks) };
  try {
    if (!folder) throw new Error("Say where: npm run seed FOLDER [LINKS] [CHECKS]");
    const env = { ...(process.env as Record<string, string>), STILLUP_DATA_DIR: folder };
    const { key } = await seed(env, wanted);
    console.log(`${folder} now has ${links} links and ${checks} checks; the key is ${key}`);
  } catch (error) {
    console.error((error as Error).message);
    process.exit(1);
  }
}
