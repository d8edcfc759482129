import { and, eq, inArray, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import leven from "leven";
import * as z from "zod";
import { findPeople, noSuchPerson } from "../accounts/people.ts";
import { totalLinks } from "../ground/db/queries.ts";
import type { Store } from "../ground/db/store.ts";
import { groups, links, webhookFilters } from "../ground/db/tables.ts";
import { invalid } from "../ground/lib/errors.ts";
import { id, text } from "../ground/lib/fields.ts";
import { parseId } from "../ground/lib/ids.ts";
import { type FILTER_FIELDS, LINK_CHANGE_KINDS } from "../ground/lib/vocabulary.ts";
import type { Caller } from "../http/caller.ts";
import { REASONS } from "../judge/reasons/reasons.ts";
import type { Deps } from "../work/deps.ts";

/**
 * Narrows what a webhook gets about links: all fields that have values must match, each by any of its values. Null is
 * any.
 */
export type Filter = {
  group_ids: string[] | null;
  services: string[] | null;
  reasons: string[] | null;
  tags: string[] | null;
  /** The id of a person, or `none`. */
  assignee: string | null;
  /** Of `link.changed`; null is what people and programs changed. */
  kinds: string[] | null;
};

type Field = (typeof FILTER_FIELDS)[number];

const FIELDS: Record<keyof Filter, Field> = {
  group_ids: "group",
  services: "service",
  reasons: "reason",
  tags: "tag",
  assignee: "assignee",
  kinds: "kind",
};

const KEYS = Object.keys(FIELDS) as (keyof Filter)[];

/** Of the column `filters`. */
const BITS: Record<Field, number> = {
  group: 1,
  service: 2,
  reason: 4,
  tag: 8,
  assignee: 16,
  kind: 32,
};

const MOST_VALUES = 50;
/** For links that are in no group. */
const NO_GROUP = "none";
/** For links that are assigned to no one. */
const NO_ASSIGNEE = "none";

const LONGEST = 100;

const values = (value: z.ZodType<string, string> = text(LONGEST)) =>
  z
    .array(value, "must be a list")
    .min(1, "must have at least one value; leave it out for any")
    .max(MOST_VALUES, `must have at most ${MOST_VALUES} values`)
    .transform((given) => [...new Set(given)])
    .nullable()
    .optional();

const FAMILIES = [...new Set(REASONS.map(familyOf))];

/** The codes that begin with the same word, such as `http_*`. */
function familyOf(reason: string): string {
  return `${reason.split("_", 1)[0]}_*`;
}

const oneOfMany = (known: readonly string[]) =>
  text(LONGEST).superRefine((given, context) => {
    if (known.includes(given)) return;
    const nearest = known.toSorted((a, b) => leven(given, a) - leven(given, b))[0];
    context.addIssue(`has no "${given}"; did you mean "${nearest}"?`);
  });

const reason = () => oneOfMany([...REASONS, ...FAMILIES]);

const tag = () => text(LONGEST).transform((given) => given.normalize("NFC").toLowerCase());

const groupId = () =>
  text(LONGEST).transform((given, context) => {
    const id = given === NO_GROUP ? NO_GROUP : parseId(given);
    if (id === null) context.addIssue(`must be ids of groups, or "${NO_GROUP}"`);
    return id ?? given;
  });

const PERSON = 'must be the id of a person, "me" or "none"';
const assignee = () =>
  z
    .union([z.literal("me"), z.literal(NO_ASSIGNEE), id(PERSON)], { error: PERSON })
    .meta({ description: "A person's id, `none`, or `me`, which is kept as your id." });

/** A filter in a body. */
export const FilterBody = z
  .looseObject(
    {
      group_ids: values(groupId()),
      services: values(),
      reasons: values(reason()),
      tags: values(tag()),
      assignee: assignee().nullable().optional(),
      kinds: values(oneOfMany(LINK_CHANGE_KINDS)).meta({
        description:
          "What `link.changed` is sent for. Null: only `edited`. Says nothing about other events.",
      }),
    },
    "must be an object",
  )
  .superRefine((given, context) => {
    const unknown = Object.keys(given).filter((key) => !(key in FIELDS));
    const message = `is not a field of a filter; there are ${KEYS.join(", ")}`;
    for (const key of unknown) context.addIssue({ code: "custom", path: [key], message });
  })
  .transform(({ group_ids, services, reasons, tags, assignee, kinds }) => ({
    group_ids,
    services,
    reasons,
    tags,
    assignee,
    kinds,
  }))
  .meta({
    example: {
      group_ids: ["none"],
      services: null,
      reasons: ["http_404", "soft404_*"],
      tags: ["docs"],
      assignee: null,
      kinds: null,
    },
  });
export type FilterBody = { [K in keyof Filter]?: Filter[K] | undefined };

/** A filter in a reply. */
export const FilterRecord = z.object({
  group_ids: z.array(z.string()).nullable(),
  services: z.array(z.string()).nullable(),
  reasons: z.array(z.string()).nullable(),
  tags: z.array(z.string()).nullable(),
  assignee: z.string().nullable(),
  kinds: z.array(z.string()).nullable(),
}) satisfies z.ZodType<Filter>;

/**
 * Refuses groups and people that the account does not have. Those that are deleted later stay named and match nothing.
 * @param before the filter that is changed
 * @returns the filter with the id of its assignee
 * @throws VALIDATION_ERROR
 */
export async function resolveFilter<F extends FilterBody | null>(
  deps: Pick<Deps, "store">,
  caller: Pick<Caller, "accountId" | "by">,
  filter: F,
  before: Filter | null = null,
): Promise<F> {
  await refuseForeignGroups(deps, caller, filter, before);
  const named = filter?.assignee;
  if (!named || named === NO_ASSIGNEE || named === before?.assignee) return filter;
  const person = (await findPeople(deps, caller)).get(named);
  if (!person) throw invalid({ "filter.assignee": [noSuchPerson(named)] });
  return { ...filter, assignee: person.id };
}

async function refuseForeignGroups(
  { store }: Pick<Deps, "store">,
  { accountId }: Pick<Caller, "accountId">,
  filter: FilterBody | null,
  before: Filter | null,
): Promise<void> {
  const known = [NO_GROUP, ...(before?.group_ids ?? [])];
  const ids = (filter?.group_ids ?? []).filter((id) => !known.includes(id));
  if (ids.length === 0) return;
  const isOurs = and(eq(groups.accountId, accountId), inArray(groups.id, ids));
  const found = await store.select({ id: groups.id }).from(groups).where(isOurs);
  const missing = ids.find((id) => !found.some((group) => group.id === id));
  if (missing) throw invalid({ "filter.group_ids": [`has no such group: ${missing}`] });
}

/** Writes the filter of a webhook, in the transaction that writes the webhook, and returns its column `filters`. */
export async function writeFilter(
  tx: Store,
  webhookId: string,
  filter: FilterBody | null,
): Promise<number> {
  const rows = KEYS.flatMap((key) =>
    [filter?.[key] ?? []].flat().map((value) => ({ webhookId, field: FIELDS[key], value })),
  );
  await tx.delete(webhookFilters).where(eq(webhookFilters.webhookId, webhookId));
  if (rows.length > 0) await tx.insert(webhookFilters).values(rows);
  return bitsOf(rows);
}

const bitsOf = (rows: { field: Field }[]) =>
  rows.reduce((bits, { field }) => bits | BITS[field], 0);

/** Returns the filters of webhooks by their ids; none for those without. */
export async function readFilters(
  store: Store,
  webhookIds: string[],
): Promise<Map<string, Filter>> {
  const rows = await store
    .select()
    .from(webhookFilters)
    .where(inArray(webhookFilters.webhookId, webhookIds))
    .orderBy(webhookFilters.webhookId, webhookFilters.field, webhookFilters.value);
  const byId = Map.groupBy(rows, ({ webhookId }) => webhookId);
  return new Map([...byId].map(([id, ofWebhook]) => [id, toFilter(ofWebhook)]));
}

function toFilter(rows: { field: Field; value: string }[]): Filter {
  const valuesOf = (field: Field) => {
    const values = rows.filter((row) => row.field === field).map(({ value }) => value);
    return values.length > 0 ? values : null;
  };
  return {
    group_ids: valuesOf("group"),
    services: valuesOf("service"),
    reasons: valuesOf("reason"),
    tags: valuesOf("tag"),
    assignee: valuesOf("assignee")?.[0] ?? null,
    kinds: valuesOf("kind"),
  };
}

/** What a filter looks at. The reason of a recovery is that of the death before, or it would be lost. */
export type Filtered = { groupId: string | null; service: string; reason: string | null };

/** Of an event that is not `link.changed`. */
const NO_KIND = "";

/** Columns of events for `passesFilter`. */
export const FILTER_CELLS = {
  is_of_link: "bigint",
  group_value: "text",
  service: "text",
  reason: "text",
  family: "text",
  change: "text",
} as const;

/**
 * In the order of `FILTER_CELLS`.
 * @param about null for events that every filter passes
 * @param change what `link.changed` is sent for; null for other events
 */
export const filterCellsOf = (about: Filtered | null, change: string | null) => [
  ...(about
    ? [
        1,
        about.groupId ?? NO_GROUP,
        about.service,
        about.reason ?? "",
        about.reason ? familyOf(about.reason) : "",
      ]
    : [0, "", "", "", ""]),
  change ?? NO_KIND,
];

/** A condition: the event of the row `happened` passes the filter of the row of `webhooks`. */
export const passesFilter: SQL = sql.raw(`(
  happened.change = '${NO_KIND}' or case when (webhooks.filters & ${BITS.kind}) = 0 then happened.change = 'edited' else exists (
    select 1 from webhook_filters f where f.webhook_id = webhooks.id and f.field = 'kind' and f.value = happened.change) end
  ) and (
  webhooks.filters = 0 or happened.is_of_link = 0 or (
    ${isAny("group", "f.value = happened.group_value")}
    and ${isAny("service", "f.value = happened.service")}
    and ${isAny("reason", "f.value in (happened.reason, happened.family)")}
    and ${isAny(
      "tag",
      `exists (select 1 from link_tags join tags on tags.no = tag_no
      where link_tags.link_no = happened.link_no and tags.name = f.value)`,
    )}
    and ${isAny(
      "assignee",
      `f.value = coalesce((select assignee_id from link_details t where t.link_no = happened.link_no), '${NO_ASSIGNEE}')`,
    )}
  ))`);

function isAny(field: Field, matches: string): string {
  return `((webhooks.filters & ${BITS[field]}) = 0 or exists (
    select 1 from webhook_filters f where f.webhook_id = webhooks.id and f.field = '${field}' and ${matches}))`;
}

/** How many of the account's links pass the filter as they are now, and how many there are. */
export async function countMatches(
  deps: Pick<Deps, "store">,
  caller: Caller,
  filter: FilterBody,
): Promise<{ links: number; total: number }> {
  const wanted = await resolveFilter(deps, caller, filter);
  const { total } = await totalLinks(deps, caller.accountNo);
  const passes = linksThatPass({ ...ANY, ...given(wanted) });
  if (!passes) return { links: total, total };
  const isOurs = and(eq(links.accountNo, caller.accountNo), passes);
  const [row] = await deps.store.readPool.all<[number]>(
    sql`select count(*) from watched_links as links where ${isOurs}`,
  );
  return { links: Number(row![0]), total };
}

const ANY = Object.fromEntries(KEYS.map((key) => [key, null])) as Filter;

const given = (filter: FilterBody) =>
  Object.fromEntries(Object.entries(filter).filter(([, values]) => values)) as Partial<Filter>;

/** A condition on a reason, by its code. Undefined for a filter that passes all. */
export function reasonPasses({ reasons }: Filter, reason: SQLWrapper): SQL | undefined {
  if (!reasons) return undefined;
  const codes = REASONS.filter((code) =>
    reasons.some((each) => each === code || each === familyOf(code)),
  );
  return codes.length > 0 ? sql`${reason} in ${codes}` : sql`1 = 0`;
}

/** A condition on links: they pass the filter as they are now. Undefined for a filter that passes all. */
export function linksThatPass(filter: Filter): SQL | undefined {
  const { group_ids: ids, services, tags, assignee } = filter;
  const assigned = sql`(select assignee_id from link_details where link_no = ${links.no})`;
  const inGroups = ids?.filter((id) => id !== NO_GROUP) ?? [];
  const inGroup = inGroups.length > 0 ? inArray(links.groupId, inGroups) : sql`1 = 0`;
  const inNone = ids?.includes(NO_GROUP) ? sql`${links.groupId} is null` : sql`1 = 0`;
  return and(
    ids ? sql`(${inGroup} or ${inNone})` : undefined,
    services ? inArray(links.service, services) : undefined,
    tags
      ? sql`exists (select 1 from link_tags join tags on tags.no = tag_no
          where link_no = ${links.no} and tags.name in ${tags})`
      : undefined,
    assignee === null ? undefined : sql`coalesce(${assigned}, ${NO_ASSIGNEE}) = ${assignee}`,
    reasonPasses(filter, links.reason),
  );
}
