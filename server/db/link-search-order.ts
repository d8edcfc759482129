import type { Database, Statement } from "bun:sqlite";
import { fromNearerEnd, type Window } from "../lib/paging.ts";
import { VERDICTS } from "./tables.ts";

/** Links that were chosen among all of an account. */
export type Chosen = {
  /** By thousand: 1 in the place of each that was. */
  marks: Map<number, Uint8Array>;
  total: number;
  all: number;
};

/** What decides the way: an account, and the status that is shown of all chosen links. */
type Way = { accountNo: number; status?: string | undefined };
type Sorting = LinkOrder & { by: "status_changed_at" | "url_key" };

/** How many numbers of links share a list of marks. */
const PART = 1000;
/** Finding a row by its number costs as much as so many steps along an index. */
const ROW_COST = 6;

/** Finds pages of chosen links in orders that only the database knows. */
export function prepareOrdering(database: Database) {
  const statements = new Map<string, Statement>();
  const prepared = (text: string): Statement => {
    const known = statements.get(text) ?? database.prepare(text);
    statements.set(text, known);
    return known;
  };
  return {
    /** Sorts the chosen ones where they are few, and else goes along an index until the page is full. */
    along: (asked: Sorting, way: Way) => (chosen: Chosen, page: Window) => {
      const { isTurned, ...near } = fromNearerEnd(page, chosen.total);
      const sorting = { ...asked, isDown: asked.isDown !== isTurned };
      const steps = ((near.offset + near.limit) / Math.max(chosen.total, 1)) * chosen.all;
      const nos =
        chosen.total * ROW_COST < steps
          ? sorted(prepared(sortText(sorting)), chosen, near)
          : walked(prepared, walkText(sorting, way), chosen, near);
      return isTurned ? nos.reverse() : nos;
    },
    close: () => {
      for (const statement of statements.values()) statement.finalize();
    },
  };
}

const columnsOf = ({ by, isDown }: Sorting) => {
  const turn = isDown ? "desc" : "asc";
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

/** The index of changes has one order for each status: those of all are merged. */
function walkText(sorting: Sorting, { accountNo, status }: Way) {
  const order = columnsOf(sorting);
  if (sorting.by === "url_key") {
    const text = `select no from links where account_id = (select id from accounts where no = ?) order by ${order}`;
    return { text, params: [accountNo] };
  }
  const statuses = VERDICTS.filter((each) => status === "checking" || (status ?? each) === each);
  const selects = statuses.map(
    (each) => `select no, status_changed_at from links where account_no = ? and status = '${each}'`,
  );
  const text = `${selects.join(" union all ")} order by ${order}`;
  return { text, params: selects.map(() => accountNo) };
}

function walked(
  prepared: (text: string) => Statement,
  { text, params }: { text: string; params: number[] },
  { marks }: Chosen,
  { limit, offset }: Window,
): number[] {
  const nos: number[] = [];
  if (limit === 0) return nos;
  let before = 0;
  for (const row of prepared(text).iterate(...params)) {
    const { no } = row as { no: number };
    if (marks.get(Math.floor(no / PART))?.[no % PART] !== 1) continue;
    if (before++ < offset) continue;
    nos.push(no);
    if (nos.length === limit) break;
  }
  return nos;
}

/** How a list of links may be sorted; a minus turns it round. */
export const LINK_SORTS = [
  "-created_at",
  "created_at",
  "-status_changed_at",
  "status_changed_at",
  "url",
  "-url",
] as const;
export type LinkSort = (typeof LINK_SORTS)[number];

/** A column that no two links of an account share, or that comes before their numbers. */
export type LinkOrder = { by: "no" | "status_changed_at" | "url_key"; isDown: boolean };

const COLUMNS = {
  created_at: "no",
  status_changed_at: "status_changed_at",
  url: "url_key",
} as const;

/** Links are numbered in the order in which they were made. */
export function orderOf(sort: LinkSort = "-created_at"): LinkOrder {
  const name = sort.replace("-", "") as keyof typeof COLUMNS;
  return { by: COLUMNS[name], isDown: sort.startsWith("-") };
}
