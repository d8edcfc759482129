import { and, eq, sql } from "drizzle-orm";
import { pointRead } from "../db/queries.ts";
import type { Store } from "../db/store.ts";
import { checkKinds, checks } from "../db/tables.ts";
import type { StatusChange } from "./model.ts";

const { kindNo, checkedAt, evidence } = checks;
const { status, previousStatus, statusChanged, reason, statusCode, cause } = checkKinds;

const checkAt = pointRead({ kindNo, checkedAt, evidence }, (store, columns) =>
  store
    .select(columns)
    .from(checks)
    .where(
      and(
        eq(checks.linkNo, sql.placeholder("linkNo")),
        eq(checks.checkedAt, sql.placeholder("at")),
      ),
    ),
);

const kindByNo = pointRead(
  { status, previousStatus, statusChanged, reason, statusCode, cause },
  (store, columns) =>
    store
      .select(columns)
      .from(checkKinds)
      .where(eq(checkKinds.no, sql.placeholder("no"))),
);

/**
 * The check that changed the status of a link at that moment, if it is still kept. Two point reads, since
 * SQLite takes several times as long for one that joins.
 */
export async function changeAt(
  store: Store,
  check: { linkNo: number; at: number },
): Promise<StatusChange | undefined> {
  const found = await checkAt(store, check);
  if (!found) return undefined;
  const kind = await kindByNo(store, { no: found.kindNo });
  return kind?.statusChanged ? { ...found, ...kind } : undefined;
}
