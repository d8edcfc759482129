import type { Store } from "../db/store.ts";
import { chunksOf, yieldToEventLoop } from "../lib/steps.ts";

type Pieces<Link> = {
  /** Few enough that other requests do not wait long. */
  atOnce: number;
  /** Writes some of the links and returns how many it wrote. */
  write: (tx: Store, some: Link[]) => Promise<number>;
  /** Records the whole change. Called in the first transaction that wrote something. */
  audit: (tx: Store) => Promise<void>;
  /** Called in the last transaction. */
  saveReply: (tx: Store) => Promise<void>;
};

/**
 * Writes many links in several transactions, so that other requests run in between. After a crash some links are
 * written and others are not; repeating the request completes it.
 */
export async function writeInPieces<Link>(
  store: Store,
  links: Link[],
  { atOnce, write, audit, saveReply }: Pieces<Link>,
): Promise<void> {
  const pieces = chunksOf(atOnce, links);
  const last = pieces.pop() ?? [];
  let isAudited = false;
  const writePiece = async (tx: Store, some: Link[]) => {
    const isChanged = (await write(tx, some)) > 0;
    if (isChanged && !isAudited) await audit(tx);
    return isChanged;
  };
  for (const some of pieces) {
    const isChanged = await store.transaction((tx) => writePiece(tx, some));
    isAudited ||= isChanged;
    await yieldToEventLoop();
  }
  await store.transaction(async (tx) => {
    await writePiece(tx, last);
    await saveReply(tx);
  });
}
