import { inArray, max, type SQL, sql } from "drizzle-orm";
import { dayOf } from "../accounts/meter.ts";
import { holdAccounts, holdLinks } from "../db/hold.ts";
import { isDuplicate, rowsOf, type Statement, type Store } from "../db/store.ts";
import { checks } from "../db/tables.ts";
import { type CheckKind, codeOf, numbersOfKinds } from "../history/kinds.ts";
import { addToRollUps } from "../history/roll-ups.ts";
import { countForBatches } from "../links/members.ts";
import { recordEvents, subscriptionsOf } from "../webhooks/events/events.ts";
import type { Deps } from "../work/deps.ts";
import { changeLinks, toStored } from "./change-link.ts";
import { giveBack } from "./claim.ts";
import { outcomeOf } from "./outcome.ts";
import { completed, eventsOf, type Result, rounded, type Settled } from "./settled.ts";

/**
 * Writes the results in one batch: history, roll-ups, links, events and counts together, or none of it. A
 * result counts only while its link is still there and held under the lease it was claimed with.
 */
export async function recordResults(deps: Deps, results: Result[]): Promise<void> {
  if (results.length === 0) return;
  try {
    await write(deps, results, new Map());
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    // A check that taught nothing is in history too, at a moment that its link does not tell.
    await write(deps, results, await latestChecks(deps.store, results));
  }
}

/** The moment of the latest check of each link, by the links' numbers. */
async function latestChecks(store: Store, results: Result[]): Promise<Latest> {
  const wanted = rowsOf(
    store,
    { no: "bigint" },
    results.map(({ link }) => [link.no]),
  );
  const rows = await store
    .select({ no: checks.linkNo, at: max(checks.checkedAt) })
    .from(checks)
    .where(inArray(checks.linkNo, sql`${wanted}`))
    .groupBy(checks.linkNo);
  return new Map(rows.map(({ no, at }) => [no, Number(at)]));
}

type Latest = ReadonlyMap<number, number>;

async function write(deps: Deps, results: Result[], latest: Latest): Promise<void> {
  const { store } = deps;
  // In the order of numbers, as they are held.
  const sorted = results.toSorted((a, b) => a.link.no - b.link.no);
  const { settled, voided } = judged(sorted, latest);
  const observed = voided
    .map(({ result }) => result)
    .filter(isAsked)
    .map((result) => asObserved(result, latest));
  const told = [...settled, ...observed];
  const isWanted = await subscriptionsOf(store, [
    ...new Set(told.map(({ link }) => link.accountId)),
  ]);
  const events = [...settled.flatMap(eventsOf), ...observed.map(completed)].filter(isWanted);
  await store.write([
    // A lease that has run out could else be taken between two of the statements that go by it.
    ...holdAccounts(
      store,
      sorted.map(({ link }) => link.accountNo),
    ),
    ...holdLinks(
      store,
      sorted.map(({ link }) => link.no),
    ),
    ...(await writeHistory(store, told)),
    ...countForBatches(store, settled),
    ...recordEvents(store, events),
    ...countUsage(store, settled),
    ...changeLinks(deps, settled),
    ...giveBack(
      store,
      voided.map(({ result, dueAt }) => ({
        link: result.link,
        dueAt,
        isAnswered: isAsked(result),
      })),
    ),
  ]);
}

type Voided = { result: Result; dueAt: number };

function judged(results: Result[], latest: Latest): { settled: Settled[]; voided: Voided[] } {
  const settled: Settled[] = [];
  const voided: Voided[] = [];
  for (const result of results) {
    const { conclusion, ...rest } = result;
    const checkedAt = momentOf(result, latest);
    const outcome = outcomeOf(result.link, conclusion, checkedAt);
    if (outcome.kind === "void")
      voided.push({ result, dueAt: outcome.dueAt + result.at - checkedAt });
    else settled.push({ ...rest, checkedAt, outcome });
  }
  return { settled, voided };
}

/** A clock that was set back writes no history before that which is there. */
function momentOf({ link, at }: Result, latest: Latest): number {
  const last = latest.get(link.no) ?? link.lastCheckedAt;
  return last === null ? at : Math.max(at, last + 1);
}

/** Only a check that somebody asked for by hand tells that nothing was learned. */
const isAsked = ({ link, conclusion }: Result) =>
  link.nextTrigger === "manual" && conclusion.reason !== "check_aborted";

/** A void check as history shows it: it is unknown, and the link as it was. */
function asObserved(result: Result, latest: Latest): Settled {
  const { conclusion, ...rest } = result;
  const { status, reason, decidedStatus, decidedReason, inconclusiveChecks } = rest.link;
  return {
    ...rest,
    checkedAt: momentOf(result, latest),
    outcome: {
      kind: "settled",
      conclusion,
      status,
      reason: reason ?? conclusion.reason,
      statusChanged: false,
      decidedStatus,
      decidedReason,
      inconclusiveChecks,
      series: null,
      event: null,
    },
  };
}

/** The checks and what they add up to. */
async function writeHistory(store: Store, results: Settled[]): Promise<Statement[]> {
  if (results.length === 0) return [];
  const kinds = results.map(kindOf);
  const numbers = await numbersOfKinds(store, kinds);
  const rows = results.map((result, i) => checkOf(result, numbers.get(codeOf(kinds[i]!))!));
  const written = results.map(({ link, checkedAt }) => [
    ...[link.accountNo, checkedAt, link.no],
    link.lease,
  ]);
  return [
    store.run(sql`
      insert into checks (account_no, checked_at, link_no, kind_no, response_time_ms, group_no, final_url, evidence)
      select l.account_no, checked_at, l.no, kind_no, response_time_ms, g.no,
        case when final_url = l.url then '' else final_url end, done.evidence
      from ${rowsOf(store, CHECK, rows)} as done
      join links l on l.no = link_no and l.lease = done.lease
      left join groups g on g.id = l.group_id
    `),
    ...addToRollUps(store, writtenChecks(store, written)),
  ];
}

const CHECK = {
  link_no: "bigint",
  lease: "text",
  checked_at: "bigint",
  kind_no: "bigint",
  response_time_ms: "bigint",
  final_url: "text",
  evidence: "text",
} as const;

/** Of those that were to be written, the ones that were: whose links are held under the same lease. */
const writtenChecks = (store: Store, keys: (number | string)[][]): SQL => sql`
  select checks.* from ${rowsOf(store, KEY, keys)} as done
  join checks on checks.account_no = done.account_no
    and checks.checked_at = done.checked_at and checks.link_no = done.link_no
  join links on links.no = done.link_no and links.lease = done.lease`;

const KEY = {
  account_no: "bigint",
  checked_at: "bigint",
  link_no: "bigint",
  lease: "text",
} as const;

const checkOf = ({ link, checkedAt, outcome }: Settled, kindNo: number) => [
  link.no,
  link.lease,
  checkedAt,
  kindNo,
  rounded(outcome.conclusion.responseTimeMs),
  outcome.conclusion.finalUrl,
  outcome.statusChanged ? toStored(outcome.conclusion.evidence) : null,
];

const kindOf = ({ link, outcome: { conclusion, statusChanged } }: Settled): CheckKind => ({
  status: conclusion.status,
  previousStatus: link.status,
  statusChanged,
  statusCode: conclusion.statusCode,
  reason: conclusion.reason,
  cause: conclusion.cause ?? null,
  trigger: link.nextTrigger,
  redirectCount: conclusion.redirectCount,
});

/** Counts each check on its UTC day for its account. */
function countUsage(store: Store, results: Settled[]): Statement[] {
  if (results.length === 0) return [];
  const rows = results.map(({ link, at }) => [link.no, link.lease, dayOf(at), at]);
  const columns = { link_no: "bigint", lease: "text", day: "text", at: "bigint" } as const;
  return [
    store.run(sql`
      insert into usage_days (account_id, day, requests, checks, last_check_at)
      select l.account_id, day, 0, count(*), max(at)
      from ${rowsOf(store, columns, rows)} as done join links l on l.no = link_no and l.lease = done.lease
      group by l.account_id, day
      on conflict (account_id, day) do update set checks = usage_days.checks + excluded.checks,
        last_check_at = case when usage_days.last_check_at > excluded.last_check_at
          then usage_days.last_check_at else excluded.last_check_at end
    `),
  ];
}
