import { Database } from "bun:sqlite";
import { openDeps } from "../../server/build.ts";
import { readConfig } from "../../server/config.ts";
import { createKey } from "../../server/keys/keys.ts";
import { systemClock } from "../../server/lib/clock.ts";
import { newId } from "../../server/lib/ids.ts";
import { accounts } from "../../server/store/tables.ts";

/** An account with so many links, checked once and due in a day, on a fresh database in the folder. */
export async function fill(
  folder: string,
  links: number,
): Promise<{ key: string; linkId: string }> {
  const config = readConfig({ STILLUP_DATA_DIR: folder });
  const { deps } = await openDeps(config, systemClock);
  const now = Date.now();
  const accountId = newId();
  const account = {
    id: accountId,
    email: "bench@example.org",
    tier: "enterprise",
    createdAt: now,
  } as const;
  await deps.store.insert(accounts).values(account);
  const caller = { accountId, tier: account.tier, permissions: { read: true, write: true } };
  const { value } = await createKey(deps, caller, { name: "bench" });
  await deps.store.engine.close();
  return { key: value, linkId: insertLinks(`${folder}/stillup.db`, accountId, links, now) };
}

/** Straight into the table, since a million rows through the API would be a benchmark of its own. */
function insertLinks(path: string, accountId: string, count: number, now: number): string {
  const database = new Database(path);
  const insert = database.prepare(`
    INSERT INTO links (id, account_id, url, url_key, service, status, reason, status_changed_at,
      decided_status, last_active_at, inconclusive_checks, check_frequency, next_check_at, next_trigger,
      last_status, last_reason, last_status_code, last_response_time_ms, last_checked_at, created_at, updated_at)
    VALUES (?, ?, ?, ?, 'generic', ?, 'ok', ?, 'active', ?, 0, 'daily', ?, 'scheduled',
      'active', 'ok', 200, 120, ?, ?, ?)`);
  let id = "";
  database.transaction(() => {
    for (let i = 0; i < count; i++) {
      id = newId();
      const url = `https://site-${i % 5000}.example.org/page/${i}`;
      const status = i % 20 === 0 ? "dead" : "active";
      const due = now + 86_400_000 + i;
      insert.run(id, accountId, url, url, status, now, now, due, now, now - count + i, now);
    }
  })();
  database.close();
  return id;
}
