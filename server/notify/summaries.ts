import { and, asc, eq, isNotNull, lte, ne, type SQL, sql } from "drizzle-orm";
import type { Store } from "../ground/db/store.ts";
import {
  accounts,
  deliveries,
  events,
  links,
  type WebhookRow,
  webhooks,
} from "../ground/db/tables.ts";
import { conflict } from "../ground/lib/errors.ts";
import { newIdAt } from "../ground/lib/ids.ts";
import { describeError, log } from "../ground/lib/log.ts";
import { toIso } from "../ground/lib/moments.ts";
import { countChecks } from "../history/statistics.ts";
import type { Caller } from "../http/caller.ts";
import type { Deps, SaveReply } from "../work/deps.ts";
import { isOurs } from "./claim.ts";
import type { EventData, SummaryLink } from "./event-types.ts";
import { type Filter, linksThatPass, readFilters, reasonPasses } from "./filter.ts";
import type { WebhookRecord } from "./model.ts";
import { sendTest, type TestResult } from "./send-test.ts";
import { nextSummaryAt, readSchedule, writeSchedule } from "./summary-schedule.ts";

type Summary = EventData["summary.ready"];

/** Links that a summary lists of each kind; the numbers are those of all. */
const LISTED = { died: 20, cameBack: 20, stillDead: 10, ofReason: 3, reasons: 5 };
const LONGEST = 60_000;

/** Webhooks of one round; the others are due in the next. */
const ROUND = 200;

/** Sends the summaries that are due on this node. Run every minute. */
export async function sendSummaries(deps: Deps): Promise<void> {
  const { store, clock, troubles } = deps;
  if (troubles.stoppingWrites()) return;
  const { summaryAt, isActive } = webhooks;
  const due = await store
    .select()
    .from(webhooks)
    .where(and(lte(summaryAt, clock.now()), eq(isActive, true), isNotNull(webhooks.summary)))
    .orderBy(asc(summaryAt))
    .limit(ROUND);
  for (const webhook of due) {
    if (!isOurs(deps, webhook.id)) continue;
    await sendDue(deps, webhook).catch((error) => {
      log.error("failed to send a summary", { webhook: webhook.id, ...describeError(error) });
    });
  }
}

/** The time in `summaryAt` is the lock: of two nodes one changes it, in the transaction that queues the summary. */
async function sendDue(deps: Deps, webhook: WebhookRow): Promise<void> {
  const { store, clock, loops, metrics } = deps;
  const { id: webhookId, accountId, summary, summaryAt } = webhook;
  const now = clock.now();
  const filter = (await readFilters(store, [webhookId])).get(webhookId) ?? null;
  const data = await readSummary(deps, webhook, filter, now);
  const schedule = readSchedule(summary!);
  const isSent = schedule.always || hasNews(data);
  const isOurTurn = await store.transaction(async (tx) => {
    const changed = await tx
      .update(webhooks)
      .set({
        summaryAt: nextSummaryAt(schedule, now),
        summarySince: now,
        ...(isSent && { summary: writeSchedule({ ...schedule, last_at: now }) }),
      })
      .where(and(eq(webhooks.id, webhookId), eq(webhooks.summaryAt, summaryAt!)))
      .returning({ id: webhooks.id });
    if (changed.length === 0) return false;
    if (!isSent) return true;
    const event = { id: newIdAt(now), type: "summary.ready", createdAt: now } as const;
    await tx.insert(events).values({ ...event, accountId, data: JSON.stringify(data) });
    await tx.insert(deliveries).values({
      webhookId,
      eventId: event.id,
      type: event.type,
      status: "pending",
      createdAt: now,
      attempts: 0,
      unplannedAttempts: 0,
      nextAttemptAt: now,
      dueAt: now,
      ofBatch: false,
    });
    return true;
  });
  if (!isOurTurn) return;
  metrics.summaryEnded(isSent ? "sent" : "quiet");
  if (isSent) loops.wake();
}

/**
 * Sends the summary of now as a test, once; the period of the next one stays as it is.
 * @throws CONFLICT for a webhook without summaries
 */
export async function sendSummaryNow(
  deps: Deps,
  caller: Caller,
  webhook: WebhookRecord,
  save: SaveReply<TestResult>,
): Promise<TestResult> {
  if (webhook.summary === null) {
    throw conflict("This webhook has no summary. Set `summary` and the event `summary.ready`.", {
      reason: "no_summary",
    });
  }
  const data = await readSummary(deps, webhook, webhook.filter, deps.clock.now());
  return sendTest(deps, caller, webhook, save, { type: "summary.ready", data });
}

/** Whether something died, came back or became unknown. */
const hasNews = ({ died, cameBack, unknown }: Summary) =>
  died.total > 0 || cameBack.total > 0 || unknown.since > 0;

type Scope = {
  store: Store;
  accountNo: number;
  filter: Filter | null;
  from: number;
  until: number;
};

/** Reads a summary from its last one until now, in the read pool. */
export async function readSummary(
  { store }: Pick<Deps, "store">,
  { accountId, summarySince, createdAt }: WebhookRow,
  filter: Filter | null,
  now: number,
): Promise<Summary> {
  const [account] = await store.select().from(accounts).where(eq(accounts.id, accountId));
  const from = summarySince ?? createdAt;
  const scope = { store, accountNo: account?.no ?? 0, filter, from, until: now };
  const subject = {
    of: "account",
    no: scope.accountNo,
    since: account?.historySince ?? 0,
  } as const;
  const [died, cameBack, stillDead, unknown, handled, checks] = await Promise.all([
    readDead(scope, LISTED.died, "new"),
    readRecovered(scope),
    readDead(scope, LISTED.stillDead, "old"),
    readUnknown(scope),
    countHandled(scope),
    countChecks(store, subject, { start_date: from, end_date: now }),
  ]);
  return fitting({
    from: toIso(from),
    until: toIso(now),
    died,
    cameBack,
    stillDead,
    unknown,
    handled,
    checks: checks.active + checks.dead + checks.unknown,
  });
}

type Cells = [id: string, url: string, reason: string | null, at: number];

const toLink = ([linkId, url, reason, at]: Cells): SummaryLink => ({
  linkId,
  url,
  reason: reason ?? "",
  since: toIso(Number(at)),
});

/** Links that died in the period, newest first, or that were dead before it, oldest first. */
async function readDead(
  { store, accountNo, filter, from, until }: Scope,
  most: number,
  which: "new" | "old",
): Promise<Summary["died"]> {
  const span =
    which === "new"
      ? sql`${links.statusChangedAt} > ${from} and ${links.statusChangedAt} <= ${until}`
      : sql`${links.statusChangedAt} <= ${from}`;
  const are = and(
    eq(links.accountNo, accountNo),
    eq(links.status, "dead"),
    eq(links.handling, "open"),
    span,
    filter ? linksThatPass(filter) : undefined,
  );
  const direction = sql.raw(which === "new" ? "desc" : "asc");
  const [total, rows] = await Promise.all([
    countWhere(store, are),
    store.readPool.all<Cells>(sql`
      select id, url, reason, status_changed_at from watched_links as links where ${are}
      order by status_changed_at ${direction}, no ${direction} limit ${most}`),
  ]);
  return { total, links: rows.map(toLink) };
}

async function countWhere({ readPool }: Store, are: SQL | undefined): Promise<number> {
  const [row] = await readPool.all<[number]>(
    sql`select count(*) from watched_links as links where ${are}`,
  );
  return Number(row![0]);
}

/** A filter of reasons looks at the death that ended. */
async function readRecovered(scope: Scope): Promise<Summary["cameBack"]> {
  const { store, accountNo, filter, from, until } = scope;
  const death = sql`(select d.reason from changes d where d.link_no = links.no and d.kind = 'died'
    and d.changed_at <= r.recovered_at order by d.changed_at desc limit 1)`;
  const passes = filter
    ? and(linksThatPass({ ...filter, reasons: null }), reasonPasses(filter, death))
    : undefined;
  const rest = sql`from recoveries r join watched_links as links on links.no = r.link_no
    where ${and(sql`r.account_no = ${accountNo} and r.recovered_at > ${from} and r.recovered_at <= ${until}`, eq(links.status, "active"), ne(links.handling, "muted"), passes)}`;
  const [counted, rows] = await Promise.all([
    store.readPool.all<[number]>(sql`select count(*) ${rest}`),
    store.readPool.all<[...Cells, lastedMs: number | null]>(sql`
      select links.id, links.url, ${death}, r.recovered_at, (select c.lasted_ms from changes c
        where c.link_no = links.no and c.kind = 'came_back' order by c.changed_at desc limit 1) ${rest}
      order by r.recovered_at desc, r.link_no desc limit ${LISTED.cameBack}`),
  ]);
  return {
    total: Number(counted[0]![0]),
    links: rows.map(([id, url, reason, at, lastedMs]) => ({
      ...toLink([id, url, reason, at]),
      deadForSeconds: lastedMs === null ? null : Math.round(Number(lastedMs) / 1000),
    })),
  };
}

/** Links that people have decided about, by what they decided. */
async function countHandled({
  store,
  accountNo,
  filter,
}: Pick<Scope, "store" | "accountNo" | "filter">): Promise<Summary["handled"]> {
  const passes = filter ? linksThatPass(filter) : undefined;
  const isOurs = and(eq(links.accountNo, accountNo), passes);
  const [handled, overridden] = await Promise.all([
    store.readPool.all<[string, number]>(
      sql`select handling, count(*) from watched_links as links where handling <> 'open' and ${isOurs} group by handling`,
    ),
    store.readPool.all<
      [number]
    >(sql`select count(*) from link_details d join watched_links as links on links.no = d.link_no
      where d.account_no = ${accountNo} and d.override_until is not null and ${isOurs}`),
  ]);
  const countOf = (wanted: string) =>
    Number(handled.find(([handling]) => handling === wanted)?.[1] ?? 0);
  return {
    acknowledged: countOf("acknowledged"),
    muted: countOf("muted"),
    overridden: Number(overridden[0]![0]),
  };
}

/** Those that were never checked have no reason. */
async function readUnknown(scope: Scope): Promise<Summary["unknown"]> {
  const { store, accountNo, filter, from } = scope;
  const are = and(
    eq(links.accountNo, accountNo),
    eq(links.status, "unknown"),
    eq(links.handling, "open"),
    isNotNull(links.reason),
    filter ? linksThatPass(filter) : undefined,
  );
  const rows = await store.readPool.all<[reason: string, total: number, since: number]>(sql`
    select reason, count(*), sum(case when status_changed_at > ${from} then 1 else 0 end)
    from watched_links as links where ${are} group by reason order by count(*) desc, reason`);
  const named = rows.slice(0, LISTED.reasons);
  const lists = await Promise.all(
    named.map(([reason]) =>
      store.readPool.all<Cells>(sql`
        select id, url, reason, status_changed_at from watched_links as links where ${are} and reason = ${reason}
        order by status_changed_at desc, no desc limit ${LISTED.ofReason}`),
    ),
  );
  return {
    total: rows.reduce((sum, [, total]) => sum + Number(total), 0),
    since: rows.reduce((sum, [, , since]) => sum + Number(since), 0),
    reasons: named.map(([reason, total], i) => ({
      reason,
      total: Number(total),
      links: lists[i]!.map(toLink),
    })),
  };
}

/** Shortens the longest lists until the summary is short enough to be sent. */
function fitting(summary: Summary): Summary {
  const lists = [
    summary.died.links,
    summary.cameBack.links,
    summary.stillDead.links,
    ...summary.unknown.reasons.map((each) => each.links),
  ];
  while (JSON.stringify(summary).length > LONGEST) {
    const longest = lists.reduce((a, b) => (b.length > a.length ? b : a));
    if (longest.length === 0) break;
    longest.pop();
  }
  return summary;
}
