import { inArray, max, type SQLWrapper, sql } from "drizzle-orm";
import { queueHostMails } from "../accounts/mails.ts";
import { dayOf } from "../accounts/usage.ts";
import { lockAccounts, lockLinks } from "../ground/db/queries.ts";
import { isDuplicate, isUnavailable, numbersOf, onRows, type Store } from "../ground/db/store.ts";
import { changes, checks } from "../ground/db/tables.ts";
import { checkIdOf } from "../ground/lib/ids.ts";
import { describeError, log, logFailure } from "../ground/lib/log.ts";
import { toIso, toIsoOrNull } from "../ground/lib/moments.ts";
import { type CheckKind, codeOf, numbersOfKinds } from "../history/kinds.ts";
import { addToRollUps } from "../history/roll-ups.ts";
import { closeYesterday } from "../history/status-days.ts";
import { writeHostUses } from "../hosts/uses.ts";
import { evidenceSentences } from "../judge/reasons/evidence-words.ts";
import { completeBatches } from "../links/complete-batches.ts";
import { countForBatches } from "../links/fill-batches.ts";
import { recordNotices, type Said } from "../links/notices.ts";
import {
  endAcknowledgements,
  endOverrides,
  noteSilentDeaths,
} from "../links/triage/after-checks.ts";
import { type NewEvent, publishEvents, readSubscriptions } from "../notify/events.ts";
import { type Alive, noteSaves } from "../repair/archive/saves.ts";
import { type Death, noteDeaths } from "../repair/suggestions/deaths.ts";
import type { Deps } from "../work/deps.ts";
import { createGroupWriter } from "../work/group-writer.ts";
import { accountIdsOf } from "../work/topics.ts";
import { inUnit } from "../work/unit.ts";
import { changeLinks, isChange, toStored } from "./change-link.ts";
import { isAmongChanges, writeChanges } from "./changes.ts";
import { type ClaimedLink, releaseLinks } from "./claim.ts";
import { settleFragments } from "./fragments.ts";
import {
  hurryDoubted,
  identify,
  identityNotices,
  pageTitlesOf,
  rememberPages,
} from "./identity.ts";
import { type Learned, type Learning, writeLearned } from "./learning.ts";
import { noteDomains, rememberNoted } from "./note-domains.ts";
import { outcomeOf, type Result, rounded, type Settled, unchanged } from "./outcome.ts";
import { writeReadings } from "./readings.ts";
import { writeResponses } from "./responses.ts";

/** Results wait for this time at most, or until there are so many. */
export const GROUP_MS = 250;
const GROUP_SIZE = 200;
/** With more waiting the database is behind, and nothing more begins. */
const MOST_WAITING = 5 * GROUP_SIZE;

export type Recorder = ReturnType<typeof createRecorder>;

/**
 * Writes results in groups. The loop calls `flush` every `GROUP_MS`.
 * @param release gets every link whose result is written, or never will be
 */
export function createRecorder(
  deps: Deps,
  release: (link: ClaimedLink) => void,
  learning?: Learning,
) {
  const writer = createGroupWriter<Result>({
    write: async (group) => {
      await recordResults(deps, group, learning);
      await noteWritten(deps, group, release);
    },
    drop({ link }, error) {
      log.error("failed to record a result", { link: link.id, ...describeError(error) });
      release(link);
    },
    groupSize: () => GROUP_SIZE,
    leastNext: GROUP_SIZE,
    isStopped: () => deps.troubles.stoppingDeletions() !== null,
    log: {
      failing: "failed to record results: they wait for the database",
      resumed: "results are recorded again",
    },
  });
  return {
    add(result: Result) {
      writer.add(result);
      if (writer.waiting() >= GROUP_SIZE && writer.isWell()) void writer.flush();
    },
    flush: writer.flush,
    drain: writer.drain,
    /** Whether more results can be kept. */
    hasRoom: () => writer.isWell() && writer.waiting() < MOST_WAITING,
  };
}

async function noteWritten(deps: Deps, group: Result[], release: (link: ClaimedLink) => void) {
  for (const { link } of group) release(link);
  deps.loops.wakeHere();
  deps.topics.counted(accountIdsOf(group.map(({ link }) => link)));
  await completeBatches(deps).catch(logFailure("failed to complete batches"));
}

/**
 * Records results in one transaction: history, roll-ups, links, events and counters. A result counts only while its
 * link exists and is held under the lease that it was claimed with.
 */
export async function recordResults(
  deps: Deps,
  results: Result[],
  learning?: Learning,
): Promise<void> {
  if (results.length === 0) return;
  const learned = learning?.take();
  try {
    await writeAtOwnTimes(deps, results, learned);
  } catch (error) {
    if (!learned) throw error;
    if (isUnavailable(error)) {
      learning?.putBack(learned);
      throw error;
    }
    // No result is lost because of what else was learned.
    await writeAtOwnTimes(deps, results);
    log.error("failed to record what checks learned", describeError(error));
  }
}

async function writeAtOwnTimes(deps: Deps, results: Result[], learned?: Learned): Promise<void> {
  try {
    await write(deps, results, new Map(), learned);
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    // An inconclusive check is in history too, at a time that its link does not show.
    await write(deps, results, await latestChecks(deps.store, results), learned);
  }
}

/** Time of the latest check or change of each link, by the links' numbers. */
type Latest = ReadonlyMap<number, number>;

async function latestChecks(store: Store, results: Result[]): Promise<Latest> {
  const nos = results.map(({ link }) => link.no);
  const isAmong = (linkNo: SQLWrapper) => inArray(linkNo, sql`${numbersOf(store, nos)}`);
  const rows = await Promise.all([
    store
      .select({ no: checks.linkNo, at: max(checks.checkedAt) })
      .from(checks)
      .where(isAmong(checks.linkNo))
      .groupBy(checks.linkNo),
    // Suggestions are found between checks.
    store
      .select({ no: changes.linkNo, at: max(changes.changedAt) })
      .from(changes)
      .where(isAmong(changes.linkNo))
      .groupBy(changes.linkNo),
  ]);
  const latest = new Map<number, number>();
  for (const { no, at } of rows.flat()) latest.set(no, Math.max(latest.get(no) ?? 0, Number(at)));
  return latest;
}

async function write(
  deps: Deps,
  results: Result[],
  latest: Latest,
  learned: Learned | undefined,
): Promise<void> {
  const { store } = deps;
  const { settled, voided } = judge(await identify(deps, results), latest);
  const observed = voided.flatMap(({ result }) =>
    isAnswer(result) ? [toObserved(result, latest)] : [],
  );
  const shown = [...settled, ...observed];
  const isWanted = await readSubscriptions(store, [...accountIdsOf(shown.map(({ link }) => link))]);
  const kinds = await numbersOfKinds(store, shown.map(kindOf));
  if (settled.some(({ outcome }) => outcome.statusChanged)) await closeYesterday(deps);
  const { ended, noted, notices } = await inUnit(deps, async (unit) => {
    const tx = unit.store;
    await lockAccounts(
      tx,
      results.map(({ link }) => link.accountNo),
    );
    await lockLinks(
      tx,
      results.map(({ link }) => link.no),
    );
    const isHeld = await heldAmong(tx, shown);
    const held = settled.filter(isHeld);
    const events = [...held.flatMap(eventsOf), ...observed.filter(isHeld).map(checkCompleted)];
    await writeHistory(tx, shown.filter(isHeld), kinds);
    await countForBatches(tx, held);
    await noteDeaths(tx, deps, held.flatMap(deathOf));
    await publishEvents(tx, events.filter(isWanted));
    await countUsage(tx, held);
    await settleTriage(tx, held);
    await changeLinks(tx, deps.config, held);
    await writeChanges(tx, held);
    await writeResponses(tx, held);
    await writeReadings(tx, held);
    await rememberPages(tx, deps, held);
    await noteSaves(tx, deps, held.flatMap(aliveOf));
    const noted = await noteDomains(tx, deps, held);
    await hurryDoubted(tx, held, deps.clock.now());
    const said = await noticesOf(tx, held);
    await recordNotices(tx, said, isWanted);
    const failing = await writeHostUses(
      tx,
      held.map(({ at, outcome: { conclusion } }) => ({ at, host: conclusion.host })),
    );
    await queueHostMails(unit, failing);
    if (learned) await writeLearned(tx, learned);
    await releaseLinks(
      tx,
      voided.map(({ result, dueAt }) => ({
        link: result.link,
        dueAt,
        isAnswered: isAnswer(result),
      })),
    );
    const notices = said.flatMap((each) => each.notices);
    return { ended: held.flatMap(({ outcome }) => outcome.overrideEnds ?? []), noted, notices };
  });
  rememberNoted(deps, noted);
  for (const why of ended) deps.metrics.overrideEnded(why);
  for (const { kind } of notices) deps.metrics.pageChanged(kind);
}

function deathOf({ link, at, outcome: { status, statusChanged, conclusion } }: Settled): Death[] {
  return status === "dead" && statusChanged ? [{ link, at, finalUrl: conclusion.finalUrl }] : [];
}

/** A link that is worth saving in an archive: it is alive for the first time, or shows another page. */
function aliveOf({ link, at, compared, outcome: { status, conclusion } }: Settled): Alive[] {
  const isFirst = link.lastActiveAt === null;
  const hasChanged = compared?.notices.some(({ kind }) => kind === "content_changed") === true;
  if (status !== "active" || !(isFirst || hasChanged)) return [];
  const { accountNo, accountId, url } = link;
  return [{ accountNo, accountId, url, at, isFirst, address: conclusion.evidence.address }];
}

/** What checks say about links that are alive. */
async function noticesOf(tx: Store, held: Settled[]): Promise<Said[]> {
  const ofFragments = await settleFragments(tx, held);
  return held.flatMap((result) => {
    const { link, at, checkedAt, outcome } = result;
    const notices = [...identityNotices(result), ...(ofFragments.get(link.no) ?? [])];
    if (notices.length === 0) return [];
    const { reason, finalUrl } = outcome.conclusion;
    const isAmong = isAmongChanges(result);
    return [{ link, at, checkedAt, reason, finalUrl, notices, isAmongChanges: isAmong }];
  });
}

/** Ends what people decided about links where the results say so. */
async function settleTriage(tx: Store, held: Settled[]): Promise<void> {
  const checked = ({ link, checkedAt }: Settled) => ({ no: link.no, at: checkedAt });
  const changed = held.filter((each) => isChange(each) || each.outcome.status === "active");
  await endAcknowledgements(tx, changed.map(checked));
  await endOverrides(
    tx,
    held.flatMap((each) => {
      const why = each.outcome.overrideEnds;
      return why ? [{ ...checked(each), why }] : [];
    }),
  );
  const having = (event: string) =>
    held.filter((each) => each.outcome.event === event).map(checked);
  await noteSilentDeaths(tx, { died: having("link.dead"), recovered: having("link.alive") });
}

/** Returns whether a link is still held under its lease. */
async function heldAmong(tx: Store, results: Settled[]) {
  const leases = results.map(({ link }) => [link.no, link.lease]);
  const held = new Map((await selectHeld(tx, leases)) as [no: number, lease: string][]);
  return ({ link }: Settled) => held.get(link.no) === link.lease;
}

const selectHeld = onRows(
  { link_no: "bigint", held_lease: "text" },
  (rows) => sql`
    select links.no, links.lease from ${rows} as held
    join watched_links as links on links.no = link_no and links.lease = held_lease
  `,
);

/** A check that decides nothing: its link stays as it was, and is due again. */
type Voided = { result: Result; dueAt: number };

function judge(results: Result[], latest: Latest): { settled: Settled[]; voided: Voided[] } {
  const settled: Settled[] = [];
  const voided: Voided[] = [];
  for (const result of results) {
    const { conclusion, ...rest } = result;
    const checkedAt = timeOf(result, latest);
    const outcome = outcomeOf(result.link, conclusion, checkedAt);
    if (outcome.kind === "void") {
      voided.push({ result, dueAt: outcome.dueAt + result.at - checkedAt });
    } else settled.push({ ...rest, checkedAt, outcome });
  }
  return { settled, voided };
}

/** A clock that was set back writes no history before what exists. */
function timeOf({ link, at }: Result, latest: Latest): number {
  const last = latest.get(link.no) ?? link.lastCheckedAt;
  return last === null ? at : Math.max(at, last + 1);
}

/** Only a check that a user has requested is shown although it decided nothing. */
const isAnswer = ({ link, conclusion }: Result) =>
  link.nextTrigger === "manual" && conclusion.reason !== "check_aborted";

/** A check that decided nothing, as history shows it: unknown, with the link as it was. */
const toObserved = ({ conclusion, ...rest }: Result, latest: Latest): Settled => ({
  ...rest,
  checkedAt: timeOf({ ...rest, conclusion }, latest),
  outcome: unchanged(rest.link, conclusion),
});

/** Inserts checks and adds them to the roll-ups. */
async function writeHistory(
  tx: Store,
  results: Settled[],
  kinds: Awaited<ReturnType<typeof numbersOfKinds>>,
): Promise<void> {
  const rows = results.map((result) => checkOf(result, kinds.get(codeOf(kindOf(result)))!));
  await insertChecks(tx, rows);
  await addToRollUps(
    tx,
    results.map(({ link, checkedAt }) => [link.accountNo, checkedAt, link.no]),
  );
}

const insertChecks = onRows(
  {
    link_no: "bigint",
    checked_at: "bigint",
    kind_no: "bigint",
    response_time_ms: "bigint",
    final_url: "text",
    evidence: "text",
  },
  (rows) => sql`
    insert into checks (account_no, checked_at, link_no, kind_no, response_time_ms, group_no, final_url, evidence)
    select l.account_no, checked_at, l.no, kind_no, response_time_ms, g.no,
      case when final_url = l.url then '' else final_url end, done.evidence
    from ${rows} as done join watched_links l on l.no = link_no left join groups g on g.id = l.group_id
  `,
);

/** In the order of the columns of `insertChecks`. */
const checkOf = (
  { link, checkedAt, outcome: { conclusion, statusChanged } }: Settled,
  no: number,
) => [
  ...[link.no, checkedAt, no, rounded(conclusion.responseTimeMs), conclusion.finalUrl],
  statusChanged ? toStored(conclusion.evidence) : null,
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

/** Counts each check for its account on its UTC day. */
const countUsage = (tx: Store, results: Settled[]) =>
  addUsage(
    tx,
    results.map(({ link, at }) => [link.accountId, dayOf(at), at]),
  );

const addUsage = onRows(
  { account: "text", on_day: "text", at: "bigint" },
  (rows) => sql`
    insert into usage_days (account_id, day, requests, checks, last_check_at)
    select account, on_day, 0, count(*), max(at)
    from ${rows} as done
    where true group by account, on_day
    on conflict (account_id, day) do update set checks = usage_days.checks + excluded.checks,
      last_check_at = case when usage_days.last_check_at > excluded.last_check_at
        then usage_days.last_check_at else excluded.last_check_at end
  `,
);

/** Returns the events of a result: the change of status, if there is one, and that the check is complete. */
function eventsOf(result: Settled): NewEvent[] {
  const { link, outcome, at } = result;
  if (!outcome.event) return [checkCompleted(result)];
  const change: NewEvent = {
    type: outcome.event,
    accountId: link.accountId,
    at,
    about: filteredOf(
      link,
      outcome.event === "link.alive" ? reasonBefore(link) : outcome.conclusion.reason,
    ),
    ...(link.decidedStatus === null && {
      first: link.nextTrigger === "batch" ? "batch" : "single",
    }),
    data: {
      ...commonData(result),
      currentStatus: outcome.status,
      groupId: link.groupId,
      ...pageTitlesOf(result),
      lastActiveAt: toIsoOrNull(link.lastActiveAt),
      evidence: evidenceSentences(outcome.conclusion.evidence, outcome.status),
    },
  };
  return [change, checkCompleted(result)];
}

function checkCompleted(result: Settled): NewEvent {
  const { link, outcome, at } = result;
  return {
    type: "check.complete",
    accountId: link.accountId,
    at,
    about: filteredOf(link, outcome.conclusion.reason),
    data: {
      ...commonData(result),
      currentStatus: outcome.conclusion.status,
      statusChanged: outcome.statusChanged,
      trigger: link.nextTrigger,
    },
  };
}

const filteredOf = ({ groupId, service }: ClaimedLink, reason: string | null) => ({
  groupId,
  service,
  reason,
});

/** Who heard of a death hears of the recovery. */
const reasonBefore = ({ decidedStatus, decidedReason, reason }: ClaimedLink) =>
  decidedStatus === "dead" ? decidedReason : reason;

const commonData = ({ link, outcome: { conclusion }, checkedAt }: Settled) => ({
  checkId: checkIdOf(link.id, checkedAt),
  linkId: link.id,
  url: link.url,
  previousStatus: link.status,
  statusCode: conclusion.statusCode,
  reason: conclusion.reason,
  responseTimeMs: rounded(conclusion.responseTimeMs),
  checkedAt: toIso(checkedAt),
});
