import { and, eq, lt, sql } from "drizzle-orm";
import { onRows, type Store } from "../../ground/db/store.ts";
import { archiveCopies } from "../../ground/db/tables.ts";
import { matchesTrace, type Trace } from "../../judge/identity/matches.ts";
import type { Deps } from "../../work/deps.ts";
import type { Good } from "./capture.ts";
import type { Copy, Found, Refusal } from "./model.ts";

const DAY_MS = 86_400_000;
/** A copy that was found is not looked for again. */
const FOUND_KEPT_MS = 90 * DAY_MS;
const NOTHING_KEPT_MS = 7 * DAY_MS;
/** After the second time. */
const STILL_NOTHING_KEPT_MS = 30 * DAY_MS;
/** When a person asks. */
const FRESH_MS = 7 * DAY_MS;

/** What a kept copy must do for a link. */
export type Needs = {
  trace: Trace | null;
  latestAt: number;
  now: number;
  isByHand: boolean;
};

type Stored = Extract<Found, { state: "found" | "nothing_good" }>;

/** Returns what is known of a URL, whichever account asked; null if the archive is to be asked. */
export async function readCopy(store: Store, urlKey: string, needs: Needs): Promise<Stored | null> {
  const [row] = await store.select().from(archiveCopies).where(eq(archiveCopies.urlKey, urlKey));
  return row ? usableOf(row, needs) : null;
}

/** What a row says about a link; null if the archive is to be asked. */
export function usableOf(
  row: typeof archiveCopies.$inferSelect,
  { trace, latestAt, now, isByHand }: Needs,
): Stored | null {
  const ageMs = now - row.askedAt;
  if (row.state === "nothing_good") {
    const keptMs = row.failures > 1 ? STILL_NOTHING_KEPT_MS : NOTHING_KEPT_MS;
    const reasons: Refusal[] = JSON.parse(row.reasons ?? "[]");
    // Another account may remember the page as it was captured, or may have seen it alive for longer.
    const isForAll = !reasons.some(({ reason }) => reason === "other_page") || trace !== null;
    const isCovered = row.lookedUntil >= Math.min(latestAt, row.askedAt);
    const isKept = !isByHand && ageMs < keptMs && isForAll && isCovered;
    return isKept ? { state: "nothing_good", reasons } : null;
  }
  const { copyUrl, capturedAt, title, print } = row;
  if (copyUrl === null || capturedAt === null || capturedAt > latestAt) return null;
  if (ageMs >= keptFor(row, isByHand)) return null;
  const matches = matchesTrace(trace, { title: title ?? "", text: "", print });
  if (matches === "no") return null;
  const copy = { url: copyUrl, captured_at: capturedAt, title: title || null, matches };
  return { state: "found", copy };
}

/** What was saved for this server is there for when the page dies, whenever that is. */
function keptFor({ isSaved }: typeof archiveCopies.$inferSelect, isByHand: boolean): number {
  if (isByHand) return FRESH_MS;
  return isSaved ? Number.POSITIVE_INFINITY : FOUND_KEPT_MS;
}

type Kept = { urlKey: string; now: number; latestAt: number };

/** Keeps a copy for all accounts. */
export const keepCopy = (
  store: Store,
  { urlKey, now, latestAt }: Kept,
  copy: Copy,
  { title, print, isSaved = false }: Pick<Good, "title" | "print"> & { isSaved?: boolean },
) =>
  keep(store, {
    urlKey,
    state: "found",
    copyUrl: copy.url,
    capturedAt: copy.captured_at,
    title,
    print,
    reasons: null,
    lookedUntil: latestAt,
    askedAt: now,
    failures: 0,
    isSaved,
  });

/** Keeps that there is nothing to offer. */
export const keepNothing = (store: Store, { urlKey, now, latestAt }: Kept, reasons: Refusal[]) =>
  keep(store, {
    urlKey,
    state: "nothing_good",
    copyUrl: null,
    capturedAt: null,
    title: null,
    print: null,
    reasons: JSON.stringify(reasons),
    lookedUntil: latestAt,
    askedAt: now,
    failures: 1,
    isSaved: false,
  });

const CELLS = {
  url_key: "text",
  state: "text",
  copy_url: "text",
  captured_at: "bigint",
  title: "text",
  print: "text",
  reasons: "text",
  looked_until: "bigint",
  asked_at: "bigint",
  is_saved: "bigint",
  failures: "bigint",
} as const;

const NAMES = Object.keys(CELLS);

const keep = (store: Store, row: typeof archiveCopies.$inferSelect): Promise<unknown> =>
  upsert(store, [
    [
      row.urlKey,
      row.state,
      row.copyUrl,
      row.capturedAt,
      row.title,
      row.print,
      row.reasons,
      row.lookedUntil,
      row.askedAt,
      Number(row.isSaved),
      row.failures,
    ],
  ]);

const upsert = onRows(
  CELLS,
  (rows) => sql`
    insert into archive_copies (${sql.raw(NAMES.join(", "))})
    select ${sql.raw(NAMES.map((name) => `kept.${name}`).join(", "))} from ${rows} as kept where true
    on conflict (url_key) do update set ${sql.raw(
      NAMES.slice(1, -1)
        .map((name) => `${name} = excluded.${name}`)
        .join(", "),
    )}, failures = case when excluded.failures = 0 then 0 else archive_copies.failures + 1 end
  `,
);

/** Deletes what would be asked again anyway. */
export const forgetOldCopies = ({ store, clock }: Pick<Deps, "store" | "clock">) =>
  store
    .delete(archiveCopies)
    .where(
      and(eq(archiveCopies.isSaved, false), lt(archiveCopies.askedAt, clock.now() - FOUND_KEPT_MS)),
    );
