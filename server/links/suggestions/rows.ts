import { and, asc, eq, sql } from "drizzle-orm";
import { onRows, type Store } from "../../ground/db/store.ts";
import {
  type LookupRow,
  linkLookups,
  type SuggestionRow,
  suggestions,
} from "../../ground/db/tables.ts";
import { idOfText } from "../../ground/lib/ids.ts";
import {
  type Confidence,
  SUGGESTION_KINDS,
  type SuggestionKind,
} from "../../ground/lib/vocabulary.ts";

/** What was requested longer ago is requested again before it is used. */
export const FRESH_MS = 7 * 86_400_000;

/** Something to suggest for a link, as it is found. `evidence` has whole sentences. */
export type NewSuggestion = Pick<
  SuggestionRow,
  "kind" | "url" | "confidence" | "matches" | "capturedAt" | "checkedAt" | "patternId"
> & { evidence: string[] };

/** A link for which something is suggested. */
export type Subject = { no: number; id: string; accountNo: number };

/** The best first: an address that differs in its form alone, then by kind. */
export const rankOf = (kind: SuggestionKind, confidence: Confidence): number =>
  confidence === "safe" ? 0 : SUGGESTION_KINDS.indexOf(kind) + 1;

/** As it is stored. One link has one suggestion for a URL, whose id stays the same. */
export const toRow = (
  { no, id, accountNo }: Subject,
  { evidence, ...found }: NewSuggestion,
): SuggestionRow => ({
  ...found,
  id: idOfText(`${id} ${found.url}`),
  linkNo: no,
  accountNo,
  rank: rankOf(found.kind, found.confidence),
  evidence: JSON.stringify(evidence),
});

const CELLS = {
  id: "text",
  link_no: "bigint",
  account_no: "bigint",
  rank: "bigint",
  kind: "text",
  url: "text",
  confidence: "text",
  matches: "text",
  evidence: "text",
  captured_at: "bigint",
  checked_at: "bigint",
  pattern_id: "text",
} as const;

const NAMES = Object.keys(CELLS);

/** Writes suggestions over those with the same URLs. */
export const writeSuggestions = (tx: Store, rows: SuggestionRow[]): Promise<unknown> =>
  upsert(
    tx,
    rows.map((row) => [
      row.id,
      row.linkNo,
      row.accountNo,
      row.rank,
      row.kind,
      row.url,
      row.confidence,
      row.matches,
      row.evidence,
      row.capturedAt,
      row.checkedAt,
      row.patternId,
    ]),
  );

const upsert = onRows(
  CELLS,
  (rows) => sql`
    insert into suggestions (${sql.raw(NAMES.join(", "))})
    select ${sql.raw(NAMES.map((name) => `given.${name}`).join(", "))} from ${rows} as given where true
    on conflict (link_no, url) do update set ${sql.raw(
      NAMES.slice(3)
        .filter((name) => name !== "url")
        .map((name) => `${name} = excluded.${name}`)
        .join(", "),
    )}
  `,
);

/** Returns what is stored for a link, the best first. */
export const readSuggestions = (store: Store, linkNo: number): Promise<SuggestionRow[]> =>
  store
    .select()
    .from(suggestions)
    .where(eq(suggestions.linkNo, linkNo))
    .orderBy(asc(suggestions.rank), asc(suggestions.id));

export async function readLookup(store: Store, linkNo: number): Promise<LookupRow | null> {
  const [row] = await store.select().from(linkLookups).where(eq(linkLookups.linkNo, linkNo));
  return row ?? null;
}

export const deleteSuggestion = (
  tx: Store,
  { linkNo, url }: Pick<SuggestionRow, "linkNo" | "url">,
) => tx.delete(suggestions).where(and(eq(suggestions.linkNo, linkNo), eq(suggestions.url, url)));

/** Forgets what was found for links that have other URLs now, or are gone. */
export async function forgetSuggestions(tx: Store, nos: number[]): Promise<void> {
  const rows = nos.map((no) => [no]);
  await forget(tx, rows);
  await forgetLookups(tx, rows);
}

const forget = onRows(
  { no: "bigint" },
  (rows) => sql`delete from suggestions where link_no in (select no from ${rows} as gone)`,
);

const forgetLookups = onRows(
  { no: "bigint" },
  (rows) => sql`delete from link_lookups where link_no in (select no from ${rows} as gone)`,
);

const DAY = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeZone: "UTC" });

/** What is remembered of a link's page, as far as it matters here. */
type Remembered = {
  page: object | null;
  way: string | null;
  waySince: number;
  moved: Confidence | null;
};

/**
 * What is remembered of where a link leads, if it has moved there for good. Nothing is requested for it.
 * @param checkedAt when a check last found it there
 */
export function moveIn(memory: Remembered | undefined, checkedAt: number): NewSuggestion | null {
  if (!memory?.moved || memory.way === null) return null;
  return {
    kind: "moved",
    url: memory.way,
    confidence: memory.moved,
    matches: memory.page ? "yes" : "unknown",
    capturedAt: null,
    checkedAt,
    patternId: null,
    evidence: [`The link redirected there permanently since ${DAY.format(memory.waySince)}.`],
  };
}
