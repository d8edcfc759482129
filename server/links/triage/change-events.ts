import { toIso, toIsoOrNull } from "../../ground/lib/moments.ts";
import type { Caller } from "../../http/caller.ts";
import { EDITED } from "../../notify/event-types.ts";
import { type NewEvent, publishEvents, readSubscriptions } from "../../notify/events.ts";
import type { Deps } from "../../work/deps.ts";
import type { LinkDetails } from "../fields/registry.ts";

/** A link that was changed, with what is known of it afterwards. */
type Changed = {
  link: { id: string; url: string };
  after: LinkDetails;
  fields: string[];
  previousUrl?: string;
};

/** Publishes `link.changed`, in the transaction that makes the change. */
export async function publishChanges(
  { store: tx }: Pick<Deps, "store">,
  { accountId }: Pick<Caller, "accountId">,
  changes: Changed[],
  at: number,
): Promise<void> {
  if (changes.length === 0) return;
  const toEvent = ({ link, after, fields, previousUrl }: Changed): NewEvent => ({
    type: "link.changed",
    accountId,
    at,
    data: {
      linkId: link.id,
      url: link.url,
      previousUrl: previousUrl ?? null,
      fields,
      assigneeId: after.assignee?.id ?? null,
      handling: after.handling,
      mutedUntil: toIsoOrNull(after.mutedUntil),
      changedAt: toIso(at),
      ...EDITED,
    },
  });
  const isWanted = await readSubscriptions(tx, [accountId]);
  const first = toEvent(changes[0]!);
  if (isWanted(first)) await publishEvents(tx, changes.map(toEvent));
}
