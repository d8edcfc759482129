import { eq, inArray, type SQL, sql } from "drizzle-orm";
import { addUsage, dayOf } from "../accounts/meter.ts";
import type { Deps } from "../deps.ts";
import { recordEvents } from "../events/events.ts";
import type { Statement, Store } from "../store/store.ts";
import { batches, checks, links } from "../store/tables.ts";
import { changeLink, toStored } from "./change-link.ts";
import { giveBack } from "./claim.ts";
import { outcomeOf } from "./outcome.ts";
import { completed, eventsOf, type Result, rounded, type Settled } from "./settled.ts";

/**
 * Writes the results in one batch: history, links, events and counts together, or none of it. A result
 * counts only while its link is still there and held under the lease it was claimed with.
 */
export async function recordResults(deps: Deps, results: Result[]): Promise<void> {
  const { store } = deps;
  // In the order of ids, so that two processes never wait for each other's rows.
  const sorted = results.toSorted((a, b) => (a.link.id < b.link.id ? -1 : 1));
  const { settled, voided } = judged(sorted);
  const observed = voided
    .map(({ result }) => result)
    .filter(isAsked)
    .map(asObserved);
  await store.write([
    ...holdLinks(store, sorted),
    ...insertChecks(store, [...settled, ...observed]),
    ...countForBatches(store, settled),
    ...recordEvents(store, [...settled.flatMap(eventsOf), ...observed.map(completed)]),
    ...usageOf(store, settled),
    ...settled.map((result) => changeLink(deps, result)),
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

/** A lease that has run out could else be taken between two of the statements that go by it. */
function holdLinks(store: Store, results: Result[]): Statement[] {
  if (results.length === 0) return [];
  const ids = results.map(({ link }) => link.id);
  return [
    store.run(sql`
      select ${links.id} from ${links} where ${inArray(links.id, ids)}
      order by ${links.id} ${sql.raw(store.engine.holdRows)}
    `),
  ];
}

type Voided = { result: Result; dueAt: number };

function judged(results: Result[]): { settled: Settled[]; voided: Voided[] } {
  const settled: Settled[] = [];
  const voided: Voided[] = [];
  for (const result of results) {
    const { conclusion, ...rest } = result;
    const outcome = outcomeOf(result.link, conclusion, result.at);
    if (outcome.kind === "void") voided.push({ result, dueAt: outcome.dueAt });
    else settled.push({ ...rest, outcome });
  }
  return { settled, voided };
}

/** Only a check that somebody asked for by hand tells that nothing was learned. */
const isAsked = ({ link, conclusion }: Result) =>
  link.nextTrigger === "manual" && conclusion.reason !== "check_aborted";

/** A void check as history shows it: it is unknown, and the link as it was. */
function asObserved({ conclusion, ...rest }: Result): Settled {
  const { status, reason, decidedStatus, decidedReason, inconclusiveChecks } = rest.link;
  return {
    ...rest,
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

/** The rows that later statements of the batch look for: no check, no event and no count. */
function insertChecks(store: Store, results: Settled[]): Statement[] {
  if (results.length === 0) return [];
  const rows = sql.join(results.map(checkValues), sql`, `);
  return [
    store.run(sql`
      insert into ${checks} (id, account_id, link_id, status, previous_status, status_changed, status_code,
        response_time_ms, reason, final_url, redirect_count, trigger_kind, checked_at, cause, evidence)
      select column1, column2, column3, column4, column5, column6, column7, column8, column9, column10,
        column11, column12, column13, column14, column15
      from (values ${rows}) as done
      where exists (select 1 from links where id = column3 and lease = column16)
    `),
  ];
}

function checkValues({ checkId, link, at, outcome }: Settled): SQL {
  const { conclusion, statusChanged } = outcome;
  const text = (value: string | null) => sql`cast(${value} as text)`;
  const number = (value: number | null) => sql`cast(${value} as bigint)`;
  const columns = [
    text(checkId),
    text(link.accountId),
    text(link.id),
    text(conclusion.status),
    text(link.status),
    number(statusChanged ? 1 : 0),
    number(conclusion.statusCode),
    number(rounded(conclusion.responseTimeMs)),
    text(conclusion.reason),
    text(conclusion.finalUrl),
    number(conclusion.redirectCount),
    text(link.nextTrigger),
    number(at),
    text(conclusion.cause ?? null),
    text(statusChanged ? toStored(conclusion.evidence) : null),
    text(link.lease),
  ];
  return sql`(${sql.join(columns, sql`, `)})`;
}

/** Adds each link's first verdict to the batch it came with. */
function countForBatches(store: Store, results: Settled[]): Statement[] {
  const firsts = results.filter(({ link }) => link.batchId !== null);
  const groups = Map.groupBy(
    firsts,
    ({ link, outcome }) => `${link.batchId} ${outcome.conclusion.status}`,
  );
  return [...groups.values()].map((members) => {
    const [{ link, outcome }] = members as [Settled];
    const counted = store
      .select({ count: sql`count(*)` })
      .from(checks)
      .where(
        inArray(
          checks.id,
          members.map(({ checkId }) => checkId),
        ),
      );
    const column = outcome.conclusion.status;
    return store
      .update(batches)
      .set({ [column]: sql`${batches[column]} + (${counted})` })
      .where(eq(batches.id, link.batchId!));
  });
}

function usageOf(store: Store, results: Settled[]): Statement[] {
  const byDay = Map.groupBy(results, ({ link, at }) => `${link.accountId} ${dayOf(at)}`);
  return [...byDay.values()].flatMap((members) => {
    const last = members.reduce((a, b) => (b.at > a.at ? b : a));
    return addUsage(store, last.link.accountId, dayOf(last.at), {
      checks: members.length,
      lastCheckAt: last.at,
    });
  });
}
