import type { Database, Statement } from "bun:sqlite";
import { fromNearerEnd, type Window } from "../lib/paging.ts";
import { HANDLINGS, type Handling, VERDICTS } from "./tables.ts";

/** The links of a thousand numbers, newest first. Each list has one element for each link. */
export type LinkPart = {
  /** The number of changes that the database had counted when this was read. */
  changes: number;
  /** The first of the thousand numbers; `nos` are relative to it. */
  first: number;
  nos: Uint16Array;
  /** URLs in lower case, separated by line breaks. */
  text: string;
  /** Where each URL begins in `text`. */
  starts: Uint32Array;
  /** The same for titles and external ids, which a blank line has none of. */
  notes: string;
  noteStarts: Uint32Array;
  services: Uint16Array;
  statuses: Uint16Array;
  groups: Uint32Array;
  frequencies: Uint8Array;
  /** Indexes of `HANDLINGS`. */
  handlings: Uint8Array;
  /** 1 for links that are assigned. */
  assigned: Uint8Array;
  /** The numbers of tags, those of one link after another. */
  tags: Uint32Array;
  /** Where the tags of each link begin, and where the last end. */
  tagStarts: Uint32Array;
};

/** What is known of some links of a part, by their numbers. */
export type PartExtras = {
  triage: Map<number, { handling: string; isAssigned: boolean }>;
  /** In lower case. */
  notes: Map<number, string>;
  tags: Map<number, number[]>;
};

export type PartRow = [
  no: number,
  url: string,
  service: string,
  status: string,
  groupId: string | null,
  frequency: string,
];

/** The conditions on a link; `undefined` = any. Words are given by their codes. */
export type Wanted = {
  text: string | undefined;
  service: number | undefined;
  status: number | undefined;
  group: number | undefined;
  frequency: number | undefined;
  checking: { nos: Set<number>; areWanted: boolean } | undefined;
  /** Whether the text is looked for in titles and external ids as well. */
  isInTexts: boolean;
  /** An index of `HANDLINGS`. */
  handling: number | undefined;
  hasNoAssignee: boolean;
  /** The numbers of tags, all of which a link must have. */
  tags: number[];
  /** The same, of which a link must have none. */
  noTags: number[];
};

/**
 * Numbers words from 1. Words stay, since cached parts contain their numbers: there are as many as services and groups
 * that links have had since the thread started, some 100 bytes each.
 */
export function createCodes() {
  const codes = new Map<string, number>();
  return {
    of: (word: string): number => {
      const code = codes.get(word) ?? codes.size + 1;
      codes.set(word, code);
      return code;
    },
    /** Does not store an unknown word. */
    known: (word: string): number => codes.get(word) ?? NO_CODE,
  };
}

/** The code of no link. */
const NO_CODE = -1;

export type Codes = Record<
  "services" | "statuses" | "groups" | "frequencies",
  ReturnType<typeof createCodes>
>;

/** 0 for links without a group. */
export const codeOfGroup = (codes: Codes, groupId: string | null): number =>
  groupId === null ? 0 : codes.groups.known(groupId);

/** @param rows newest first */
export function toPart(
  codes: Codes,
  { first, changes }: { first: number; changes: number },
  rows: PartRow[],
  extras: PartExtras,
): LinkPart {
  const noteOf = ([no]: PartRow) => extras.notes.get(no) ?? "";
  const tags = rows.map(([no]) => extras.tags.get(no) ?? []);
  const part: LinkPart = {
    changes,
    first,
    nos: new Uint16Array(rows.length),
    text: rows.map(([, url]) => url).join("\n"),
    starts: new Uint32Array(rows.length),
    services: new Uint16Array(rows.length),
    statuses: new Uint16Array(rows.length),
    groups: new Uint32Array(rows.length),
    frequencies: new Uint8Array(rows.length),
    notes: extras.notes.size > 0 ? rows.map(noteOf).join("\n") : "",
    noteStarts: new Uint32Array(rows.length),
    handlings: new Uint8Array(rows.length),
    assigned: new Uint8Array(rows.length),
    tags: Uint32Array.from(tags.flat()),
    tagStarts: new Uint32Array(rows.length + 1),
  };
  let [start, noteStart, tagStart] = [0, 0, 0];
  rows.forEach(([no, url, service, status, groupId, frequency], i) => {
    part.nos[i] = no - first;
    part.starts[i] = start;
    part.services[i] = codes.services.of(service);
    part.statuses[i] = codes.statuses.of(status);
    part.groups[i] = groupId === null ? 0 : codes.groups.of(groupId);
    part.frequencies[i] = codes.frequencies.of(frequency);
    start += url.length + 1;
    part.noteStarts[i] = noteStart;
    noteStart += noteOf(rows[i]!).length + 1;
    tagStart += tags[i]!.length;
    part.tagStarts[i + 1] = tagStart;
    const triage = extras.triage.get(no);
    if (!triage) return;
    part.handlings[i] = HANDLINGS.indexOf(triage.handling as Handling);
    part.assigned[i] = triage.isAssigned ? 1 : 0;
  });
  return part;
}

/** Visits the matching links, newest first. */
export function findIn(part: LinkPart, wanted: Wanted, visit: (no: number) => void): void {
  if (wanted.text !== undefined && wanted.isInTexts) {
    findInBoth(part, wanted, visit);
    return;
  }
  const { nos, starts, text, first } = part;
  for (let i = 0; i < nos.length; i++) {
    if (wanted.text !== undefined) {
      const at = text.indexOf(wanted.text, starts[i]);
      if (at < 0) return;
      while (i + 1 < nos.length && starts[i + 1]! <= at) i++;
    }
    if (fits(part, i, wanted)) visit(first + nos[i]!);
  }
}

/** Also looks for the text in titles and external ids. */
function findInBoth(part: LinkPart, wanted: Wanted, visit: (no: number) => void): void {
  const { nos, first, text, starts, notes, noteStarts } = part;
  const marks = new Uint8Array(nos.length);
  markIn(text, starts, wanted.text!, marks);
  if (notes !== "") markIn(notes, noteStarts, wanted.text!, marks);
  for (let i = 0; i < nos.length; i++)
    if (marks[i] === 1 && fits(part, i, wanted)) visit(first + nos[i]!);
}

/** Marks the lines that contain the text. */
function markIn(lines: string, starts: Uint32Array, text: string, marks: Uint8Array): void {
  for (let i = 0; i < starts.length; i++) {
    const at = lines.indexOf(text, starts[i]);
    if (at < 0) return;
    while (i + 1 < starts.length && starts[i + 1]! <= at) i++;
    marks[i] = 1;
  }
}

function fits(part: LinkPart, i: number, wanted: Wanted): boolean {
  const { service, status, group, frequency, checking, handling, hasNoAssignee } = wanted;
  return (
    (service === undefined || part.services[i] === service) &&
    (status === undefined || part.statuses[i] === status) &&
    (group === undefined || part.groups[i] === group) &&
    (frequency === undefined || part.frequencies[i] === frequency) &&
    (handling === undefined || part.handlings[i] === handling) &&
    (!hasNoAssignee || part.assigned[i] === 0) &&
    (wanted.tags.length === 0 || hasTags(part, i, wanted.tags)) &&
    (wanted.noTags.length === 0 || hasNone(part, i, wanted.noTags)) &&
    (!checking || checking.nos.has(part.first + part.nos[i]!) === checking.areWanted)
  );
}

/** Without a closure for each link. */
function hasTags(part: LinkPart, i: number, tags: number[]): boolean {
  for (let n = 0; n < tags.length; n++) if (!hasTag(part, i, tags[n]!)) return false;
  return true;
}

function hasNone(part: LinkPart, i: number, tags: number[]): boolean {
  for (let n = 0; n < tags.length; n++) if (hasTag(part, i, tags[n]!)) return false;
  return true;
}

function hasTag({ tags, tagStarts }: LinkPart, i: number, tag: number): boolean {
  for (let at = tagStarts[i]!; at < tagStarts[i + 1]!; at++) if (tags[at] === tag) return true;
  return false;
}

/** The matching links among all of an account. */
export type Chosen = {
  /** By thousand: 1 in the place of each matching link. */
  marks: Map<number, Uint8Array>;
  total: number;
  all: number;
};

/** Which index to walk: an account, and the status of all matching links, if it is known. */
type IndexRange = { accountNo: number; status?: string | undefined };
type Sorting = LinkOrder & { by: "status_changed_at" | "url_key" | "dead_first" };

/** How many numbers of links share a list of marks. */
const PART = 1000;
/** How many steps along an index cost as much as finding a row by its number. */
const ROW_COST = 6;

/** Finds pages of matching links in orders that only the database knows. */
export function prepareOrdering(database: Database) {
  const statements = new Map<string, Statement>();
  const prepared = (text: string): Statement => {
    const known = statements.get(text) ?? database.prepare(text);
    statements.set(text, known);
    return known;
  };
  return {
    /** Sorts the matching links if they are few; otherwise walks an index until the page is full. */
    pagesIn: (order: Sorting, range: IndexRange) => (chosen: Chosen, page: Window) => {
      const { isTurned, ...near } = fromNearerEnd(page, chosen.total);
      const sorting = { ...order, isDown: order.isDown !== isTurned };
      const steps = ((near.offset + near.limit) / Math.max(chosen.total, 1)) * chosen.all;
      const nos =
        chosen.total * ROW_COST < steps
          ? sorted(prepared(sortText(sorting)), chosen, near)
          : walked(prepared, walksOf(sorting, range), chosen, near);
      return isTurned ? nos.reverse() : nos;
    },
    close: () => {
      for (const statement of statements.values()) statement.finalize();
    },
  };
}

/** Dead links first, then unknown, then active ones. */
export const DEAD_RANK = "case status when 'dead' then 0 when 'unknown' then 1 else 2 end";

const columnsOf = ({ by, isDown }: Sorting) => {
  const turn = isDown ? "desc" : "asc";
  if (by === "dead_first")
    return `${DEAD_RANK} ${isDown ? "asc" : "desc"}, status_changed_at ${turn}, no ${turn}`;
  return `${by} ${turn}, no ${turn}`;
};

const sortText = (sorting: Sorting) =>
  `select no from links where no in (select value from json_each(?)) order by ${columnsOf(sorting)} limit ? offset ?`;

function sorted(statement: Statement, { marks }: Chosen, { limit, offset }: Window): number[] {
  const nos: number[] = [];
  for (const [part, marked] of marks)
    marked.forEach((mark, i) => {
      if (mark) nos.push(part * PART + i);
    });
  return statement.values(JSON.stringify(nos), limit, offset).map(([no]) => no as number);
}

type Walk = { text: string; params: number[] };

/** The index of changes is ordered within each status, so the orders of all statuses are merged, or follow each other. */
function walksOf(sorting: Sorting, { accountNo, status }: IndexRange): Walk[] {
  if (sorting.by === "dead_first") {
    const order = columnsOf({ ...sorting, by: "status_changed_at" });
    const statuses = ["dead", "unknown", "active"];
    return (sorting.isDown ? statuses : statuses.reverse()).map((each) => ({
      text: `select no from links where account_no = ? and status = '${each}' order by ${order}`,
      params: [accountNo],
    }));
  }
  const order = columnsOf(sorting);
  if (sorting.by === "url_key") {
    const text = `select no from links where account_id = (select id from accounts where no = ?) order by ${order}`;
    return [{ text, params: [accountNo] }];
  }
  const statuses = VERDICTS.filter((each) => status === "checking" || (status ?? each) === each);
  const selects = statuses.map(
    (each) => `select no, status_changed_at from links where account_no = ? and status = '${each}'`,
  );
  const text = `${selects.join(" union all ")} order by ${order}`;
  return [{ text, params: selects.map(() => accountNo) }];
}

function walked(
  prepared: (text: string) => Statement,
  walks: Walk[],
  { marks }: Chosen,
  { limit, offset }: Window,
): number[] {
  const nos: number[] = [];
  if (limit === 0) return nos;
  let before = 0;
  for (const { text, params } of walks) {
    for (const row of prepared(text).iterate(...params)) {
      const { no } = row as { no: number };
      if (marks.get(Math.floor(no / PART))?.[no % PART] !== 1) continue;
      if (before++ < offset) continue;
      nos.push(no);
      if (nos.length === limit) return nos;
    }
  }
  return nos;
}

/** How a list of links may be sorted; a minus reverses it. */
export const LINK_SORTS = [
  "-created_at",
  "created_at",
  "-status_changed_at",
  "status_changed_at",
  "url",
  "-url",
  "dead_first",
] as const;
export type LinkSort = (typeof LINK_SORTS)[number];

/** A column to sort by; links with equal values are sorted by number. */
export type LinkOrder = {
  by: "no" | "status_changed_at" | "url_key" | "dead_first";
  isDown: boolean;
};

const COLUMNS = {
  created_at: "no",
  status_changed_at: "status_changed_at",
  url: "url_key",
} as const;

/** Links are numbered in the order of their creation. */
export function orderOf(sort: LinkSort = "-created_at"): LinkOrder {
  if (sort === "dead_first") return { by: sort, isDown: true };
  const name = sort.replace("-", "") as keyof typeof COLUMNS;
  return { by: COLUMNS[name], isDown: sort.startsWith("-") };
}
