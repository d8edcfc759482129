import { eq, sql } from "drizzle-orm";
import type { Store } from "./store.ts";
import { numbers } from "./tables.ts";

const THE_ROW = 1;

/**
 * Takes so many numbers for new accounts, groups or links, which share one row of them, and gives the
 * first. Later ones are higher, so that links are listed by their number. What is not used is lost.
 */
export async function takeNumbers(store: Store, count: number): Promise<number> {
  const [row] = await store
    .update(numbers)
    .set({ next: sql`${numbers.next} + ${count}` })
    .where(eq(numbers.id, THE_ROW))
    .returning({ next: numbers.next });
  return row!.next - count;
}
