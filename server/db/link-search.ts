import type { Database, Statement } from "bun:sqlite";
import { LRUCache } from "lru-cache";
import { segmentsOnPage, type Window } from "../lib/paging.ts";
import {
  type Chosen,
  type Codes,
  codeOfGroup,
  createCodes,
  findIn,
  type LinkOrder,
  type LinkPart,
  type PartExtras,
  type PartRow,
  prepareOrdering,
  toPart,
  type Wanted,
} from "./link-search-part.ts";
import { HANDLINGS, type Handling } from "./tables.ts";

/** The conditions on links of an account, all of which must hold, and the page to return. */
export type LinkSearch = {
  accountNo: number;
  /** Part of the URL, in lower case. */
  text?: string | undefined;
  service?: string | undefined;
  /** Null for links in no group. */
  groupId?: string | null | undefined;
  frequency?: string | undefined;
  /** As shown: a link that is being checked at `now` is only "checking". */
  status?: string | undefined;
  now: number;
  /** Whether the text is looked for in titles and external ids as well. */
  isInTexts?: boolean;
  handling?: Handling | undefined;
  hasNoAssignee?: boolean;
  /** The numbers of tags and sources, all of which a link must have. */
  tags?: number[];
  /** The same, of which a link must have none. */
  noTags?: number[];
  /** Newest first by default. */
  order?: LinkOrder | undefined;
  /** Only links with smaller numbers. The search then ends with the page, and `total` counts only that. */
  before?: number | undefined;
  limit: number;
  offset: number;
};

/** One page of links by their numbers, and how many there are in all. */
export type FoundLinks = { total: number; nos: number[] };

/** The most characters of URLs that are cached. Any others are read again for each search. */
const MOST_KEPT = 80_000_000;
/** How many numbers of links each row of changes covers. */
const PART = 1000;
/** For how many searches the counts of matching links are cached: each some 100 kB for a million links. */
const COUNTED_SEARCHES = 50;

/**
 * Searches links in memory, many times as fast as SQLite. The links of a thousand numbers are read again when their
 * count of changes differs, so that a search sees all that was written.
 */
export function createLinkMemory(database: Database, mostKept = MOST_KEPT) {
  const reads = prepareReads(database);
  const codes = {
    services: createCodes(),
    statuses: createCodes(),
    groups: createCodes(),
    frequencies: createCodes(),
  };
  const memory = createMemory(mostKept);
  const counts = createCounts();
  const tidyUp = createTidying();

  const current = (accountNo: number, part: number, changes: number): LinkPart => {
    const known = memory.get(accountNo, part);
    if (known?.changes === changes) return known;
    const place = { first: part * PART, changes };
    const read = toPart(codes, place, reads.links(accountNo, part), reads.extras(part));
    memory.keep(accountNo, part, read);
    tidyUp();
    return read;
  };
  const find = (search: LinkSearch): FoundLinks => {
    // A line break separates URLs here; no URL contains one.
    if (search.text?.includes("\n")) return { total: 0, nos: [] };
    const checking = search.status ? reads.checking(search.accountNo, search.now) : null;
    // Codes are looked up after reading, which assigns new ones.
    const visit: Visit = ({ part, changes }, found) => {
      const links = current(search.accountNo, part, changes);
      findIn(links, toWanted(search, codes, checking), found);
      return links.nos.length;
    };
    const parts = reads.parts(search.accountNo).map(([part, changes]) => ({ part, changes }));
    if (search.before !== undefined) return findNext(parts, visit, search.before, search.limit);
    const { by, isDown } = search.order ?? { by: "no", isDown: true };
    return by === "no"
      ? findByNumber(
          isDown ? parts : parts.reverse(),
          visit,
          counts(search, checking),
          search,
          isDown,
        )
      : findSorted(parts, visit, search, ordering.pagesIn({ by, isDown }, search));
  };
  const ordering = prepareOrdering(database);
  const close = () => {
    reads.close();
    ordering.close();
  };
  return { find: database.transaction(find), close };
}

/** A thousand numbers and their current count of changes. */
type Part = { part: number; changes: number };

/** Calls `found` for each matching link of the part, newest first. Returns the number of all its links. */
type Visit = (part: Part, found: (no: number) => void) => number;

/** Counts the matching links of a part, or returns what `visit` found when it had as many changes. */
type CountIn = (part: Part, visit: Visit) => number;

/** Another page of the same list visits only the parts that have changed. */
function createCounts() {
  const searches = new LRUCache<string, Map<number, Part & { count: number }>>({
    max: COUNTED_SEARCHES,
  });
  return (search: LinkSearch, checking: Set<number> | null): CountIn => {
    const key = JSON.stringify({ ...search, now: 0, order: null, limit: 0, offset: 0 });
    const known = searches.get(key) ?? new Map<number, Part & { count: number }>();
    searches.set(key, known);
    const checkedParts = new Set([...(checking ?? [])].map((no) => Math.floor(no / PART)));
    return (part, visit) => {
      const before = known.get(part.part);
      // A check that starts or runs out is not counted as a change.
      const isChecked = checkedParts.has(part.part);
      if (!isChecked && search.status === "checking") return 0;
      if (!isChecked && before?.changes === part.changes) return before.count;
      let count = 0;
      visit(part, () => count++);
      if (!isChecked) known.set(part.part, { ...part, count });
      return count;
    };
  };
}

/** @param parts in the order of the page */
function findByNumber(
  parts: Part[],
  visit: Visit,
  countIn: CountIn,
  page: Window,
  isDown: boolean,
): FoundLinks {
  // Does not hold all parts at once, since there may be more than fit into the cache.
  const counted = parts.map((part) => ({ part, count: countIn(part, visit) }));
  const numbersIn = (part: Part): number[] => {
    const nos: number[] = [];
    visit(part, (no) => nos.push(no));
    return isDown ? nos : nos.reverse();
  };
  return {
    total: counted.reduce((sum, { count }) => sum + count, 0),
    nos: segmentsOnPage(counted, page).flatMap(({ segment: { part }, skip, take }) =>
      numbersIn(part).slice(skip, skip + take),
    ),
  };
}

/** Stops once the page is full. */
function findNext(parts: Part[], visit: Visit, before: number, limit: number): FoundLinks {
  const nos: number[] = [];
  for (const part of parts) {
    if (nos.length >= limit) break;
    if (part.part * PART < before) visit(part, (no) => no < before && nos.push(no));
  }
  return { total: Math.min(nos.length, limit), nos: nos.slice(0, limit) };
}

/** Marks the matching links, whose order only the database knows. */
function findSorted(
  parts: Part[],
  visit: Visit,
  page: Window,
  pageAmong: (chosen: Chosen, page: Window) => number[],
): FoundLinks {
  const chosen: Chosen = { marks: new Map(), total: 0, all: 0 };
  for (const part of parts) {
    const marks = new Uint8Array(PART);
    chosen.marks.set(part.part, marks);
    chosen.all += visit(part, (no) => {
      marks[no % PART] = 1;
      chosen.total++;
    });
  }
  return { total: chosen.total, nos: pageAmong(chosen, page) };
}

/** Reading many parts leaves much garbage, which the runtime would let grow beyond the size of the cache. */
function createTidying(): () => void {
  let parts = 0;
  return () => {
    parts++;
    if (parts % 100 === 0) Bun.gc(true);
  };
}

/** A cache of parts by account. The account that was searched longest ago is dropped first. */
function createMemory(mostKept: number) {
  const accounts = new Map<number, Map<number, LinkPart>>();
  let kept = 0;
  const sizeOf = (part: LinkPart | undefined) => (part ? part.text.length + part.notes.length : 0);
  const forget = (accountNo: number, parts: Map<number, LinkPart>) => {
    for (const part of parts.values()) kept -= sizeOf(part);
    accounts.delete(accountNo);
  };
  /** Returns the parts of an account, which becomes the latest one. */
  const latest = (accountNo: number): Map<number, LinkPart> => {
    const parts = accounts.get(accountNo) ?? new Map<number, LinkPart>();
    accounts.delete(accountNo);
    accounts.set(accountNo, parts);
    return parts;
  };
  return {
    get: (accountNo: number, no: number) => latest(accountNo).get(no),
    keep: (accountNo: number, no: number, part: LinkPart) => {
      const parts = latest(accountNo);
      kept += sizeOf(part) - sizeOf(parts.get(no));
      parts.set(no, part);
      for (const [other, theirs] of accounts) {
        if (kept <= mostKept || other === accountNo) break;
        forget(other, theirs);
      }
      if (kept <= mostKept) return;
      kept -= sizeOf(part);
      parts.delete(no);
    },
  };
}

function toWanted(
  { text, service, groupId, frequency, status, ...rest }: LinkSearch,
  codes: Codes,
  checking: Set<number> | null,
): Wanted {
  const isChecking = status === "checking";
  return {
    text,
    service: service === undefined ? undefined : codes.services.known(service),
    status: status === undefined || isChecking ? undefined : codes.statuses.known(status),
    group: groupId === undefined ? undefined : codeOfGroup(codes, groupId),
    frequency: frequency === undefined ? undefined : codes.frequencies.known(frequency),
    checking: checking ? { nos: checking, areWanted: isChecking } : undefined,
    isInTexts: rest.isInTexts ?? false,
    handling: rest.handling && HANDLINGS.indexOf(rest.handling),
    hasNoAssignee: rest.hasNoAssignee ?? false,
    tags: rest.tags ?? [],
    noTags: rest.noTags ?? [],
  };
}

function prepareReads(database: Database) {
  const parts = database.prepare(
    "select part, changes from link_changes where account_no = ? order by part desc",
  );
  const links = database.prepare(
    `select no, lower(url), service, status, group_id, check_frequency from links
     where account_no = ? and no between ? and ? order by no desc`,
  );
  const triage = database.prepare(
    "select link_no, handling, assignee_id is not null from link_triage where link_no between ? and ?",
  );
  const notes = database.prepare(
    `select link_no, lower(coalesce(title, '') || char(31) || coalesce(external_id, '')) from link_texts
     where link_no between ? and ? and (title is not null or external_id is not null)`,
  );
  const tags = database.prepare(
    "select link_no, tag_no from link_tags indexed by link_tags_by_link where link_no between ? and ?",
  );
  const between = (statement: Statement, part: number) =>
    statement.values(part * PART, part * PART + PART - 1) as [no: number, ...unknown[]][];
  const checking = database.prepare(
    "select no from links where account_no = ? and checking_until > ?",
  );
  return {
    parts: (accountNo: number) => parts.values(accountNo) as [part: number, changes: number][],
    links: (accountNo: number, part: number) =>
      links.values(accountNo, part * PART, part * PART + PART - 1) as PartRow[],
    extras: (part: number): PartExtras => {
      const ofLinks = new Map<number, number[]>();
      for (const [no, tag] of between(tags, part)) {
        const known = ofLinks.get(no);
        if (known) known.push(tag as number);
        else ofLinks.set(no, [tag as number]);
      }
      return {
        triage: new Map(
          between(triage, part).map(([no, handling, isAssigned]) => [
            no,
            { handling: handling as string, isAssigned: isAssigned === 1 },
          ]),
        ),
        notes: new Map(between(notes, part).map(([no, text]) => [no, text as string])),
        tags: ofLinks,
      };
    },
    checking: (accountNo: number, now: number) =>
      new Set(checking.values(accountNo, now).map(([no]) => no as number)),
    close: () => {
      for (const each of [parts, links, triage, notes, tags, checking]) each.finalize();
    },
  };
}
