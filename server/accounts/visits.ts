import { eq, sql } from "drizzle-orm";
import { prepared } from "../ground/db/store.ts";
import { visits } from "../ground/db/tables.ts";
import type { Deps } from "../work/deps.ts";

/** A visit ends with its last request, once this time has passed without another. */
const PAUSE_MS = 30 * 60_000;

const numbered = (name: string) => sql`cast(${sql.placeholder(name)} as bigint)`;

/** A clock that was set back does not end a visit. */
const note = prepared(
  () => sql`
    insert into visits (user_id, seen_at, previous_ended_at) values (${sql.placeholder("user")}, ${numbered("now")}, null)
    on conflict (user_id) do update set
      previous_ended_at = case when excluded.seen_at - visits.seen_at > ${sql.raw(String(PAUSE_MS))}
        then visits.seen_at else visits.previous_ended_at end,
      seen_at = excluded.seen_at
  `,
);

/** Notes that the person uses the dashboard now. */
export const noteVisit = ({ store, clock }: Pick<Deps, "store" | "clock">, userId: string) =>
  note(store, { user: userId, now: clock.now() });

/** Returns when the person's visit before the current one ended, in milliseconds since 1970; null on the first. */
export async function findEndOfLastVisit(
  { store }: Pick<Deps, "store">,
  userId: string,
): Promise<number | null> {
  const [row] = await store
    .select({ at: visits.previousEndedAt })
    .from(visits)
    .where(eq(visits.userId, userId));
  return row?.at ?? null;
}
