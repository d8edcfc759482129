import { eq } from "drizzle-orm";
import { auditChange, linkTarget } from "../accounts/audit.ts";
import { lockLinks } from "../ground/db/queries.ts";
import { links } from "../ground/db/tables.ts";
import { conflict } from "../ground/lib/errors.ts";
import type { Caller } from "../http/caller.ts";
import { acceptAll } from "../judge/identity/compare.ts";
import type { Unit } from "../work/unit.ts";
import { findLink, findLinkDetail } from "./links.ts";
import { readMemories, writeMemories } from "./memories.ts";
import type { LinkDetailRow } from "./model.ts";
import { recordActions } from "./triage/timeline.ts";

const NOTHING = conflict(
  "Nothing is remembered of this page yet: wait for its second check, a day after the first.",
  { reason: "nothing_remembered" },
);

const NOT_ACTIVE = conflict(
  "The last check did not find the link active, so there is no page to accept.",
  { reason: "not_active" },
);

const FREE = { lease: null, checkingUntil: null, nextTrigger: "manual" } as const;

/**
 * Makes the page that a link shows now the remembered one, and the link due. A check that is under way counts for nothing.
 * @throws CONFLICT when nothing is remembered, or the last check did not find the link active
 */
export async function acceptPage(unit: Unit, caller: Caller, id: string): Promise<LinkDetailRow> {
  const { no } = await findLink(unit, caller, id);
  await lockLinks(unit.store, [no]);
  const link = await findLink(unit, caller, id);
  const stored = (await readMemories(unit.store, [no])).get(no);
  if (!stored || stored.state === "learning") throw NOTHING;
  const isThere = link.lastStatus === "active" || link.lastReason === "domain_changed_hands";
  if (!isThere) throw NOT_ACTIVE;
  const { version, ...memory } = stored;
  const at = unit.clock.now();
  acceptAll(memory, at);
  await writeMemories(unit.store, [{ linkNo: no, accountNo: link.accountNo, memory, version }]);
  await unit.store
    .update(links)
    .set({ ...FREE, nextCheckAt: at, updatedAt: at })
    .where(eq(links.no, no));
  await recordActions(unit.store, [{ no, at, kind: "page_accepted", actor: caller.by.name }]);
  await auditChange(unit, caller, { action: "link.page_accepted", target: linkTarget([link]) });
  return findLinkDetail(unit, caller, id);
}
