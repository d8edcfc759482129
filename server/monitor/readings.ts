import { sql } from "drizzle-orm";
import { onRows, type Store } from "../ground/db/store.ts";
import type { Conclusion } from "../judge/probe/conclusion.ts";
import type { KnownReading } from "../judge/unchanged.ts";
import { type ClaimedLink, READING_COLUMNS, type StoredReading } from "./claim.ts";
import type { Settled } from "./outcome.ts";

const DAY_MS = 86_400_000;
/** A page is read in full after so long, or after so many answers that it is unchanged. */
const TRUSTED_MS = 7 * DAY_MS;
const TRUSTED_TIMES = 20;
const BARRED_MS = 30 * DAY_MS;

/** What a check may rely on: only a scheduled one, of a link that is alive and was so at its last check. */
export function knownReading(link: ClaimedLink, now: number): KnownReading | null {
  const { reading, status, reason, lastStatus, lastReason, nextTrigger } = link;
  const isAlive = status === "active" && lastStatus === "active" && reason === lastReason;
  const isUsual = nextTrigger === "scheduled" && !link.override && (link.flappingUntil ?? 0) <= now;
  if (!reading || !isAlive || !isUsual || link.inconclusiveChecks > 0) return null;
  return {
    reading: { ...reading, finalUrl: reading.finalUrl ?? link.url },
    reason: lastReason as KnownReading["reason"],
    statusCode: link.lastStatusCode,
    asks: howToAsk(reading, now),
  };
}

function howToAsk(reading: StoredReading, now: number): KnownReading["asks"] {
  const { etag, lastModified, isProven, barredUntil, readAt, notModified } = reading;
  const isBarred = barredUntil !== null && barredUntil > now;
  if (isBarred || (etag === null && lastModified === null)) return "no";
  const ageMs = now - readAt;
  const isTrusted = ageMs >= 0 && ageMs < TRUSTED_MS && notModified < TRUSTED_TIMES;
  return isProven === 1 && isTrusted ? "yes" : "proves";
}

/** Stores what was read, inside the transaction of the results, and forgets what no longer holds. */
export async function writeReadings(tx: Store, settled: Settled[]): Promise<void> {
  const numbersOf = (which: (conclusion: Conclusion, link: ClaimedLink) => boolean) =>
    settled
      .filter(({ outcome, link }) => which(outcome.conclusion, link))
      .map(({ link }) => [link.no]);
  await insertReadings(tx, settled.flatMap(newReading));
  await noteRead(tx, settled.flatMap(readAgain));
  await countNotModified(
    tx,
    numbersOf(({ unchanged }) => unchanged === "not_modified"),
  );
  await forget(
    tx,
    numbersOf(({ unchanged, reading }, link) => !unchanged && !reading && !!link.reading),
  );
}

function newReading({ link, checkedAt, at, outcome: { conclusion } }: Settled) {
  const { reading, unchanged } = conclusion;
  if (!reading || unchanged) return [];
  const { rules, path, content, finalUrl, redirectCount, etag, lastModified } = reading;
  return [
    [
      ...[link.no, checkedAt, at, rules, path, content],
      ...[finalUrl === link.url ? null : finalUrl, redirectCount, etag, lastModified],
      ...proofOf(link, conclusion, at),
    ],
  ];
}

/** The same page, of which only the validators may be new. When it was read counts only if it has some. */
function readAgain({ link, at, outcome: { conclusion } }: Settled) {
  const { unchanged, validators, reading } = conclusion;
  const known = link.reading;
  if (unchanged !== "same_bytes" || !reading || !known) return [];
  const { etag, lastModified } = reading;
  const isNews =
    validators !== undefined ||
    known.notModified > 0 ||
    etag !== known.etag ||
    lastModified !== known.lastModified;
  return isNews ? [[link.no, at, etag, lastModified, ...proofOf(link, conclusion, at)]] : [];
}

function proofOf({ reading }: ClaimedLink, { validators }: Conclusion, at: number) {
  const isProven = validators === "proven" || (reading?.isProven === 1 && validators !== "barred");
  const barredUntil = validators === "barred" ? at + BARRED_MS : (reading?.barredUntil ?? null);
  return [isProven ? 1 : 0, barredUntil];
}

const NEW_READING = sql.raw(READING_COLUMNS.map((name) => `${name} = excluded.${name}`).join(", "));

const insertReadings = onRows(
  {
    link: "bigint",
    was_judged_at: "bigint",
    was_read_at: "bigint",
    by_rules: "bigint",
    the_path: "bigint",
    the_content: "bigint",
    led_to: "text",
    redirects: "bigint",
    tag: "text",
    modified: "text",
    proven: "bigint",
    barred: "bigint",
  },
  (rows) => sql`
    insert into link_readings (link_no, judged_at, ${sql.raw(READING_COLUMNS.join(", "))})
    select link, was_judged_at, was_read_at, 0, by_rules, the_path, the_content, led_to, redirects, tag, modified, proven, barred
    from ${rows} as done where true
    on conflict (link_no) do update set judged_at = excluded.judged_at,
      ${NEW_READING}
  `,
);

const noteRead = onRows(
  {
    link: "bigint",
    at: "bigint",
    tag: "text",
    modified: "text",
    proven: "bigint",
    barred: "bigint",
  },
  (rows) => sql`
    update link_readings set read_at = at, not_modified = 0, etag = tag, last_modified = modified,
      is_proven = proven, barred_until = barred
    from ${rows} as done where link_no = link
  `,
);

const countNotModified = onRows(
  { link: "bigint" },
  (rows) => sql`
    update link_readings set not_modified = not_modified + 1 from ${rows} as done where link_no = link
  `,
);

const forget = onRows(
  { link: "bigint" },
  (rows) => sql`delete from link_readings where link_no in (select link from ${rows} as gone)`,
);
