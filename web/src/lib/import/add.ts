import { api, ask, RequestFailed } from "../api.ts";
import type { Choices } from "./choices.ts";
import { settleFailure, toLink } from "./judge.ts";
import { type Ledger, outcomeAt, partFrom, settle } from "./ledger.ts";
import type { Pace } from "./pace.ts";

/** Waits before the further attempts of a part, for trouble that passes by itself. */
const WAITS_MS = [250, 1_000];

/** What one import adds, the same whenever it is tried again. */
type Plan = {
  /** Names the import, so that a part which was answered already is not added again. */
  id: string;
  choices: Choices;
  /** The ids of the groups that the list names. */
  groupIds: Map<string, string>;
};

/**
 * Adds what is new, part by part. Goes on where it was stopped.
 * @throws RequestFailed when a part was not answered; it may be tried again
 */
export async function addAll(ledger: Ledger, plan: Plan, pace: Pace): Promise<void> {
  const total = ledger.counts.new + ledger.counts.added;
  for (let start = 0; start < ledger.items.length; ) {
    const { indexes, next } = partFrom(ledger, start, (i) => outcomeAt(ledger, i) === "new");
    if (indexes.length > 0) await patiently(() => addPart(ledger, plan, indexes));
    start = next;
    await pace.rest(total === 0 ? 1 : ledger.counts.added / total);
  }
}

/** Names an import. Also where the page came over plain http, and has no `randomUUID`. */
export const newImportId = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");

async function addPart(ledger: Ledger, plan: Plan, indexes: number[]) {
  const links = indexes.map((i) => {
    const item = ledger.items[i]!;
    const check_frequency = plan.choices.frequency;
    return { check_frequency, ...toLink(item), group_id: groupOf(plan, item.group) };
  });
  const headers = { "idempotency-key": `${plan.id}-${indexes[0]}` };
  const { results } = await ask(api.links.batch.post({ links }, { headers }));
  for (const result of results) {
    const index = indexes[result.index]!;
    if (result.status === "created") settle(ledger, index, "added", result.link.id);
    else settleFailure(ledger, indexes, index, result.error);
  }
}

/** The list's own word counts before what was chosen for all. */
function groupOf({ choices, groupIds }: Plan, named: string): string | null {
  const own = choices.usesNamed ? groupIds.get(named) : undefined;
  return own ?? (choices.groupId || null);
}

/** Trouble of the network or the server is given time to pass; a refusal is not. */
async function patiently(attempt: () => Promise<void>) {
  for (const ms of WAITS_MS) {
    try {
      return await attempt();
    } catch (error) {
      const mayPass = error instanceof RequestFailed && (error.status === 0 || error.status >= 500);
      if (!mayPass) throw error;
      await new Promise((resolve) => setTimeout(resolve, ms));
    }
  }
  return attempt();
}
