import type { Clock } from "../lib/clock.ts";
import { VERSION } from "../lib/version.ts";
import type { Store } from "../store/store.ts";
import { versions } from "../store/tables.ts";

/** Remembers that this version serves the database, so that an older one can say who wrote it. */
export async function noteVersion(store: Store, clock: Clock): Promise<void> {
  const row = { version: VERSION, firstStartedAt: clock.now() };
  await store.insert(versions).values(row).onConflictDoNothing();
}
