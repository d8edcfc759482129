/** The items in their order, cut into lists of at most `size`: what one statement takes at a time. */
export function chunksOf<T>(size: number, items: readonly T[]): T[][] {
  const chunks: T[][] = [];
  for (let i = 0; i < items.length; i += size) chunks.push(items.slice(i, i + size));
  return chunks;
}
