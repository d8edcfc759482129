import { sql } from "drizzle-orm";
import { onRecord } from "../accounts/audit/record.ts";
import { linkTarget } from "../accounts/audit/targets.ts";
import type { Caller } from "../api/caller.ts";
import { asSeen, onlyWhile } from "../db/as-seen.ts";
import { allCounted, takeNumbers } from "../db/numbers.ts";
import type { Statement, Store } from "../db/store.ts";
import { batches, type LinkRow, linkCounts, links } from "../db/tables.ts";
import { oneAtATime } from "../lib/concurrency.ts";
import type { AppError } from "../lib/errors.ts";
import { newId } from "../lib/ids.ts";
import { toIso } from "../lib/moments.ts";
import { chunksOf } from "../lib/steps.ts";
import { serviceIdOf } from "../verdict/services/catalogue.ts";
import { type NewEvent, recordEvents } from "../webhooks/events/events.ts";
import { bucketOfUrl } from "../work/buckets.ts";
import { type Deps, noReceipt, type Receipt } from "../work/deps.ts";
import { judgeItems } from "./judge.ts";
import { bringAlong, emptyBatch } from "./members.ts";
import type { NewLink } from "./model.ts";
import { type ReadItem, readItems } from "./read-items.ts";

/** Links of one insert statement, well below what a statement may carry. */
const ROWS = 250;
/** Of a row that is not to be written yet. */
const UNNUMBERED = 0;

/** What became of one item of a batch, in the order of the request. */
type ItemResult = { link: LinkRow } | { url: unknown; error: AppError };

/** Without a created link there is no batch either. */
export type BatchCreation = { batchId: string | null; results: ItemResult[] };

/** @throws VALIDATION_ERROR with every problem at once; CONFLICT for a known URL or at the limit */
export async function createLink(
  deps: Deps,
  caller: Caller,
  input: unknown,
  receipt: Receipt<LinkRow> = noReceipt,
): Promise<LinkRow> {
  const { results } = await createAll(deps, caller, [input], "initial", ({ results: [only] }) =>
    only && "link" in only ? receipt(only.link) : [],
  );
  const [result] = results;
  if (!result || "error" in result) throw result?.error;
  return result.link;
}

/** Items are independent: the good ones are written in one batch, the bad ones reported. */
export const createLinks = (
  deps: Deps,
  caller: Caller,
  inputs: unknown[],
  receipt: Receipt<BatchCreation> = noReceipt,
): Promise<BatchCreation> => createAll(deps, caller, inputs, "batch", receipt);

async function createAll(
  deps: Deps,
  caller: Caller,
  inputs: unknown[],
  trigger: "initial" | "batch",
  receipt: Receipt<BatchCreation>,
): Promise<BatchCreation> {
  const read = await readItems(deps, caller, inputs);
  const create = async () => {
    const creation = await plan(deps, caller, read, trigger);
    await deps.store.write([...writesOf(deps, caller, creation), ...receipt(creation)]);
    deps.loops.wake();
    return creation;
  };
  return oneAtATime(caller.accountId, () => asSeen(create));
}

/** Decides for each item, against what the account has now. Nothing is written yet. */
async function plan(
  deps: Deps,
  caller: Caller,
  items: ReadItem[],
  trigger: "initial" | "batch",
): Promise<BatchCreation> {
  const place = trigger === "batch" ? "list" : "alone";
  const judged = await judgeItems(deps, caller, items, { place });
  const results = judged.map(
    (item): ItemResult =>
      "error" in item
        ? { url: item.given, error: item.error }
        : { link: newRow(deps, caller, item, trigger) },
  );
  await numberAll(deps.store, results);
  const isAnyMade = results.some((result) => "link" in result);
  return { batchId: isAnyMade && trigger === "batch" ? newId() : null, results };
}

/** Only what is to be written gets a number. */
async function numberAll(store: Store, results: ItemResult[]): Promise<void> {
  const rows = results.flatMap((result) => ("link" in result ? [result.link] : []));
  if (rows.length === 0) return;
  const first = await takeNumbers(store, rows.length);
  rows.forEach((row, i) => {
    row.no = first + i;
  });
}

function newRow(
  { clock, catalogue }: Deps,
  { accountId, accountNo }: Caller,
  { fields, url, urlKey }: { fields: NewLink; url: URL; urlKey: string },
  trigger: "initial" | "batch",
): LinkRow {
  const now = clock.now();
  return {
    no: UNNUMBERED,
    id: newId(),
    accountId,
    accountNo,
    groupId: fields.group_id ?? null,
    url: url.href,
    urlKey,
    service: serviceIdOf(catalogue, url),
    status: "unknown",
    reason: null,
    statusChangedAt: now,
    decidedStatus: null,
    decidedReason: null,
    lastActiveAt: null,
    inconclusiveChecks: 0,
    unconfirmedSince: null,
    flappingUntil: null,
    failingClass: null,
    failingSince: null,
    failingChecks: null,
    checkFrequency: fields.check_frequency,
    nextCheckAt: now,
    nextTrigger: trigger,
    checkingUntil: null,
    lease: null,
    lastStatus: null,
    lastReason: null,
    lastCause: null,
    lastStatusCode: null,
    lastResponseTimeMs: null,
    lastCheckedAt: null,
    createdAt: now,
    updatedAt: now,
    evidence: null,
    bucket: bucketOfUrl(url),
  };
}

function writesOf(deps: Deps, caller: Caller, { batchId, results }: BatchCreation): Statement[] {
  const { store, clock } = deps;
  const rows = results.flatMap((result) => ("link" in result ? [result.link] : []));
  const [only, ...others] = rows;
  const target = only && others.length === 0 ? linkTarget(only) : undefined;
  return [
    ...onRecord(deps, caller, { action: "link.created", target, count: rows.length }),
    ...(only ? onlyWithin(deps, caller, rows.length) : []),
    ...chunksOf(ROWS, rows).map((some) => store.insert(links).values(some)),
    ...(batchId ? batchOf(store, { id: batchId, caller, startedAt: clock.now() }, rows) : []),
    ...recordEvents(
      store,
      rows.map((row) => createdEvent(row, batchId)),
    ),
  ];
}

/** Where there is room for so many more. */
function onlyWithin({ store, config }: Deps, { accountNo, tier }: Caller, more: number) {
  const used = sql`(select coalesce(sum(${allCounted}), 0) from ${linkCounts} where subject = ${accountNo})`;
  return onlyWhile(store, accountNo, sql`${used} <= ${config.tierLimits[tier].links - more}`);
}

/** The first checks of the new links. */
function batchOf(
  store: Store,
  { id, caller, startedAt }: { id: string; caller: Caller; startedAt: number },
  rows: LinkRow[],
): Statement[] {
  const about = { id, accountId: caller.accountId, startedAt, lastNo: 0, expected: rows.length };
  const batch = emptyBatch(about);
  return [
    store.insert(batches).values({ ...batch, total: rows.length, filledTo: null }),
    ...bringAlong(
      store,
      id,
      rows.map(({ no }) => no),
    ),
  ];
}

const createdEvent = (row: LinkRow, batchId: string | null): NewEvent => ({
  type: "link.created",
  accountId: row.accountId,
  at: row.createdAt,
  data: {
    linkId: row.id,
    url: row.url,
    groupId: row.groupId,
    service: row.service,
    checkFrequency: row.checkFrequency,
    status: row.status,
    createdAt: toIso(row.createdAt),
    batchId,
  },
});
