import type { Statement, Store } from "../db/store.ts";
import { chunksOf, yieldToEventLoop } from "../lib/steps.ts";

type Pieces<Link> = {
  /** So few that nobody waits long for them. */
  atOnce: number;
  /** Records all of it, with the first batch. */
  entry: Statement[];
  writeOf: (some: Link[]) => Statement[];
  /** Keeps the reply, with the last batch. */
  receipt: Statement[];
};

/**
 * Writes about many links in several batches, between which others go first. Whoever asks again after a crash
 * in between brings the rest to where the first of them are.
 */
export async function writeInPieces<Link>(
  store: Store,
  links: Link[],
  { atOnce, entry, writeOf, receipt }: Pieces<Link>,
): Promise<void> {
  const pieces = chunksOf(atOnce, links);
  const last = pieces.pop() ?? [];
  let before = entry;
  for (const some of pieces) {
    await store.write([...before, ...writeOf(some)]);
    before = [];
    await yieldToEventLoop();
  }
  await store.write([...before, ...writeOf(last), ...receipt]);
}
