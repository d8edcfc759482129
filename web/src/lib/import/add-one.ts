import { recognise } from "../../../../server/links/imports/formats.ts";
import { itemOf } from "../../../../server/links/imports/item.ts";
import type { Group } from "../groups.ts";
import { addAll, newImportId } from "./add.ts";
import { type Choices, makeGroups, neededGroups, withGroup } from "./choices.ts";
import { judgeAll } from "./judge.ts";
import { createLedger, type Ledger } from "./ledger.ts";

const AT_ONCE = { rest: async () => {} };

/**
 * Adds a single URL, after it was judged, so that no group is made for one that is refused.
 * @throws RequestFailed when the server did not answer
 */
export async function addOne(url: string, choices: Choices, groups: Group[]): Promise<Ledger> {
  const ledger = createLedger([itemOf(url, 1)]);
  const id = newImportId();
  await judgeAll(ledger, AT_ONCE);
  if (ledger.counts.new === 0) return ledger;
  const groupIds = await makeGroups(neededGroups(ledger, choices, groups), groups, id);
  await addAll(ledger, { id, choices: withGroup(choices, groupIds), groupIds }, AT_ONCE);
  return ledger;
}

/** Whether the text is one URL and nothing else, so that there is no list to look at first. */
export const isSingle = (text: string) => /^\S+$/.test(text.trim()) && recognise(text) === "text";
