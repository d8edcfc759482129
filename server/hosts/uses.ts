import { sql } from "drizzle-orm";
import { onRows, type Store } from "../ground/db/store.ts";
import type { Conclusion } from "../judge/probe/conclusion.ts";

/** How a check ended, at `at` in milliseconds since 1970. */
type Ended = { at: number; host: Conclusion["host"] };

type Failing = { settingId: string; accountId: string };

/** Successes are written this far apart, since every check of a host may be one. */
const APART_MS = 60_000;

/**
 * Writes when the settings for hosts last worked, or since when they have not, inside the transaction of the results.
 * A setting that was changed after the check began learns nothing.
 * @returns the settings that have begun to fail
 */
export async function writeHostUses(tx: Store, ended: Ended[]): Promise<Failing[]> {
  const last = new Map<string, [string, number, number, string]>();
  for (const { at, host } of ended.toSorted((a, b) => a.at - b.at)) {
    if (host) last.set(host.id, [host.id, host.version, at, host.found]);
  }
  const rows = [...last.values()].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const written = await writeUses(tx, rows);
  return written.flatMap(([settingId, accountId, since]) =>
    since === null ? [] : [{ settingId: settingId as string, accountId: accountId as string }],
  );
}

const writeUses = onRows(
  { setting: "text", of_version: "bigint", at: "bigint", found: "text" },
  (rows) => sql`
    update host_settings set
      last_success_at = case when found = 'accepted' then at else last_success_at end,
      failing_since = case when found = 'accepted' then null else coalesce(failing_since, at) end
    from ${rows} as done
    where host_settings.id = setting and version = of_version and case when found = 'accepted'
      then failing_since is not null or coalesce(last_success_at, 0) <= at - ${sql.raw(String(APART_MS))}
      else failing_since is null end
    returning host_settings.id, host_settings.account_id, host_settings.failing_since
  `,
);
