import { and, eq, getTableColumns, inArray, sql } from "drizzle-orm";
import { auditChange, linkTarget } from "../accounts/audit.ts";
import type { Caller } from "../api/caller.ts";
import { lockAccounts, takeNumbers, totalLinks } from "../db/queries.ts";
import { onRows } from "../db/store.ts";
import { groups, type LinkRow, links } from "../db/tables.ts";
import { oneAtATime } from "../lib/concurrency.ts";
import {
  type AppError,
  conflict,
  type FieldProblems,
  invalid,
  limitReached,
} from "../lib/errors.ts";
import { problemsOf } from "../lib/fields.ts";
import { newId, parseId } from "../lib/ids.ts";
import { toIso } from "../lib/moments.ts";
import { siteOfUrl } from "../lib/site.ts";
import { chunksOf, yieldToEventLoop } from "../lib/steps.ts";
import { parseTarget } from "../net/policy.ts";
import { serviceIdOf, urlKeyOf } from "../verdict/services/catalogue.ts";
import { type NewEvent, publishEvents, readSubscriptions } from "../webhooks/events.ts";
import { type Deps, type SaveReply, saveNoReply } from "../work/deps.ts";
import { bucketOfUrl } from "../work/nodes.ts";
import { insertFullBatch } from "./fill-batches.ts";
import { NewLink } from "./model.ts";

/** Rows of one insert statement: more would hold the event loop for longer. */
const ROWS = 100;

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
    site: siteOfUrl(url),
    tlsExpiresAt: null,
    aliveResponse: null,
    deadResponse: null,
  };
}

async function insertLinks(
  deps: Deps,
  caller: Caller,
  rows: LinkRow[],
  batchId: string | null,
): Promise<void> {
  const { store: tx } = deps;
  const target = linkTarget(rows);
  await auditChange(deps, caller, { action: "link.created", target, count: rows.length });
  for (const some of chunksOf(ROWS, rows)) await insertRows(tx, some.map(cellsOf));
  const isWanted = await readSubscriptions(tx, [caller.accountId]);
  await publishEvents(tx, rows.map((row) => createdEvent(row, batchId)).filter(isWanted));
}

const COLUMNS = Object.entries(getTableColumns(links));
const NAMES_OF_COLUMNS = sql.raw(COLUMNS.map(([, { name }]) => name).join(", "));

const insertRows = onRows(
  Object.fromEntries(
    COLUMNS.map(([, { name, dataType }]) => [name, dataType === "number" ? "bigint" : "text"]),
  ),
  (rows) => sql`
    insert into ${links} (${NAMES_OF_COLUMNS}) select ${NAMES_OF_COLUMNS} from ${rows} as fresh
  `,
);

const cellsOf = (row: LinkRow) => COLUMNS.map(([name]) => row[name as keyof LinkRow]);

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
  about: { groupId: row.groupId, service: row.service, reason: null },
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

/** Takes about 3 ms. */
const READ_AT_ONCE = 200;

/** An item as it would be stored, or the problems of its fields. */
type ReadItem = { input: unknown } & ({ fields: NewLink; url: URL } | { problems: FieldProblems });

/** An item that may become a link. `given` is its URL as it was sent. */
type AcceptedItem = { given: unknown; fields: NewLink; url: URL; urlKey: string };
type JudgedItem = AcceptedItem | { given: unknown; error: AppError };

/** Validates each item separately. The groups that items name are looked up in one query. */
async function readItems(deps: Deps, caller: Caller, inputs: unknown[]): Promise<ReadItem[]> {
  const named = new Set(inputs.map(groupIdIn).filter((id) => id !== null));
  const known = await existingGroups(deps, caller.accountId, [...named]);
  const read: ReadItem[] = [];
  for (const some of chunksOf(READ_AT_ONCE, inputs)) {
    if (read.length > 0) await yieldToEventLoop();
    read.push(...some.map((input) => readItem(deps, input, known)));
  }
  return read;
}

/**
 * Decides for each item, in order, whether the account may add it now. Writes nothing.
 * @param place whether an item was sent alone or as part of a list, for its error message
 * @param already how many links to count in addition to those of the account
 */
async function judgeItems(
  deps: Pick<Deps, "store" | "config" | "catalogue">,
  caller: Caller,
  items: ReadItem[],
  { place, already = 0 }: { place: "alone" | "list"; already?: number },
): Promise<JudgedItem[]> {
  const keyed = items.map((item) => ({ item, urlKey: keyOf(deps, item) }));
  const taken = await takenKeys(deps, caller.accountId, keyed);
  const limit = deps.config.tierLimits[caller.tier].links;
  const firstIndex = new Map<string, number>();
  let used = (await totalLinks(deps, caller.accountNo)).total + already;
  return keyed.map(({ item, urlKey }, index): JudgedItem => {
    const given = (item.input as { url?: unknown } | null)?.url ?? null;
    if ("problems" in item) return { given, error: refusal(item.problems, place) };
    const known = taken.get(urlKey);
    if (known) return { given, error: duplicate({ existingId: known }) };
    const first = firstIndex.get(urlKey);
    if (first !== undefined) return { given, error: duplicate({ firstIndex: first }) };
    if (used >= limit) return { given, error: limitReached("links", limit, used) };
    firstIndex.set(urlKey, index);
    used++;
    return { given, fields: item.fields, url: item.url, urlKey };
  });
}

/** The `group_id` of an input, even if the rest of the input is invalid. */
export function groupIdIn(input: unknown): string | null {
  const id = (input as { group_id?: unknown } | null)?.group_id;
  return typeof id === "string" ? parseId(id) : null;
}

/** The ids that are groups of the account. Groups of other accounts are treated as missing. */
export async function existingGroups(
  { store }: Pick<Deps, "store">,
  accountId: string,
  ids: string[],
): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const rows = await store
    .select({ id: groups.id })
    .from(groups)
    .where(and(eq(groups.accountId, accountId), inArray(groups.id, ids)));
  return new Set(rows.map(({ id }) => id));
}

/** @throws VALIDATION_ERROR for the field when the account has no group with this id */
export async function refuseUnknownGroup(
  deps: Deps,
  { accountId }: Caller,
  id: string | null | undefined,
  field: string,
): Promise<void> {
  if (!id || (await existingGroups(deps, accountId, [id])).has(id)) return;
  throw invalid({ [field]: ["no such group"] });
}

function readItem({ config }: Deps, input: unknown, knownGroups: Set<string>): ReadItem {
  const shape = NewLink.safeParse(input);
  const problems = shape.success ? {} : problemsOf(shape.error);
  const raw = (input as { url?: unknown } | null)?.url;
  const policy = { allowed: config.checkAllowedHosts, blocked: config.checkBlockedHosts };
  const target =
    typeof raw === "string" && !problems.url
      ? parseTarget(raw.trim(), policy, "STILLUP_CHECK_ALLOWED_HOSTS")
      : null;
  if (target && !target.ok) problems.url = [target.problem];
  const groupId = groupIdIn(input);
  if (groupId && !knownGroups.has(groupId)) problems.group_id = ["no such group"];
  if (!shape.success || !target?.ok || Object.keys(problems).length > 0) return { input, problems };
  return { input, fields: shape.data, url: target.url };
}

/** Empty for an item without a URL. No URL has an empty key. */
const keyOf = ({ catalogue }: Pick<Deps, "catalogue">, item: ReadItem) =>
  "url" in item ? urlKeyOf(catalogue, item.url) : "";

/** The ids of the account's links that have one of the keys, by key. */
async function takenKeys(
  { store }: Pick<Deps, "store">,
  accountId: string,
  keyed: { urlKey: string }[],
): Promise<Map<string, string>> {
  const keys = keyed.map(({ urlKey }) => urlKey).filter((key) => key !== "");
  const rows = await selectTaken(
    store,
    keys.map((key) => [key]),
    { accountId },
  );
  return new Map(rows as [key: string, id: string][]);
}

const selectTaken = onRows(
  { given_key: "text" },
  (rows) => sql`
    select url_key, id from ${links}
    where account_id = ${sql.placeholder("accountId")} and url_key in (select given_key from ${rows} as given)
  `,
);

const refusal = (problems: FieldProblems, place: "alone" | "list") =>
  place === "list" ? invalid(problems, "The item is not valid.") : invalid(problems);

const duplicate = (details: { existingId: string } | { firstIndex: number }) =>
  conflict("This URL is already monitored.", { reason: "duplicate_url", ...details });

const NAMES: Record<string, string> = {
  url: "The URL",
  check_frequency: "The frequency",
  group_id: "The group:",
};

/** Describes an error in sentences, each of which begins with the name of a field. */
export function reasonOf({ message, details }: AppError): string {
  const entries = Object.entries((details?.fields ?? {}) as FieldProblems);
  if (entries.length === 0) return message;
  return entries
    .map(([name, problems]) => `${NAMES[name] ?? name} ${problems.join(", ")}.`)
    .join(" ");
}
