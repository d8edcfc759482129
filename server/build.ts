import { mkdirSync } from "node:fs";
import { createCheck } from "./checker/create-check.ts";
import type { CheckLink } from "./checker/manners/coalesce.ts";
import { createOnline, type Online, type OnlineChange } from "./checker/online/online.ts";
import { tellOfOutage } from "./checker/online/outage-log.ts";
import { catalogueWith } from "./checker/services/built-in.ts";
import { createHostProfiles } from "./checker/surroundings/host-profiles.ts";
import type { Config } from "./config.ts";
import type { Deps } from "./deps.ts";
import type { Clock } from "./lib/clock.ts";
import { failure } from "./lib/failure.ts";
import type { Lag } from "./lib/lag.ts";
import { createSecretBox, readOrMakeKey } from "./lib/secret-box.ts";
import { answersTcp } from "./outbound/reach.ts";
import { createOutbound, type Outbound } from "./outbound/request.ts";
import { createResolver } from "./outbound/resolve.ts";
import { migrateToHead, openEngine } from "./store/open.ts";
import { createStore, type Engine, type Store } from "./store/store.ts";

/** Opens the database, brings it up to date, and gives what verbs need. `migrated` names what was applied. */
export async function openDeps(
  config: Config,
  clock: Clock,
): Promise<{ deps: Deps; migrated: string[] }> {
  makeFolder(config.dataDir);
  const engine = await connect(config.databaseUrl);
  const migrated = await migrateToHead(engine, clock.now());
  return { deps: createDeps(config, createStore(engine), clock), migrated };
}

function makeFolder(path: string) {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw failure("The data folder cannot be made", error, "Check STILLUP_DATA_DIR.");
  }
}

/** Asks something at once, since PostgreSQL is not reached before that. */
async function connect(url: string): Promise<Engine> {
  try {
    const engine = openEngine(url);
    await engine.run({ sql: "select 1", params: [] });
    return engine;
  } catch (error) {
    throw failure("The database cannot be opened", error, "Check STILLUP_DATABASE_URL.");
  }
}

/** Everything a verb needs, from the settings. */
export function createDeps(config: Config, store: Store, clock: Clock): Deps {
  const deps: Deps = {
    store,
    clock,
    config,
    secrets: createSecretBox(readOrMakeKey(config.secretKeyFile)),
    webhookOutbound: webhookOutbound(config, clock),
    online: onlineGuard(config, clock, (change) => tellOfOutage(deps, change)),
    catalogue: catalogueWith(config.ownServices),
    loops: { wake: () => {}, checking: false },
  };
  return deps;
}

/** Behind a proxy direct connections need not work, so that sentinels would tell nothing. */
export const onlineGuard = (
  { sentinels, outboundProxy }: Config,
  clock: Clock,
  onChange?: (change: OnlineChange) => void,
): Online =>
  createOnline({
    clock,
    sentinels: outboundProxy === null ? sentinels : [],
    ask: answersTcp,
    ...(onChange && { onChange }),
  });

/** What checks one link of the database. */
export const linkCheck = (deps: Deps, lag: Lag): CheckLink =>
  createCheck({
    config: deps.config,
    clock: deps.clock,
    outbound: checkOutbound(deps.config, deps.clock),
    online: deps.online,
    lag,
    profiles: createHostProfiles(deps),
    catalogue: deps.catalogue,
    random: Math.random,
  });

/** The way out for checks: any user's URL, under the policy for checks. */
export const checkOutbound = (config: Config, clock: Clock): Outbound =>
  createOutbound({
    ...sharedOptions(config, clock),
    policy: { allowed: config.checkAllowedHosts, blocked: config.checkBlockedHosts },
    allowedHostsSetting: "STILLUP_CHECK_ALLOWED_HOSTS",
  });

/** The way out for deliveries, under a policy of its own. */
const webhookOutbound = (config: Config, clock: Clock): Outbound =>
  createOutbound({
    ...sharedOptions(config, clock),
    policy: { allowed: config.webhookAllowedHosts, blocked: config.webhookBlockedHosts },
    allowedHostsSetting: "STILLUP_WEBHOOK_ALLOWED_HOSTS",
  });

const sharedOptions = (config: Config, clock: Clock) => ({
  clock,
  resolver: createResolver({ clock, servers: config.dnsServers }),
  proxy: config.outboundProxy ?? undefined,
  proxyResolves: config.outboundProxyResolves,
  extraCa: config.extraCa ?? undefined,
});
