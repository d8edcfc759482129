import { recognise } from "../../../../server/links/imports/formats.ts";
import { addAll, newImportId } from "./add.ts";
import { USUAL } from "./choices.ts";
import { judgeAll } from "./judge.ts";
import { createLedger, type Ledger } from "./ledger.ts";
import { createPace } from "./pace.ts";
import { readList } from "./read-list.ts";

/**
 * Adds what a text holds without asking anything, in no group and checked daily.
 * @throws RequestFailed when the server did not answer, Unreadable when the text makes no sense
 */
export async function addList(text: string): Promise<Ledger> {
  const pace = createPace(new AbortController().signal, () => {});
  const { items } = await readList(recognise(text), text, pace);
  const ledger = createLedger(items);
  await judgeAll(ledger, pace);
  await addAll(ledger, { id: newImportId(), choices: USUAL, groupIds: new Map() }, pace);
  return ledger;
}
