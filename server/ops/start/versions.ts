import type { Store } from "../../db/store.ts";
import { versions } from "../../db/tables.ts";
import type { Clock } from "../../lib/clock.ts";
import { VERSION } from "../../lib/runtime.ts";

/** Remembers that this version serves the database, so that an older one can say who wrote it. */
export async function noteVersion(store: Store, clock: Clock): Promise<void> {
  const row = { version: VERSION, firstStartedAt: clock.now() };
  await store.insert(versions).values(row).onConflictDoNothing();
}
