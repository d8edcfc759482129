import { addAll, newImportId } from "./add.ts";
import { USUAL } from "./choices.ts";
import { FORMATS, recognise } from "./formats.ts";
import { judgeAll } from "./judge.ts";
import { createLedger, type Ledger } from "./ledger.ts";
import { createPace } from "./pace.ts";

/**
 * Adds what a text holds without asking anything, in no group and checked daily.
 * @throws RequestFailed when the server did not answer, Unreadable when the text makes no sense
 */
export async function addList(text: string): Promise<Ledger> {
  const pace = createPace(new AbortController().signal, () => {});
  const { items } = await FORMATS[recognise(text)].read(text, pace);
  const ledger = createLedger(items);
  await judgeAll(ledger, pace);
  await addAll(ledger, { id: newImportId(), choices: USUAL, groupIds: new Map() }, pace);
  return ledger;
}
