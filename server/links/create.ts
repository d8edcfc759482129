import { auditChange, linkTarget } from "../accounts/audit.ts";
import type { Caller } from "../api/caller.ts";
import { lockAccounts, takeNumbers } from "../db/queries.ts";
import { type LinkRow, links } from "../db/tables.ts";
import { oneAtATime } from "../lib/concurrency.ts";
import type { AppError } from "../lib/errors.ts";
import { newId } from "../lib/ids.ts";
import { toIso } from "../lib/moments.ts";
import { chunksOf, yieldToEventLoop } from "../lib/steps.ts";
import { serviceIdOf } from "../verdict/services/catalogue.ts";
import { type NewEvent, publishEvents } from "../webhooks/events.ts";
import { bucketOfUrl } from "../work/buckets.ts";
import { type Deps, type SaveReply, saveNoReply } from "../work/deps.ts";
import { insertFullBatch } from "./members.ts";
import { type AcceptedItem, type JudgedItem, judgeItems, readItems } from "./validate.ts";

/** Rows of one insert statement, which stay well below the limit of parameters. */
const ROWS = 250;

/** The result of one item, in the order of the request. */
type ItemResult = { link: LinkRow } | { url: unknown; error: AppError };

/** `batchId` is null when no link was created. */
export type BatchCreation = { batchId: string | null; results: ItemResult[] };

/** The result of one item of a preview: the URL as it would be stored, or the error. */
export type Preview = { url: string; service: string } | { url: unknown; error: AppError };

/** @throws VALIDATION_ERROR with every problem at once; CONFLICT for a known URL or at the limit */
export async function createLink(
  deps: Deps,
  caller: Caller,
  input: unknown,
  saveReply: SaveReply<LinkRow> = saveNoReply,
): Promise<LinkRow> {
  const items = await readItems(deps, caller, [input]);
  return createInTransaction(deps, caller, async (within) => {
    const [item] = await judgeItems(within, caller, items, { place: "alone" });
    if (!item || "error" in item) throw item?.error;
    const link = toRow(deps, caller, item, { no: await takeNumbers(within.store, 1) });
    await insertLinks(within, caller, [link], null);
    await saveReply(within.store, link);
    return link;
  });
}

/** Creates a link for each valid item and reports the errors of the others. */
export async function createLinks(
  deps: Deps,
  caller: Caller,
  inputs: unknown[],
  saveReply: SaveReply<BatchCreation> = saveNoReply,
): Promise<BatchCreation> {
  const items = await readItems(deps, caller, inputs);
  return createInTransaction(deps, caller, async (within) => {
    const judged = await judgeItems(within, caller, items, { place: "list" });
    const results = await toResults(within, caller, judged);
    const rows = results.flatMap((result) => ("link" in result ? [result.link] : []));
    const batchId = rows.length > 0 ? newId() : null;
    await insertLinks(within, caller, rows, batchId);
    if (batchId) await insertFirstChecks(within, caller, batchId, rows);
    const creation = { batchId, results };
    await saveReply(within.store, creation);
    return creation;
  });
}

/**
 * Judges items exactly as `createLinks` does, but writes nothing.
 * @param already how many links earlier parts of the same list would have added
 */
export async function previewLinks(
  deps: Deps,
  caller: Caller,
  inputs: unknown[],
  already: number,
): Promise<Preview[]> {
  const items = await readItems(deps, caller, inputs);
  await yieldToEventLoop();
  const judged = await judgeItems(deps, caller, items, { place: "list", already });
  await yieldToEventLoop();
  return judged.map((item) =>
    "error" in item
      ? { url: item.given, error: item.error }
      : { url: item.url.href, service: serviceIdOf(deps.catalogue, item.url) },
  );
}

/** Requests of one account wait here for each other, so that they do not occupy a connection each. */
async function createInTransaction<T>(
  deps: Deps,
  { accountId, accountNo }: Caller,
  work: (within: Deps) => Promise<T>,
): Promise<T> {
  const result = await oneAtATime(accountId, () =>
    deps.store.transaction(async (tx) => {
      await lockAccounts(tx, [accountNo]);
      return work({ ...deps, store: tx });
    }),
  );
  deps.loops.wake();
  return result;
}

/** Makes a row of each accepted item. Only these use up numbers. */
async function toResults(deps: Deps, caller: Caller, judged: JudgedItem[]): Promise<ItemResult[]> {
  const count = judged.filter((item) => !("error" in item)).length;
  let no = count > 0 ? await takeNumbers(deps.store, count) : 0;
  return judged.map((item) =>
    "error" in item
      ? { url: item.given, error: item.error }
      : { link: toRow(deps, caller, item, { no: no++, trigger: "batch" }) },
  );
}

function toRow(
  { clock, catalogue }: Deps,
  { accountId, accountNo }: Caller,
  { fields, url, urlKey }: AcceptedItem,
  { no, trigger = "initial" }: { no: number; trigger?: "initial" | "batch" },
): LinkRow {
  const now = clock.now();
  return {
    no,
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

async function insertLinks(
  deps: Deps,
  caller: Caller,
  rows: LinkRow[],
  batchId: string | null,
): Promise<void> {
  const { store: tx } = deps;
  const [only, ...others] = rows;
  const target = only && others.length === 0 ? linkTarget(only) : undefined;
  await auditChange(deps, caller, { action: "link.created", target, count: rows.length });
  for (const some of chunksOf(ROWS, rows)) await tx.insert(links).values(some);
  await publishEvents(
    tx,
    rows.map((row) => createdEvent(row, batchId)),
  );
}

/** Starts a batch for the first checks of the new links. */
const insertFirstChecks = (
  { store: tx, clock }: Deps,
  { accountId }: Caller,
  id: string,
  rows: LinkRow[],
): Promise<void> =>
  insertFullBatch(
    tx,
    { id, accountId, startedAt: clock.now(), lastNo: 0, expected: rows.length },
    rows.map(({ no }) => no),
  );

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
