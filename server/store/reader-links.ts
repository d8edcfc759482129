import type { Database } from "bun:sqlite";
import { cover } from "../lib/stretches.ts";
import {
  type Codes,
  createCodes,
  findIn,
  type LinkPart,
  type PartRow,
  toPart,
  type Wanted,
} from "./reader-part.ts";

/** Which links of an account are wanted, all of what is said together, and which page of them. */
export type LinkSearch = {
  accountNo: number;
  /** Part of the URL, in lower case. */
  text?: string | undefined;
  service?: string | undefined;
  groupId?: string | undefined;
  /** As it is shown: a link that is being checked at `now` is "checking" and nothing else. */
  status?: string | undefined;
  now: number;
  limit: number;
  offset: number;
};

/** One page of links by their numbers, newest first, and how many there are in all. */
export type FoundLinks = { total: number; nos: number[] };

/** Characters of URLs that are kept. Those beyond are read again for every search. */
const MOST_KEPT = 80_000_000;
/** How many numbers of links a row of changes is about. */
const PART = 1000;

/**
 * Searches links in memory, many times as fast as SQLite does. A thousand numbers are read again when
 * the database says that something about them changed, so that a search sees all that was written.
 */
export function createLinkMemory(database: Database, mostKept = MOST_KEPT) {
  const reads = prepareReads(database);
  const codes = { services: createCodes(), statuses: createCodes(), groups: createCodes() };
  const memory = createMemory(mostKept);
  const tidyUp = createTidying();

  const current = (accountNo: number, part: number, changes: number): LinkPart => {
    const known = memory.get(accountNo, part);
    if (known?.changes === changes) return known;
    const read = toPart(codes, part * PART, changes, reads.links(accountNo, part));
    memory.keep(accountNo, part, read);
    tidyUp();
    return read;
  };
  const find = (search: LinkSearch): FoundLinks => {
    // It stands between URLs here, and in none of them.
    if (search.text?.includes("\n")) return { total: 0, nos: [] };
    const checking = search.status ? reads.checking(search.accountNo, search.now) : null;
    /** Its codes are looked up after it was read, which gives codes to what is new. */
    const visit = (part: number, changes: number, found: (no: number) => void) => {
      const links = current(search.accountNo, part, changes);
      findIn(links, toWanted(search, codes, checking), found);
    };
    // Not kept here as well, since there may be more of them than are to be kept.
    const parts = reads.parts(search.accountNo).map(([part, changes]) => {
      let count = 0;
      visit(part, changes, () => count++);
      return { part, changes, count };
    });
    const numbersIn = (part: number, changes: number): number[] => {
      const nos: number[] = [];
      visit(part, changes, (no) => nos.push(no));
      return nos;
    };
    return {
      total: parts.reduce((sum, { count }) => sum + count, 0),
      nos: cover(parts, search).flatMap(({ stretch: { part, changes }, skip, take }) =>
        numbersIn(part, changes).slice(skip, skip + take),
      ),
    };
  };
  return { find: database.transaction(find), close: reads.close };
}

/** Rows of many parts leave much garbage at once, which the runtime would let grow beyond all that is kept. */
function createTidying(): () => void {
  let parts = 0;
  return () => {
    parts++;
    if (parts % 100 === 0) Bun.gc(true);
  };
}

/** Parts by account. The account that was searched longest ago makes room for others. */
function createMemory(mostKept: number) {
  const accounts = new Map<number, Map<number, LinkPart>>();
  let kept = 0;
  const forget = (accountNo: number, parts: Map<number, LinkPart>) => {
    for (const { text } of parts.values()) kept -= text.length;
    accounts.delete(accountNo);
  };
  /** Its parts; it is the last of the accounts from now on. */
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
      kept += part.text.length - (parts.get(no)?.text.length ?? 0);
      parts.set(no, part);
      for (const [other, theirs] of accounts) {
        if (kept <= mostKept || other === accountNo) break;
        forget(other, theirs);
      }
      if (kept <= mostKept) return;
      kept -= part.text.length;
      parts.delete(no);
    },
  };
}

function toWanted(
  { text, service, groupId, status }: LinkSearch,
  codes: Codes,
  checking: Set<number> | null,
): Wanted {
  const isChecking = status === "checking";
  return {
    text,
    service: service === undefined ? undefined : codes.services.known(service),
    status: status === undefined || isChecking ? undefined : codes.statuses.known(status),
    group: groupId === undefined ? undefined : codes.groups.known(groupId),
    checking: checking ? { nos: checking, areWanted: isChecking } : undefined,
  };
}

function prepareReads(database: Database) {
  const parts = database.prepare(
    "select part, changes from link_changes where account_no = ? order by part desc",
  );
  const links = database.prepare(
    `select no, lower(url), service, status, group_id from links
     where account_no = ? and no between ? and ? order by no desc`,
  );
  const checking = database.prepare(
    "select no from links where account_no = ? and checking_until > ?",
  );
  return {
    parts: (accountNo: number) => parts.values(accountNo) as [part: number, changes: number][],
    links: (accountNo: number, part: number) =>
      links.values(accountNo, part * PART, part * PART + PART - 1) as PartRow[],
    checking: (accountNo: number, now: number) =>
      new Set(checking.values(accountNo, now).map(([no]) => no as number)),
    close: () => {
      for (const statement of [parts, links, checking]) statement.finalize();
    },
  };
}
