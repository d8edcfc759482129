import { chunksOf } from "../lib/chunks.ts";
import { giveWay } from "../lib/give-way.ts";
import type { Statement, Store } from "../store/store.ts";

/**
 * Writes about many links in several batches, between which others go first, and the receipt with the last
 * of them: whoever asks again after a crash in between brings the rest to where the first of them are.
 * @param atOnce so few that nobody waits long for them
 */
export async function writeInPieces<Link>(
  store: Store,
  links: Link[],
  atOnce: number,
  writeOf: (some: Link[]) => Statement[],
  receipt: Statement[],
): Promise<void> {
  const pieces = chunksOf(atOnce, links);
  const last = pieces.pop() ?? [];
  for (const some of pieces) {
    await store.write(writeOf(some));
    await giveWay();
  }
  await store.write([...writeOf(last), ...receipt]);
}
