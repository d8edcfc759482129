import { and, eq, getTableColumns, inArray, sql } from "drizzle-orm";
import { auditChange, linkTarget } from "../accounts/audit.ts";
import { queueAssignedMails } from "../accounts/mails.ts";
import { findPeople, noSuchPerson } from "../accounts/people.ts";
import { takeNumbers, totalLinks } from "../ground/db/queries.ts";
import { onRows, type Store } from "../ground/db/store.ts";
import { allLinks, groups, type LinkRow } from "../ground/db/tables.ts";
import {
  AppError,
  conflict,
  type FieldProblems,
  invalid,
  limitReached,
} from "../ground/lib/errors.ts";
import { problemsOf } from "../ground/lib/fields.ts";
import { newId, parseId } from "../ground/lib/ids.ts";
import { toIso } from "../ground/lib/moments.ts";
import { siteOfUrl } from "../ground/lib/site.ts";
import { chunksOf, yieldToEventLoop } from "../ground/lib/steps.ts";
import { parseTarget } from "../ground/net/policy.ts";
import type { Caller } from "../http/caller.ts";
import { newFragment } from "../judge/fragments.ts";
import { serviceIdOf, urlKeyOf } from "../judge/services/catalogue.ts";
import { type NewEvent, publishEvents, readSubscriptions } from "../notify/events.ts";
import { type Deps, type SaveReply, saveNoReply } from "../work/deps.ts";
import { bucketOfUrl } from "../work/nodes.ts";
import { makeChange, type Unit } from "../work/unit.ts";
import { domainOfLink } from "./domains/facts.ts";
import { countByAssignee } from "./fields/assignee.ts";
import { withDetails, writeDetails } from "./fields/details.ts";
import { duplicateId, findTakenIds } from "./fields/external-id.ts";
import type { EditContext } from "./fields/field.ts";
import {
  detailsAfter,
  entriesOf,
  type LinkDetails,
  NO_DETAILS,
  problemsIn,
} from "./fields/registry.ts";
import { insertFullBatch } from "./fill-batches.ts";
import { addFragments, addToExisting, fragmentOf } from "./fragments.ts";
import { findLinkDetail } from "./links.ts";
import { type LinkDetailRow, NewLink } from "./model.ts";
import { findRetired, returnExternalIds } from "./retired.ts";
import { inheritMutes } from "./triage/inherit.ts";
import { recordActions } from "./triage/timeline.ts";

/** Rows of one insert statement: more would hold the event loop for longer. */
const ROWS = 100;

/** A new link with what is known of it. Or one that was retired, as it was. */
export type CreatedLink = LinkRow & { details: LinkDetails; returned?: true };

/** The result of one item, in the order of the request. */
export type ItemResult = { link: CreatedLink } | { url: unknown; error: AppError };

/** `batchId` is null when no link was created. */
export type BatchCreation = { batchId: string | null; results: ItemResult[] };

/** The result of one item of a preview: the URL as it would be stored, or the error. */
export type Preview = { url: string; service: string } | { url: unknown; error: AppError };

/**
 * Adds a link. The fragment of a URL that is refused because a link has the same without it is added to that link.
 * @throws what `createLink` throws
 */
export async function addLink(
  deps: Deps,
  caller: Caller,
  input: unknown,
  saveReply: SaveReply<LinkDetailRow>,
): Promise<LinkDetailRow> {
  try {
    return await makeChange(deps, caller, async (unit) => {
      const link = await createLink(unit, caller, input);
      await saveReply(unit.store, link);
      return link;
    });
  } catch (error) {
    const url = URL.parse(String((input as { url?: unknown } | null)?.url).trim());
    const fragment = url && fragmentOf(deps.catalogue, url);
    if (fragment !== null && error instanceof AppError)
      await makeChange(deps, caller, ({ store }) =>
        addToExisting(store, caller, [{ fragment, error }]),
      );
    throw error;
  }
}

/** @throws VALIDATION_ERROR with every problem at once; CONFLICT for a known URL or at the limit */
export async function createLink(
  unit: Unit,
  caller: Caller,
  input: unknown,
): Promise<LinkDetailRow> {
  const items = await readItems(unit, caller, [input]);
  const judged = await judgeItems(unit, caller, items, { place: "alone" });
  const [result] = await toResults(unit, caller, judged, { trigger: "initial" });
  if (!result || "error" in result) throw result?.error;
  const { link } = result;
  await insertLinks(unit, caller, [link], null);
  if (link.returned) return findLinkDetail(unit, caller, link.id);
  const domain = await domainOfLink(unit.store, link.url);
  return { ...link, previousUrls: [], lastChange: null, domain };
}

/** Creates a link for each valid item and reports the errors of the others. */
export async function createLinks(
  deps: Deps,
  caller: Caller,
  inputs: unknown[],
  saveReply: SaveReply<BatchCreation> = saveNoReply,
): Promise<BatchCreation> {
  const items = await readItems(deps, caller, inputs);
  return makeChange(deps, caller, async (unit) => {
    const judged = await judgeItems(unit, caller, items, { place: "list" });
    const results = await toResults(unit, caller, judged);
    const rows = results.flatMap((result) => ("link" in result ? [result.link] : []));
    const batchId = rows.length > 0 ? newId() : null;
    await insertLinks(unit, caller, rows, batchId);
    await addFragmentsOf(unit, caller, items, results);
    if (batchId) await insertFirstChecks(unit, caller, batchId, rows);
    const creation = { batchId, results };
    await saveReply(unit.store, creation);
    return creation;
  });
}

/** Adds the fragments of URLs that other links have without them to those links. */
async function addFragmentsOf(
  { store: tx, catalogue }: Deps,
  caller: Caller,
  items: ReadItem[],
  results: ItemResult[],
): Promise<void> {
  const refused = results.flatMap((result, i) => {
    const item = items[i]!;
    const fragment = "url" in item && "error" in result ? fragmentOf(catalogue, item.url) : null;
    return fragment === null ? [] : [{ fragment, error: (result as { error: AppError }).error }];
  });
  await addToExisting(tx, caller, refused);
  const wanted = refused.flatMap(({ fragment, error: { details } }) => {
    const first = results[Number(details?.firstIndex ?? -1)];
    const isSame = details?.reason === "duplicate_url" && first && "link" in first;
    return isSame ? [{ no: first.link.no, fragment }] : [];
  });
  await addFragments(tx, caller, wanted, true);
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

/** How links are created, if not by a request for several. */
type Creation = {
  trigger?: "initial" | "batch";
  /** When the first check of the nth of them is due; now by default. */
  dueAt?: (n: number) => number;
  /** Whether links that return keep their group and frequency. */
  keepsReturned?: boolean;
  isAudited?: boolean;
};

/** Creates links for items of a request that were read before, in a change of the account. They belong to no batch. */
export async function createAmong(
  within: Deps,
  caller: Caller,
  items: ReadItem[],
  creation: Creation = {},
): Promise<ItemResult[]> {
  const judged = await judgeItems(within, caller, items, { place: "list" });
  const results = await toResults(within, caller, judged, creation);
  const rows = results.flatMap((result) => ("link" in result ? [result.link] : []));
  await insertLinks(within, caller, rows, null, creation);
  return results;
}

/** Makes a row of each accepted item. Only new links use up numbers. */
async function toResults(
  deps: Deps,
  caller: Caller,
  judged: JudgedItem[],
  { trigger = "batch", dueAt = deps.clock.now, keepsReturned = false }: Creation = {},
): Promise<ItemResult[]> {
  const accepted = judged.filter((item): item is AcceptedItem => !("error" in item));
  const keys = accepted.map(({ urlKey }) => urlKey);
  const retired = await findRetired(deps.store, caller.accountId, keys);
  const count = accepted.length - retired.size;
  let no = count > 0 ? await takeNumbers(deps.store, count) : 0;
  let n = 0;
  return judged.map((item) => {
    if ("error" in item) return { url: item.given, error: item.error };
    const returned = retired.get(item.urlKey);
    const fresh = { no: returned?.no ?? no, trigger, nextCheckAt: dueAt(n++) };
    if (!returned) no++;
    const row = toRow(deps, caller, item, fresh);
    return { link: returned ? asReturned(row, returned, keepsReturned) : row };
  });
}

/** The row that a retired link had, due as a new link. */
function asReturned(row: CreatedLink, before: LinkRow, keeps: boolean): CreatedLink {
  const { groupId, checkFrequency } = keeps ? before : row;
  return {
    ...before,
    nextCheckAt: row.nextCheckAt,
    nextTrigger: row.nextTrigger,
    updatedAt: row.updatedAt,
    service: row.service,
    details: row.details,
    groupId,
    checkFrequency,
    aliveResponse: null,
    deadResponse: null,
    retiredAt: 0,
    returned: true,
  };
}

function toRow(
  { clock, catalogue }: Deps,
  { accountId, accountNo, by }: Caller,
  { fields, url, urlKey, named }: AcceptedItem,
  fresh: Pick<LinkRow, "no" | "nextCheckAt"> & { trigger: "initial" | "batch" },
): CreatedLink {
  const { no, trigger, nextCheckAt } = fresh;
  const now = clock.now();
  const fragment = fragmentOf(catalogue, url);
  const fragments = fragment === null ? [] : [newFragment(fragment, true)];
  const details = { ...detailsOf(fields, named, { now, by }), fragments };
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
    nextCheckAt,
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
    handling: details.handling,
    retiredAt: 0,
    details,
  };
}

/** What is noted and decided about a new link, and its group's schedule. */
const detailsOf = (
  fields: NewLink,
  { assignee, schedule }: Named,
  context: Pick<EditContext, "now" | "by">,
): LinkDetails =>
  detailsAfter({ ...NO_DETAILS, schedule }, fields, {
    ...context,
    people: new Map(assignee ? [[fields.assignee_id ?? "", assignee]] : []),
  });

async function insertLinks(
  deps: Deps,
  caller: Caller,
  rows: CreatedLink[],
  batchId: string | null,
  { isAudited = true }: Creation = {},
): Promise<void> {
  const { store: tx } = deps;
  const target = linkTarget(rows);
  if (isAudited)
    await auditChange(deps, caller, { action: "link.created", target, count: rows.length });
  const returned = rows.filter((row) => row.returned);
  const nos = returned.map(({ no }) => no);
  if (nos.length > 0) await tx.delete(allLinks).where(inArray(allLinks.no, nos));
  await insertRows(tx, rows);
  await addFragments(
    tx,
    caller,
    rows.flatMap(({ no, details }) => details.fragments.map(({ fragment }) => ({ no, fragment }))),
    true,
  );
  const known = await welcomeBack(tx, returned);
  await writeDetails(
    tx,
    caller,
    rows.map(({ no, details }) => ({ no, before: known.get(no) ?? NO_DETAILS, after: details })),
    deps.clock.now(),
  );
  await recordActions(
    tx,
    // A link that returns was created long ago.
    rows.flatMap(({ no, updatedAt: at, details }) => {
      const changed = details.handling === "open" ? [] : ["handling"];
      return entriesOf(details, changed).map((entry) => ({
        ...entry,
        no,
        at,
        actor: caller.by.name,
      }));
    }),
  );
  await inherit(deps, rows);
  await queueAssignedMails(deps, caller, countByAssignee(rows.map(({ details }) => details)));
  const isWanted = await readSubscriptions(tx, [caller.accountId]);
  await publishEvents(tx, rows.map((row) => createdEvent(row, batchId)).filter(isWanted));
}

/** Mutes new links whose group or site is muted. */
async function inherit({ store, clock }: Deps, rows: CreatedLink[]): Promise<void> {
  const nos = rows.map(({ no }) => no);
  const inherited = await inheritMutes(store, nos, clock.now());
  for (const row of rows) {
    const muted = inherited.get(row.no);
    if (!muted) continue;
    row.handling = "muted";
    row.details = {
      ...row.details,
      handling: "muted",
      handledAt: muted.at,
      handledBy: muted.by,
      mutedUntil: muted.until,
      mutedFrom: muted.kind,
    };
  }
}

/** What is known of links that return counts where the request says nothing. */
async function welcomeBack(tx: Store, returned: CreatedLink[]): Promise<Map<number, LinkDetails>> {
  if (returned.length === 0) return new Map();
  await returnExternalIds(
    tx,
    returned.map(({ no }) => [no]),
  );
  const known = new Map((await withDetails(tx, returned)).map(({ no, details }) => [no, details]));
  for (const row of returned) {
    const asked = Object.entries(row.details).filter(
      ([name, value]) => !Bun.deepEquals(value, NO_DETAILS[name as keyof LinkDetails]),
    );
    row.details = { ...known.get(row.no)!, ...Object.fromEntries(asked) };
    row.handling = row.details.handling;
  }
  return known;
}

const COLUMNS = Object.entries(getTableColumns(allLinks));
const NAMES_OF_COLUMNS = sql.raw(COLUMNS.map(([, { name }]) => name).join(", "));

/** Inserts rows with all their columns. */
export async function insertRows(tx: Store, rows: LinkRow[]): Promise<void> {
  for (const some of chunksOf(ROWS, rows)) await insertCells(tx, some.map(cellsOf));
}

const insertCells = onRows(
  Object.fromEntries(
    COLUMNS.map(([, { name, dataType }]) => [name, dataType === "string" ? "text" : "bigint"]),
  ),
  (rows) => sql`
    insert into ${allLinks} (${NAMES_OF_COLUMNS}) select ${NAMES_OF_COLUMNS} from ${rows} as fresh
  `,
);

function cellsOf(row: LinkRow) {
  const cells = [];
  for (const [name] of COLUMNS) cells.push(row[name as keyof LinkRow]);
  return cells;
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

const createdEvent = (row: CreatedLink, batchId: string | null): NewEvent => ({
  type: "link.created",
  about: { groupId: row.groupId, service: row.service, reason: null },
  accountId: row.accountId,
  at: row.updatedAt,
  data: {
    linkId: row.id,
    url: row.url,
    groupId: row.groupId,
    service: row.service,
    checkFrequency: row.checkFrequency,
    status: row.status,
    createdAt: toIso(row.createdAt),
    batchId,
    ...(row.returned && { returned: true as const }),
  },
});

/** Takes about 3 ms. */
const READ_AT_ONCE = 200;

/** An item as it would be stored, or the problems of its fields. */
export type ReadItem = { input: unknown } & (
  | { fields: NewLink; url: URL; named: Named }
  | { problems: FieldProblems }
);

/** The person and the group's schedule that the ids of an item stand for. */
type Named = Pick<LinkDetails, "assignee" | "schedule">;

/** An item that may become a link. `given` is its URL as it was sent. */
type AcceptedItem = { given: unknown; fields: NewLink; url: URL; urlKey: string; named: Named };
type JudgedItem = AcceptedItem | { given: unknown; error: AppError };

/** Validates each item separately. The groups that items name are looked up in one query. */
export async function readItems(
  deps: Deps,
  caller: Caller,
  inputs: unknown[],
): Promise<ReadItem[]> {
  const named = new Set(inputs.map(groupIdIn).filter((id) => id !== null));
  const known = {
    groups: await existingGroups(deps, caller.accountId, [...named]),
    people: inputs.some(hasAssignee) ? await findPeople(deps, caller) : new Map(),
  };
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
  const takenIds = await findTakenIds(deps.store, caller, items.flatMap(externalIdOf));
  const limit = deps.config.tierLimits[caller.tier].links;
  const firstIndex = new Map<string, number>();
  const firstWithId = new Map<string, number>();
  let used = (await totalLinks(deps, caller.accountNo)).total + already;
  return keyed.map(({ item, urlKey }, index): JudgedItem => {
    const given = (item.input as { url?: unknown } | null)?.url ?? null;
    if ("problems" in item) return { given, error: refusal(item.problems, place) };
    const known = taken.get(urlKey);
    if (known) return { given, error: duplicateUrl({ existingId: known }) };
    const first = firstIndex.get(urlKey);
    if (first !== undefined) return { given, error: duplicateUrl({ firstIndex: first }) };
    const { external_id: externalId } = item.fields;
    const existingId = takenIds.get(externalId ?? "");
    if (existingId) return { given, error: duplicateId({ existingId }) };
    const withId = firstWithId.get(externalId ?? "");
    if (withId !== undefined) return { given, error: duplicateId({ firstIndex: withId }) };
    if (used >= limit) return { given, error: limitReached("links", limit, used) };
    firstIndex.set(urlKey, index);
    if (externalId) firstWithId.set(externalId, index);
    used++;
    return { given, fields: item.fields, url: item.url, urlKey, named: item.named };
  });
}

/** The `group_id` of an input, even if the rest of the input is invalid. */
export function groupIdIn(input: unknown): string | null {
  const id = (input as { group_id?: unknown } | null)?.group_id;
  return typeof id === "string" ? parseId(id) : null;
}

const externalIdOf = (item: ReadItem): string[] =>
  "fields" in item && item.fields.external_id ? [item.fields.external_id] : [];

/** Whether an input names a person. */
export const hasAssignee = (input: unknown) =>
  Boolean((input as { assignee_id?: unknown } | null)?.assignee_id);

/** The groups of the account among the ids, with their schedules. Groups of other accounts are treated as missing. */
export async function existingGroups(
  { store }: Pick<Deps, "store">,
  accountId: string,
  ids: string[],
): Promise<Map<string, LinkDetails["schedule"]>> {
  if (ids.length === 0) return new Map();
  const rows = await store
    .select({ id: groups.id, cron: groups.cron, timeZone: groups.timeZone })
    .from(groups)
    .where(and(eq(groups.accountId, accountId), inArray(groups.id, ids)));
  return new Map(
    rows.map(({ id, cron, timeZone }) => [
      id,
      cron === null ? null : { cron, timeZone: timeZone!, from: "group" },
    ]),
  );
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

type Known = {
  groups: Awaited<ReturnType<typeof existingGroups>>;
  people: Awaited<ReturnType<typeof findPeople>>;
};

function readItem({ config, clock }: Deps, input: unknown, known: Known): ReadItem {
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
  if (groupId && !known.groups.has(groupId)) problems.group_id = ["no such group"];
  const assigneeId = shape.data?.assignee_id;
  const assignee = assigneeId ? known.people.get(assigneeId) : null;
  if (assignee === undefined) problems.assignee_id = [noSuchPerson(assigneeId!)];
  if (shape.success) Object.assign(problems, problemsIn(shape.data, clock.now()));
  if (!shape.success || !target?.ok || assignee === undefined || Object.keys(problems).length > 0)
    return { input, problems };
  const named = { assignee, schedule: known.groups.get(groupId ?? "") ?? null };
  return { input, fields: shape.data, url: target.url, named };
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
    select url_key, id from watched_links as links
    where account_id = ${sql.placeholder("accountId")} and url_key in (select given_key from ${rows} as given)
  `,
);

const refusal = (problems: FieldProblems, place: "alone" | "list") =>
  place === "list" ? invalid(problems, "The item is not valid.") : invalid(problems);

/** The error for a URL that another link has, or another item of the same request. */
export const duplicateUrl = (details: { existingId: string } | { firstIndex: number }) =>
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
