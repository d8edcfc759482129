import { sql } from "drizzle-orm";
import { onRows, type Store } from "../../ground/db/store.ts";
import { inheritMutes } from "./inherit.ts";
import { openLinks } from "./open.ts";
import { recordActions } from "./timeline.ts";

/** A link that was checked, and when. */
type Checked = { no: number; at: number };

/**
 * Ends the acknowledgements of links whose status or reason has changed, in the transaction that records it. It is not
 * decided by what the checker knew of the link, since it may have been acknowledged during the check.
 */
export async function endAcknowledgements(tx: Store, changed: Checked[]): Promise<void> {
  const ended = (await selectAcknowledged(tx, changed.map(cellsOf))) as [no: number, at: number][];
  await openLinks(
    tx,
    ended.map(([no]) => no),
  );
  await recordActions(
    tx,
    ended.map(([no, at]) => ({ no, at, kind: "acknowledgement_ended", actor: null })),
  );
  const at = Math.max(...ended.map(([, changedAt]) => changedAt));
  await inheritMutes(
    tx,
    ended.map(([no]) => no),
    at,
  );
}

const cellsOf = ({ no, at }: Checked) => [no, at];
const CHECKED = { link: "bigint", changed_at: "bigint" } as const;

const selectAcknowledged = onRows(
  CHECKED,
  (rows) => sql`
    select link_no, changed_at from ${rows} as changed
    join link_details on link_no = link and handling = 'acknowledged'
  `,
);

export type OverrideEnd = Checked & { why: "expired" | "worked" | "changed" };

/** Removes overrides that a check has ended, in the transaction that records it. */
export async function endOverrides(tx: Store, ended: OverrideEnd[]): Promise<void> {
  await removeOverrides(
    tx,
    ended.map(({ no }) => [no]),
  );
  await recordActions(
    tx,
    ended.map(({ no, at, why }) => ({ no, at, kind: "override_ended", actor: null, detail: why })),
  );
}

const removeOverrides = onRows(
  { link: "bigint" },
  (rows) => sql`
    update link_details set override = null, override_until = null
    where link_no in (select link from ${rows} as ended)
  `,
);

/** Remembers deaths of muted links, of which people hear when the mute ends, and forgets those that ended before. */
export async function noteSilentDeaths(
  tx: Store,
  { died, recovered }: { died: Checked[]; recovered: Checked[] },
): Promise<void> {
  await noteDeaths(tx, died.map(cellsOf));
  await forgetDeaths(tx, recovered.map(cellsOf));
}

const noteDeaths = onRows(
  CHECKED,
  (rows) => sql`
    update link_details set silent_death_at = changed_at from ${rows} as died
    where link_no = link and handling = 'muted'
  `,
);

const forgetDeaths = onRows(
  CHECKED,
  (rows) => sql`
    update link_details set silent_death_at = null
    where link_no in (select link from ${rows} as recovered) and silent_death_at is not null
  `,
);
