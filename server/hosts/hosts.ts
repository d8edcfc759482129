import { and, asc, eq, inArray } from "drizzle-orm";
import { auditChange, fieldsOf } from "../accounts/audit.ts";
import type { Store } from "../ground/db/store.ts";
import { type HostSettingRow, hostSettings, siteHosts } from "../ground/db/tables.ts";
import { conflict, foreign, invalid, limitReached, notFound } from "../ground/lib/errors.ts";
import { newId, parseId } from "../ground/lib/ids.ts";
import { type Page, windowOf } from "../ground/lib/paging.ts";
import { siteOfUrl } from "../ground/lib/site.ts";
import { isExternalName } from "../ground/net/policy.ts";
import type { Caller } from "../http/caller.ts";
import { settingFor } from "../judge/probe/host-setting.ts";
import type { Deps } from "../work/deps.ts";
import type { Unit } from "../work/unit.ts";
import { forgetHostSettings } from "./lookup.ts";
import {
  changedSecrets,
  type FoundSetting,
  type HostSettingChange,
  type HostSettingQuery,
  MOST_SETTINGS,
  type NewHostSetting,
} from "./model.ts";
import { openSecrets, type Secrets, sealSecrets } from "./secrets.ts";

export async function listHostSettings(
  deps: Deps,
  caller: Caller,
  query: HostSettingQuery,
): Promise<Page<FoundSetting>> {
  const { limit, offset } = windowOf(query);
  const rows = await rowsOfAccount(deps.store, caller);
  const items = await found(deps, caller, rows.slice(offset, offset + limit), rows);
  return { items, total: rows.length };
}

/** @throws NOT_FOUND, or FORBIDDEN for a setting of another account */
export async function findHostSetting(
  deps: Deps,
  caller: Caller,
  id: string,
): Promise<FoundSetting> {
  const [row] = await deps.store
    .select()
    .from(hostSettings)
    .where(eq(hostSettings.id, parseId(id) ?? ""));
  if (!row) throw notFound("host setting");
  if (row.accountId !== caller.accountId) throw foreign("host setting");
  const [item] = await found(deps, caller, [row], await rowsOfAccount(deps.store, caller));
  return item!;
}

/** @throws VALIDATION_ERROR; CONFLICT for a host that has a setting, or at the limit */
export async function createHostSetting(
  unit: Unit,
  caller: Caller,
  { host, headers, auth, user_agent: userAgent, allow_http: allowHttp }: NewHostSetting,
): Promise<FoundSetting> {
  if (allowHttp) refuseHttp(unit, host);
  const others = await rowsOfAccount(unit.store, caller);
  const same = others.find((row) => row.host === host);
  if (same) throw duplicate(same);
  if (others.length >= MOST_SETTINGS) {
    throw limitReached("host settings", MOST_SETTINGS, others.length);
  }
  const now = unit.clock.now();
  const secrets: Secrets = { headers: headers.map(({ name, value }) => [name, value]), auth };
  const row: HostSettingRow = {
    id: newId(),
    accountId: caller.accountId,
    host,
    userAgent,
    allowHttp,
    version: 1,
    sealed: sealSecrets(unit, secrets),
    lastSuccessAt: null,
    failingSince: null,
    createdAt: now,
    updatedAt: now,
  };
  await unit.store.insert(hostSettings).values(row);
  await recordChanged(unit, caller, { action: "host_setting.created", target: targetOf(row) });
  const [setting] = await found(unit, caller, [row], [...others, row]);
  return setting!;
}

/** What is left out stays, and null removes. @throws VALIDATION_ERROR, NOT_FOUND, FORBIDDEN */
export async function changeHostSetting(
  unit: Unit,
  caller: Caller,
  id: string,
  change: HostSettingChange,
): Promise<FoundSetting> {
  const before = await findHostSetting(unit, caller, id);
  if (change.host !== undefined && change.host !== before.host) {
    throw invalid({ host: ["cannot be changed; delete it and create another"] });
  }
  const { user_agent: userAgent = before.userAgent, allow_http: allowHttp = before.allowHttp } =
    change;
  const { fields, secrets } = judgeChange(unit, before, change);
  if (fields.length === 0) return before;
  const areNewSecrets = fields.includes("headers") || fields.includes("auth");
  const columns = {
    userAgent,
    allowHttp,
    updatedAt: unit.clock.now(),
    version: before.version + 1,
    // Nothing is known of other credentials.
    ...(areNewSecrets && {
      sealed: sealSecrets(unit, secrets!),
      lastSuccessAt: null,
      failingSince: null,
    }),
  };
  await unit.store.update(hostSettings).set(columns).where(eq(hostSettings.id, before.id));
  const target = targetOf(before);
  await recordChanged(unit, caller, { action: "host_setting.changed", target, fields });
  return { ...before, ...columns, secrets };
}

/**
 * Returns the secrets after a change, and the fields that it changes.
 * @throws VALIDATION_ERROR
 */
export function judgeChange(
  deps: Pick<Deps, "config">,
  before: Pick<FoundSetting, "host" | "secrets" | "userAgent" | "allowHttp">,
  change: HostSettingChange,
): { fields: string[]; secrets: Secrets | null } {
  if (change.allow_http) refuseHttp(deps, before.host);
  const { auth, headers, user_agent, allow_http } = change;
  const hasSecrets = auth !== undefined || headers !== undefined;
  const next = hasSecrets ? changedSecrets(before.secrets, change) : null;
  if (next && "problems" in next) throw invalid(next.problems);
  const fields = fieldsOf(
    { ...next?.secrets, user_agent, allow_http },
    { ...before.secrets!, user_agent: before.userAgent, allow_http: before.allowHttp },
  );
  return { fields, secrets: next ? next.secrets : before.secrets };
}

/** @throws NOT_FOUND, FORBIDDEN */
export async function deleteHostSetting(unit: Unit, caller: Caller, id: string): Promise<void> {
  const setting = await findHostSetting(unit, caller, id);
  await unit.store.delete(hostSettings).where(eq(hostSettings.id, setting.id));
  const target = targetOf(setting);
  await recordChanged(unit, caller, { action: "host_setting.deleted", target });
}

/** Records the change, after which the settings in memory are read again. */
async function recordChanged(
  unit: Unit,
  caller: Caller,
  entry: Parameters<typeof auditChange>[2],
): Promise<void> {
  unit.afterCommit((deps) => forgetHostSettings(deps, caller.accountId));
  await auditChange(unit, caller, entry);
}

const targetOf = ({ id, host }: HostSettingRow) => ({ id, name: host });

const duplicate = ({ host, id }: HostSettingRow) =>
  conflict(`There is a setting for ${host} already.`, {
    reason: "duplicate_host",
    existingId: id,
  });

/** Anyone between this server and a host of the internet could read what is sent there unencrypted. */
function refuseHttp({ config }: Pick<Deps, "config">, host: string) {
  const policy = { allowed: config.checkAllowedHosts, blocked: config.checkBlockedHosts };
  if (!isExternalName(policy, host.replace("*", "any").replace(/:\d+$/, ""))) return;
  const problem = "must be false, except for hosts that STILLUP_CHECK_ALLOWED_HOSTS names";
  throw invalid({ allow_http: [problem] });
}

const rowsOfAccount = (store: Store, { accountId }: Caller) =>
  store
    .select()
    .from(hostSettings)
    .where(eq(hostSettings.accountId, accountId))
    .orderBy(asc(hostSettings.host));

/** @param all the settings of the account, of which only one counts for each link */
async function found(
  deps: Deps,
  { accountNo }: Caller,
  rows: HostSettingRow[],
  all: HostSettingRow[],
): Promise<FoundSetting[]> {
  if (rows.length === 0) return [];
  const sites = new Set(rows.map(({ host }) => siteOfUrl(`https://${host.replace("*.", "")}/`)));
  const hosts = await deps.store
    .select({ host: siteHosts.host, links: siteHosts.links })
    .from(siteHosts)
    .where(and(eq(siteHosts.accountNo, accountNo), inArray(siteHosts.site, [...sites])));
  const counts = new Map<HostSettingRow | null, number>();
  for (const { host, links } of hosts) {
    const setting = settingFor(all, host);
    counts.set(setting, (counts.get(setting) ?? 0) + links);
  }
  return rows.map((row) => ({
    ...row,
    secrets: openSecrets(deps, row),
    links: counts.get(all.find(({ id }) => id === row.id) ?? null) ?? 0,
  }));
}
