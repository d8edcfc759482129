type Writing<T> = {
  write: (group: T[]) => Promise<void>;
  /** Whether the failure is not the group's, so that it may be written another time. */
  isElsewhere: (error: unknown) => boolean;
  /** Hears of an item that cannot be written. */
  lose: (item: T, error: unknown) => void;
};

/** What is still to be written, because of an error that is not its own. */
type Left<T> = { left: T[]; error?: unknown };

/**
 * Writes a group at once; where that fails, its halves, until what cannot be written stands alone, so that it
 * keeps nothing else waiting.
 */
export async function writeByHalves<T>(group: T[], writing: Writing<T>): Promise<Left<T>> {
  try {
    await writing.write(group);
    return { left: [] };
  } catch (error) {
    if (writing.isElsewhere(error)) return { left: group, error };
    const [only] = group;
    if (group.length !== 1 || only === undefined) return writeHalves(group, writing);
    writing.lose(only, error);
    return { left: [] };
  }
}

async function writeHalves<T>(group: T[], writing: Writing<T>): Promise<Left<T>> {
  const middle = Math.ceil(group.length / 2);
  const [first, second] = [group.slice(0, middle), group.slice(middle)];
  const { left, error } = await writeByHalves(first, writing);
  return left.length > 0 ? { left: [...left, ...second], error } : writeByHalves(second, writing);
}
