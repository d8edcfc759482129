/** How many rows a step gives at most, and how many it looks at, of which few may be wanted. */
export type StepSize = { rowsAtOnce: number; walkedAtOnce: number };

/** A long list in the order of its keys, and how to read a stretch of it. */
type Walk<Key, Row> = {
  /** The key some way further on; null when the list ends before. */
  markAfter(key: Key | null): Promise<Key | null>;
  /** The first rows that are wanted after the one key, up to the other or to the end. */
  read(after: Key | null, upTo: Key | null): Promise<Row[]>;
  keyOf(row: Row): Key;
  /** `read` gives so many rows at most. */
  rowsAtOnce: StepSize["rowsAtOnce"];
};

/**
 * Reads a list of any length in short steps, however few of its rows are wanted. It goes on from keys, so
 * that rows which come or go meanwhile make it neither skip nor repeat any other.
 */
export async function* walk<Key, Row>({
  markAfter,
  read,
  keyOf,
  rowsAtOnce,
}: Walk<Key, Row>): AsyncGenerator<Row[], void> {
  let after: Key | null = null;
  for (;;) {
    const mark: Key | null = await markAfter(after);
    for (;;) {
      const rows = await read(after, mark);
      if (rows.length > 0) yield rows;
      if (rows.length < rowsAtOnce) break;
      after = keyOf(rows.at(-1)!);
    }
    if (mark === null) return;
    after = mark;
  }
}
