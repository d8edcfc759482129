import { sql } from "drizzle-orm";
import { onRows, type Store } from "../ground/db/store.ts";
import type { Confidence } from "../ground/lib/vocabulary.ts";
import type { Memory } from "../judge/identity/memory.ts";
import type { Shown } from "../judge/page/page-facts.ts";

/**
 * A memory as it is stored; `version` is raised by each change. `moved`: how surely the link has moved for good to where
 * it leads, null if not surely enough.
 */
export type StoredMemory = Memory & { version: number; moved: Confidence | null };

const CELLS = {
  state: "text",
  version: "bigint",
  since: "bigint",
  title: "text",
  language: "text",
  script: "text",
  print: "text",
  title_now: "text",
  language_now: "text",
  script_now: "text",
  print_now: "text",
  first_title: "text",
  text_hash: "bigint",
  compared_at: "bigint",
  way: "text",
  way_since: "bigint",
  is_way_permanent: "bigint",
  way_seen: "bigint",
  moved: "text",
  domains: "text",
  kept: "text",
  doubts: "text",
  past: "text",
  other_since: "bigint",
} as const;

type Row = Record<keyof typeof CELLS, string | number | null>;

const NAMES = Object.keys(CELLS) as (keyof Row)[];
const ALL = sql.raw(NAMES.join(", "));

/** Returns what is remembered of links' pages, by the links' numbers. */
export async function readMemories(
  store: Store,
  nos: number[],
): Promise<Map<number, StoredMemory>> {
  const rows = await selectMemories(
    store,
    nos.map((no) => [no]),
  );
  return new Map(rows.map(([no, ...cells]) => [no as number, toMemory(cells)]));
}

const selectMemories = onRows(
  { no: "bigint" },
  (rows) =>
    sql`select given.no, ${ALL} from ${rows} as given join page_memories on link_no = given.no`,
);

function toMemory(cells: unknown[]): StoredMemory {
  const row = Object.fromEntries(NAMES.map((name, at) => [name, cells[at]])) as Row;
  const text = (name: keyof Row) => row[name] as string | null;
  const page = shownIn(row);
  return {
    state: row.state as Memory["state"],
    version: Number(row.version),
    moved: row.moved as Confidence | null,
    since: Number(row.since),
    page,
    now: page && {
      title: text("title_now") ?? page.title,
      language: text("language_now") ?? page.language,
      script: text("script_now") ?? page.script,
      print: text("print_now") ?? page.print,
    },
    firstTitle: text("first_title"),
    textHash: row.text_hash === null ? null : Number(row.text_hash),
    comparedAt: Number(row.compared_at),
    way: text("way"),
    waySince: Number(row.way_since ?? row.since),
    isWayPermanent: Number(row.is_way_permanent ?? 1) === 1,
    waySeen: Number(row.way_seen),
    domains: fromJson(row.domains, []),
    kept: fromJson(row.kept, []),
    doubts: fromJson(row.doubts, {}),
    past: fromJson(row.past, {}),
  };
}

function shownIn({ title, language, script, print }: Row): Shown | null {
  if (print === null) return null;
  return {
    title: title as string,
    language: language as string | null,
    script: script as string | null,
    print: print as string,
  };
}

const fromJson = <T>(stored: string | number | null, empty: T): T =>
  stored === null ? empty : JSON.parse(stored as string);

const toJson = (value: object) => (Object.keys(value).length === 0 ? null : JSON.stringify(value));

function toRow({ memory, moved, version: before }: MemoryChange): Row {
  const { page, now, way, doubts } = memory;
  const unless = (name: keyof Shown) => (now && now[name] !== page?.[name] ? now[name] : null);
  return {
    state: memory.state,
    version: (before ?? 0) + 1,
    since: memory.since,
    title: page?.title ?? null,
    language: page?.language ?? null,
    script: page?.script ?? null,
    print: page?.print ?? null,
    title_now: unless("title"),
    language_now: unless("language"),
    script_now: unless("script"),
    print_now: unless("print"),
    first_title: memory.firstTitle,
    text_hash: memory.textHash,
    compared_at: memory.comparedAt,
    way,
    way_since: way === null ? null : memory.waySince,
    is_way_permanent: way === null ? null : Number(memory.isWayPermanent),
    way_seen: memory.waySeen,
    moved,
    domains: toJson(memory.domains),
    kept: toJson(memory.kept),
    doubts: toJson(doubts),
    past: toJson(memory.past),
    other_since: doubts.page?.since ?? null,
  };
}

/** A memory to be written over the one with `version`; null for a link without one. */
export type MemoryChange = {
  linkNo: number;
  accountNo: number;
  memory: Memory;
  moved: Confidence | null;
  version: number | null;
};

/** Writes memories, unless they have been changed since they were read. */
export const writeMemories = (tx: Store, changes: MemoryChange[]): Promise<unknown> =>
  upsert(
    tx,
    changes.map((change) => {
      const row = toRow(change);
      return [change.linkNo, change.accountNo, ...NAMES.map((name) => row[name])];
    }),
  );

const upsert = onRows(
  { link: "bigint", account: "bigint", ...CELLS },
  (rows) => sql`
    insert into page_memories (link_no, account_no, ${ALL})
    select link, account, ${sql.raw(NAMES.map((name) => `given.${name}`).join(", "))} from ${rows} as given where true
    on conflict (link_no) do update set ${sql.raw(NAMES.map((name) => `${name} = excluded.${name}`).join(", "))}
    where page_memories.version = excluded.version - 1
  `,
);

/** Forgets the pages of links that have other URLs now. */
export const forgetMemories = (tx: Store, nos: number[]): Promise<unknown> =>
  forget(
    tx,
    nos.map((no) => [no]),
  );

const forget = onRows(
  { no: "bigint" },
  (rows) => sql`delete from page_memories where link_no in (select no from ${rows} as gone)`,
);
