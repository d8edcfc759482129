import { type SQL, sql } from "drizzle-orm";
import type { Caller } from "../../api/caller.ts";
import type { Store } from "../../db/store.ts";
import { checks } from "../../db/tables.ts";
import type { LinkHistoryRow } from "../../history/model.ts";
import { checksNamedBy } from "../../history/read-checks.ts";
import { spanOf } from "../../history/span.ts";
import { ownerOf, type Subject, subjectOf } from "../../history/subject.ts";
import { type StepSize, walk } from "../../lib/steps.ts";
import type { Deps } from "../../work/deps.ts";
import type { HistoryExportQuery } from "./model.ts";

const STEP: StepSize = { rowsAtOnce: 500, walkedAtOnce: 10_000 };

/** Where a check stands among those of its account. */
type Key = { checkedAt: number; linkNo: number };

type ExportedCheck = LinkHistoryRow & Key;

const NEWEST_FIRST = sql.raw("order by checked_at desc, link_no desc");

/** The checks that fit, newest first, some at a time. A stranger's link has none. */
export async function* exportedHistory(
  { store }: Deps,
  caller: Caller,
  query: HistoryExportQuery,
  size = STEP,
): AsyncGenerator<ExportedCheck[], void> {
  const subject = await subjectOf(store, caller, query);
  if (subject) yield* walkChecks(store, subject, query, size);
}

function walkChecks(
  store: Store,
  subject: Subject,
  query: HistoryExportQuery,
  { rowsAtOnce, walkedAtOnce }: StepSize,
) {
  const { readPool } = store;
  const between = stretchOf(subject, query);
  const fits = fitting(query);
  return walk<Key, ExportedCheck>({
    rowsAtOnce,
    keyOf: ({ checkedAt, linkNo }) => ({ checkedAt, linkNo }),
    markAfter: async (last) => {
      const { checkedAt, linkNo } = checks;
      const [mark] = await readPool
        .select({ checkedAt, linkNo })
        .from(checks)
        .where(sql`${between(last, null)} ${NEWEST_FIRST} limit 1 offset ${walkedAtOnce - 1}`);
      return mark ?? null;
    },
    read: (after, upTo) =>
      checksNamedBy(
        readPool,
        sql`select account_no, checked_at, link_no from checks
          where ${between(after, upTo)} ${fits} ${NEWEST_FIRST} limit ${rowsAtOnce}`,
      ),
  });
}

/**
 * The subject's checks after the one key up to the other, or from where the time that is asked for begins
 * to its end, as far as they are kept. Each side is bounded once, and by the moment alone: of two bounds
 * SQLite may walk to the farther one.
 */
function stretchOf({ of, no, since }: Subject, query: HistoryExportQuery) {
  const { from, until } = spanOf(query);
  const begin = Math.max(from, since);
  return (after: Key | null, upTo: Key | null): SQL => {
    const newest = after
      ? sql`checked_at <= ${after.checkedAt} and (checked_at < ${after.checkedAt} or link_no < ${after.linkNo})`
      : sql`checked_at < ${until}`;
    const oldest = upTo
      ? sql`checked_at >= ${upTo.checkedAt} and (checked_at > ${upTo.checkedAt} or link_no >= ${upTo.linkNo})`
      : sql`checked_at >= ${begin}`;
    return sql`${ownerOf(of)} = ${no} and ${newest} and ${oldest}`;
  };
}

/** Checks are known by their kinds, of which there are some hundreds. */
function fitting({ status, changed }: HistoryExportQuery): SQL {
  if (!status && !changed) return sql``;
  const withStatus = status ? sql`and status = ${status}` : sql``;
  const withChange = changed ? sql`and status_changed = ${changed === "true" ? 1 : 0}` : sql``;
  return sql`and kind_no in (select no from check_kinds where true ${withStatus} ${withChange})`;
}
