import { inArray } from "drizzle-orm";
import { LRUCache } from "lru-cache";
import { preparedOnce, type Store } from "../ground/db/store.ts";
import { type HostSettingRow, hostSettings } from "../ground/db/tables.ts";
import { createLoader } from "../ground/lib/concurrency.ts";
import { type HostSetting, settingFor } from "../judge/probe/host-setting.ts";
import type { Deps } from "../work/deps.ts";
import { openSecrets } from "./secrets.ts";

/** The settings of an account, the sealed parts opened; a null in place of one that cannot be opened. */
type Known = { at: number; settings: Setting[] };
type Setting = { host: string; setting: FoundSetting | null };

/** With the time when a check with it last found a page, in milliseconds since 1970. */
type FoundSetting = HostSetting & { lastSuccessAt: number | null };
/** "unreadable" if its secrets were sealed with another key. */
export type FoundHost = FoundSetting | "unreadable" | null;

/** Other nodes may change a setting. A check uses none that was read longer ago. */
const KEPT_MS = 5000;
const ACCOUNTS_KEPT = 10_000;

const caches = preparedOnce((store: Store) => ({
  known: new LRUCache<string, Known>({ max: ACCOUNTS_KEPT }),
  /** Counts changes in this process, so that nothing is kept that was read before one. */
  changes: 0,
  load: createLoader((accountIds: string[]) => readRows(store, accountIds)),
}));

type LookupDeps = Pick<Deps, "store" | "clock" | "secrets">;

/**
 * Returns what the account sends to the host of a URL; null for nothing. At once where that is known, so that a check
 * of a link without settings waits for nothing.
 */
export function hostSettingFor(
  deps: LookupDeps,
  accountId: string,
  url: string,
): FoundHost | Promise<FoundHost> {
  const known = freshOf(deps, accountId);
  return known ? pick(known, url) : read(deps, accountId).then((read) => pick(read, url));
}

/** Reads the settings of accounts, in one statement, unless they are known: so that their checks can begin at once. */
export async function readHostSettings(
  deps: LookupDeps,
  accountIds: ReadonlySet<string>,
): Promise<void> {
  const unknown = [...accountIds].filter((id) => !freshOf(deps, id));
  await Promise.all(unknown.map((id) => read(deps, id)));
}

function freshOf({ store, clock }: LookupDeps, accountId: string): Known | null {
  const known = caches(store).known.get(accountId);
  return known && clock.elapsed() - known.at < KEPT_MS ? known : null;
}

function pick({ settings }: Known, url: string): FoundHost {
  const host = settings.length === 0 ? undefined : URL.parse(url)?.host;
  const found = host === undefined ? null : settingFor(settings, host);
  return found && (found.setting ?? "unreadable");
}

async function read(deps: LookupDeps, accountId: string): Promise<Known> {
  const cache = caches(deps.store);
  const { changes } = cache;
  const at = deps.clock.elapsed();
  const rows = (await cache.load(accountId)) ?? [];
  const known = {
    at,
    settings: rows.map((row) => ({ host: row.host, setting: toSetting(deps, row) })),
  };
  if (changes === cache.changes) cache.known.set(accountId, known);
  return known;
}

function toSetting(deps: LookupDeps, row: HostSettingRow): FoundSetting | null {
  const secrets = openSecrets(deps, row);
  const { id, version, host, userAgent, allowHttp, lastSuccessAt } = row;
  return secrets && { id, version, host, ...secrets, userAgent, allowHttp, lastSuccessAt };
}

async function readRows(
  store: Store,
  accountIds: string[],
): Promise<Map<string, HostSettingRow[]>> {
  const rows = await store
    .select()
    .from(hostSettings)
    .where(inArray(hostSettings.accountId, accountIds));
  return Map.groupBy(rows, ({ accountId }) => accountId);
}

/** Makes the checks of this process use what a change has committed. */
export function forgetHostSettings({ store }: Pick<Deps, "store">, accountId: string): void {
  const cache = caches(store);
  cache.changes++;
  cache.known.delete(accountId);
}
