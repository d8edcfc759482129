import { Refused } from "../../db/store.ts";
import type { Coming } from "./notes.ts";
import type { Source } from "./source.ts";
import type { Target } from "./target.ts";

/** Rows in any of these belong to someone. The others have rows in any database that was started once. */
export const CONTENT = [
  "accounts",
  "users",
  "groups",
  "links",
  "checks",
  "webhooks",
  "events",
  "audit",
];

/** How far an earlier call has come: of a database that is `there` only the old one does not know yet. */
export type Found = "new" | "begun" | "there";

/**
 * Looks before anything is changed.
 * @param to names the database
 * @throws Refused when it has anything that did not come by this very move
 */
export async function refuseUnfit(target: Target, to: string, coming: Coming): Promise<Found> {
  const tables = await target.tables();
  if (tables.length === 0) return "new";
  if (!tables.includes("migrations")) {
    throw new Refused(`${to} has tables that do not belong to Stillup (${tables[0]}). ${ANEW}`);
  }
  if (tables.includes("facts")) {
    const { under, cameBy } = await target.notes();
    if (cameBy?.id === coming.id) return "there";
    if (under) return begun(under, to, coming);
  }
  const node = await target.servedBy();
  if (node) throw new Refused(`${to} is being served by ${node}. ${ANEW}`);
  const filled = await target.filled(CONTENT.filter((name) => tables.includes(name)));
  if (filled) throw new Refused(`${to} is not empty: there are rows in ${filled}. ${ANEW}`);
  return "new";
}

const ANEW = "Make a new, empty database for the move.";

function begun(under: Coming, to: string, { id, head }: Coming): Found {
  if (under.id !== id) throw new Refused(`${to} is being filled by another move. ${ANEW}`);
  if (under.head === head) return "begun";
  throw new Refused(
    `The move to ${to} was begun by version ${under.version}, which had other tables. ${ANEW}`,
  );
}

/** @throws when a table of the old database has no place in the new one: nothing is left out in silence */
export async function refuseOtherTables({ tables }: Source, target: Target): Promise<void> {
  for (const { name, columns } of tables) {
    const there = await target.columns(name);
    if (columns.toSorted().join() !== there.toSorted().join()) {
      throw new Error(`The table ${name} is not the same in both databases.`);
    }
  }
}
