/** Fields with a text that is taken as it is, by the names of the API, and the columns of lists that have them. */
export const TEXTS = {
  external_id: ["external_id", "ref"],
};
const TEXT_NAMES = Object.keys(TEXTS) as (keyof typeof TEXTS)[];

const textsBy = <T>(of: (name: keyof typeof TEXTS) => T) =>
  Object.fromEntries(TEXT_NAMES.map((name) => [name, of(name)])) as Record<keyof typeof TEXTS, T>;

/** What a list says of a link, as far as it can be read. The server validates it. */
export type Noted = { [Name in keyof typeof TEXTS]?: string } & {
  title?: string;
  note?: string;
  tags?: string[];
  metadata?: Record<string, string>;
  check_schedule?: { cron: string; time_zone?: string };
};

/** What people decided about a link. The assignee is an e-mail address. */
export type Decided = { handling?: string; muted_until?: string; assignee?: string };

/** What a list says and the link does not get. `why` ends a sentence that begins with the field. */
export type NotKept = { field: string; why: string };

/** The fields of `Noted`, as a mask of the fields of a link. */
export const NOTED = {
  title: true,
  note: true,
  tags: true,
  metadata: true,
  check_schedule: true,
  ...textsBy(() => true as const),
} as const;

/** Cells of a list by the names of our columns. */
export type Cells = Partial<Record<keyof Noted | keyof Decided | "time_zone", unknown>>;

/** What was read of the cells of one link. Empty parts are left out, since a list may have a million links. */
export type Notes = { noted?: Noted; decided?: Decided; notKept?: NotKept[] };

/** Longer than anything that the server takes. */
const LONGEST = 50_000;

class Unusable extends Error {}

/** Reads cells, which may be text or JSON. Empty cells say nothing. */
export function notesIn(cells: Cells): Notes {
  // Most lists say nothing, and may be long.
  if (Object.values(cells).every(isNothing)) return {};
  const notKept: NotKept[] = [];
  const read = <T>(field: keyof Cells, as: (value: unknown) => T): T | undefined => {
    const value = cells[field];
    if (isNothing(value)) return undefined;
    try {
      if (JSON.stringify(value).length > LONGEST) throw new Unusable("is too long");
      return as(value);
    } catch (error) {
      if (!(error instanceof Unusable)) throw error;
      notKept.push({ field, why: error.message });
      return undefined;
    }
  };
  const noted = present<Noted>({
    title: read("title", (value) => plainText(value).replace(/\s+/g, " ")),
    note: read("note", (value) => plainText(value).replace(/\r\n?/g, "\n").replaceAll("\t", " ")),
    tags: read("tags", tagsIn),
    ...textsBy((name) => read(name, plainText)),
    metadata: read("metadata", metadataIn),
    check_schedule: read("check_schedule", (value) => scheduleIn(value, cells.time_zone)),
  });
  if (isNothing(cells.check_schedule)) read("time_zone", refuseLoneZone);
  const decided = present<Decided>({
    handling: read("handling", (value) => plainText(value).toLowerCase()),
    muted_until: read("muted_until", plainText),
    assignee: read("assignee", (value) => plainText(partOf(value, "email"))),
  });
  return {
    ...(noted && { noted }),
    ...(decided && { decided }),
    ...(notKept.length > 0 && { notKept }),
  };
}

/** Whether a value says nothing: empty, or not there. */
export function isNothing(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  if (typeof value === "string") return value.trim() === "";
  return typeof value === "object" && Object.keys(value).length === 0;
}

/** The entries that have a value; undefined if there are none. */
function present<T extends object>(given: { [Name in keyof T]: T[Name] | undefined }) {
  const entries = Object.entries(given).filter(([, value]) => value !== undefined);
  return entries.length > 0 ? (Object.fromEntries(entries) as T) : undefined;
}

function plainText(value: unknown): string {
  if (typeof value === "string") return value.trim();
  if (typeof value === "number") return String(value);
  throw new Unusable("is not text");
}

const partOf = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null && name in value
    ? (value as Record<string, unknown>)[name]
    : value;

/** A tag of another program may have a value: "team: docs". */
function tagsIn(value: unknown): string[] | undefined {
  const list = typeof value === "string" && value.trim().startsWith("[") ? parsed(value) : value;
  const given = Array.isArray(list) ? list.map(tagIn) : plainText(value).split(/[;,]/);
  const tags = given.map((tag) => tag.trim()).filter((tag) => tag !== "");
  return tags.length > 0 ? tags : undefined;
}

function tagIn(tag: unknown): string {
  const value = partOf(tag, "value");
  const name = plainText(partOf(tag, "name"));
  return value === tag || isNothing(value) ? name : `${name}: ${plainText(value)}`;
}

function metadataIn(value: unknown): Record<string, string> {
  const record = typeof value === "string" ? parsed(value) : value;
  if (typeof record !== "object" || record === null || Array.isArray(record))
    throw new Unusable("is not a JSON object");
  return record as Record<string, string>;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** In a reply of the API, a link may show the schedule of its group. */
function scheduleIn(value: unknown, timeZone: unknown): Noted["check_schedule"] {
  if (partOf(value, "from") === "group") return undefined;
  const zone = partOf(value, "time_zone");
  const given = zone === value ? timeZone : zone;
  return {
    cron: plainText(partOf(value, "cron")),
    ...(!isNothing(given) && { time_zone: plainText(given) }),
  };
}

function refuseLoneZone(): void {
  throw new Unusable("has no check_schedule");
}

/** A link of a list with what is not kept of it. */
type WithNotes<T> = T & Notes;

/** Leaves out what people decided. Nothing is lost where that is "open". */
export function withoutDecisions<T extends Notes>(item: T, why: string): WithNotes<T> {
  const { decided, ...rest } = item;
  if (!decided) return item;
  const lost = Object.entries(decided).filter(([, value]) => value !== "open");
  return adding(rest as T, ...lost.map(([field]) => ({ field, why })));
}

export const adding = <T extends Notes>(item: T, ...more: NotKept[]): WithNotes<T> =>
  more.length === 0 ? item : { ...item, notKept: [...(item.notKept ?? []), ...more] };

/**
 * Leaves out what the server refuses of a link, so that the link is added without it.
 * @param problems by field, as errors have them
 * @returns null if it refuses anything else
 */
export function withoutRefused<T extends Notes>(
  item: T,
  problems: Record<string, string[]>,
): WithNotes<T> | null {
  const given: Record<string, unknown> = item.noted ?? {};
  const noted = structuredClone(given) as Record<string, Record<string, unknown> | undefined>;
  const lost: NotKept[] = [];
  for (const [place, texts] of Object.entries(problems)) {
    const [, field = "", part = ""] = /^([a-z_]+)[.[]?(.*?)\]?$/s.exec(place) ?? [];
    if (given[field] === undefined) return null;
    const parts = PARTS[field]?.(given[field]);
    const isPart = parts !== undefined && Object.hasOwn(parts, part);
    if (isPart) delete noted[field]?.[part];
    else delete noted[field];
    const where = isPart ? `${JSON.stringify(parts[part])} ` : part && `${part} `;
    lost.push({ field, why: `${where}${texts.join(", ")}` });
  }
  // Without the holes of deleted tags.
  const tags = (noted.tags as string[] | undefined)?.filter(() => true);
  return adding({ ...item, noted: { ...noted, ...(tags && { tags }) } }, ...lost);
}

/** The parts that can be left out one by one, and how messages name them. */
const PARTS: Record<string, (value: unknown) => Record<string, string>> = {
  tags: (tags) => Object.fromEntries(Object.entries(tags as string[])),
  metadata: (record) => Object.fromEntries(Object.keys(record as object).map((key) => [key, key])),
};

/** "title must be at most 200 characters, handling is not taken" */
export const notKeptText = (notKept: NotKept[]) =>
  notKept.map(({ field, why }) => `${field} ${why}`).join(", ");

/** The cells of a table that `notesIn` reads back. */
export function cellsOf(noted: Noted = {}): Record<string, string> {
  const { title = "", note = "", tags = [], metadata, check_schedule } = noted;
  return {
    title,
    note,
    tags: tags.join(";"),
    ...textsBy((name) => noted[name] ?? ""),
    metadata: metadata ? JSON.stringify(metadata) : "",
    check_schedule: check_schedule?.cron ?? "",
    time_zone: check_schedule?.time_zone ?? "",
  };
}
