import { and, type SQL } from "drizzle-orm";
import type * as z from "zod";
import type { AppError, FieldProblems } from "../../ground/lib/errors.ts";
import type { Cell } from "../../ground/lib/text.ts";
import type { Verdict } from "../../ground/lib/vocabulary.ts";
import { accepted } from "./accepted.ts";
import { assignee } from "./assignee.ts";
import { expect } from "./expect.ts";
import { externalId } from "./external-id.ts";
import type { Cells, EditContext, Entry, Field, Owner } from "./field.ts";
import { fragments } from "./fragments.ts";
import { handling } from "./handling.ts";
import { identity } from "./identity.ts";
import { metadata } from "./metadata.ts";
import { note } from "./note.ts";
import { override, overrideUntil } from "./override.ts";
import { pinned } from "./pinned.ts";
import { schedule } from "./schedule.ts";
import { suggestion } from "./suggestion.ts";
import { tags } from "./tags.ts";
import { title } from "./title.ts";

/** All that people note and decide about a link, in the order of replies and exports. */
const ALL = [
  title,
  note,
  tags,
  externalId,
  assignee,
  handling,
  overrideUntil,
  schedule,
  metadata,
  override,
  expect,
  fragments,
  pinned,
  identity,
  accepted,
  suggestion,
] as const;

type Each = (typeof ALL)[number];
type Listed = Extract<Each, { isListed: true }>;

/** What all of several types have. */
type Both<T> = (T extends unknown ? (each: T) => void : never) extends (all: infer All) => void
  ? All
  : never;

/** What is known of a link beyond its row. */
export type LinkDetails = Both<ReturnType<Each["read"]>>;

/** What lists show of it. */
export type ListedDetails = Both<ReturnType<Listed["read"]>>;

type Part = "shown" | "creating" | "changing" | "changingMany" | "filters";
type ShapeOf<Key extends Part, Of extends Each = Each> = Both<
  Of extends unknown ? NonNullable<Of[Key]> : never
>;

/** A field whichever it is: it reads and writes its part of all details. */
type AnyField = Field<LinkDetails, boolean, Shape, Shape, Shape, Shape, Shape>;
type Shape = z.ZodRawShape;

export const FIELDS = ALL as unknown as readonly AnyField[];
export const LISTED = FIELDS.filter(({ isListed }) => isListed);

/** Puts together what fields have under a name. Those that are listed twice have their first place. */
const together = <Together>(key: keyof AnyField, fields: readonly (Each | AnyField)[]): Together =>
  Object.assign({}, ...fields.map((each) => each[key]));

const ALONE = FIELDS.filter(({ isListed }) => !isListed);

/** What the API shows of links in lists, and only of one link. */
export const SHOWN_IN_LISTS: ShapeOf<"shown", Listed> = together("shown", LISTED);
export const SHOWN_ALONE: ShapeOf<"shown", Exclude<Each, Listed>> = together("shown", ALONE);
export const EXAMPLE_IN_LISTS: object = together("example", LISTED);
export const EXAMPLE_ALONE: object = together("example", ALONE);

/** What the API takes. Documents name decisions first. */
export const CREATING: ShapeOf<"creating"> = together("creating", [handling, ...ALL]);
export const CHANGING: ShapeOf<"changing"> = together("changing", [handling, ...ALL]);
const MANY_FIRST = [handling, assignee, schedule, pinned];
export const CHANGING_MANY: ShapeOf<"changingMany"> = together("changingMany", [
  ...MANY_FIRST,
  ...ALL,
]);
const FILTERS_FIRST = [handling, assignee, overrideUntil, externalId];
export const FILTERS: ShapeOf<"filters"> = together("filters", [...FILTERS_FIRST, ...ALL]);

type Edit = Partial<z.output<z.ZodObject<ShapeOf<"changing"> & ShapeOf<"changingMany">>>>;
type Filter = z.output<z.ZodObject<typeof FILTERS>>;

/** The columns of `link_details` that people's words are stored in. */
export const COLUMNS: Readonly<Record<string, "text" | "bigint">> = together("columns", FIELDS);

export const detailsIn = (cells: Cells, fields = FIELDS): LinkDetails =>
  Object.assign({}, ...fields.map((each) => each.read(cells)));

/** Expressions on the tables that details are read from, by the names of cells. */
export const expressionsOf = (fields: typeof FIELDS): Record<string, string> =>
  Object.assign(
    {},
    ...fields.map(({ columns, joined }) => ({
      ...Object.fromEntries(Object.keys(columns).map((name) => [name, `details.${name}`])),
      ...joined,
    })),
  );

/** The details of a link about which nothing was said. */
export const NO_DETAILS = detailsIn(
  Object.fromEntries(Object.keys(expressionsOf(FIELDS)).map((name) => [name, null])),
);

export const cellsOf = (details: LinkDetails): Cells =>
  Object.assign({}, ...FIELDS.map((each) => each.write(details)));

export const shownInLists = (details: ListedDetails): z.input<z.ZodObject<typeof SHOWN_IN_LISTS>> =>
  Object.assign({}, ...LISTED.map((each) => each.show(details as LinkDetails)));

export const shownAlone = (details: LinkDetails): z.input<z.ZodObject<typeof SHOWN_ALONE>> =>
  Object.assign({}, ...ALONE.map((each) => each.show(details)));

/** What is wrong in itself with a new link or a change. */
export const problemsIn = (given: Edit, now: number): FieldProblems =>
  Object.assign({}, ...FIELDS.map((each) => each.problems?.(given, now)));

export const detailsAfter = (before: LinkDetails, edit: Edit, context: EditContext): LinkDetails =>
  Object.assign({}, before, ...FIELDS.map((each) => each.after?.(before, edit, context)));

/** The names of the fields that differ. */
export const changedBetween = (before: LinkDetails, after: LinkDetails): string[] =>
  FIELDS.flatMap(({ compared = {} }) =>
    Object.entries(compared).flatMap(([name, of]) =>
      Bun.deepEquals(of(before), of(after)) ? [] : [name],
    ),
  );

/** Why a link cannot get such details; null if it can. */
export function refusalOf(
  after: LinkDetails,
  link: { status: Verdict; changed: string[] },
): AppError | null {
  for (const each of FIELDS) {
    const refusal = each.refusal?.(after, link);
    if (refusal) return refusal;
  }
  return null;
}

/** The entries of the timeline for changed fields: their own ones, and one that names the others. */
export function entriesOf(after: LinkDetails, changed: string[]): Entry[] {
  const own = FIELDS.filter(
    ({ entry, compared = {} }) => entry && changed.some((name) => name in compared),
  );
  const others = changed.filter((name) => !own.some(({ compared = {} }) => name in compared));
  const entries = own.map((each) => each.entry!(after));
  if (others.length > 0) entries.push({ kind: "changed", detail: others.join(", ") });
  return entries;
}

type Exported = { cell: (details: LinkDetails) => Cell; example: string };
const EXPORTED: [name: string, Exported][] = Object.entries(together("exported", FIELDS));

/** The columns of exports, with a cell of each as an example. */
export const EXPORTED_NAMES = EXPORTED.map(([name]) => name);
export const EXPORTED_EXAMPLE = EXPORTED.map(([, { example }]) => example);
export const exportedCells = (details: LinkDetails): Record<string, Cell> =>
  Object.fromEntries(EXPORTED.map(([name, { cell }]) => [name, cell(details)]));

/** What a file for `apply` says of links, by the names of the API. */
export const declaredOf = (details: LinkDetails): Record<string, unknown> =>
  Object.assign({}, ...FIELDS.map((each) => each.declared?.(details)));

/** What such a file may say. The type has more, which it may not. */
export const DECLARED = Object.fromEntries(
  Object.keys(declaredOf(NO_DETAILS)).map((name) => [
    name,
    CHANGING[name as keyof typeof CHANGING],
  ]),
) as typeof CHANGING;

/** The conditions on links of a filter, each of which an index finds. */
export const matchingDetails = (filter: Filter, owner: Owner): SQL | undefined =>
  and(...FIELDS.map((each) => each.condition?.(filter, owner)));

/** Whether a filter leaves few links, which an index finds. */
export const leavesFew = (filter: Filter): boolean => FIELDS.some((each) => each.isFew?.(filter));

/** What lists of a filter are read from, if a field has it, and the filter without that field. */
export function leadingIn<T extends Filter>(
  filter: T,
  owner: Owner,
): { numbers: SQL; rest: T } | undefined {
  for (const { leading, filters = {} } of FIELDS) {
    const numbers = leading?.(filter, owner);
    if (!numbers) continue;
    const without = Object.fromEntries(Object.keys(filters).map((name) => [name, undefined]));
    return { numbers, rest: { ...filter, ...without } };
  }
  return undefined;
}

/** The columns in which `search_in=all` searches. */
export const SEARCHED = FIELDS.flatMap(({ searched = [] }) => searched);
