import type { Config } from "../ground/config/config.ts";
import { checkOutbound, webhookOutbound } from "../ground/config/outbound.ts";
import { openEngine } from "../ground/db/open.ts";
import { createStore, type Engine, preparedOnce, type Store } from "../ground/db/store.ts";
import { type Clock, createLag, type Lag, systemClock } from "../ground/lib/clock.ts";
import { compareClock } from "../ground/lib/log.ts";
import { CHECKER_COMMAND, ownCommand } from "../ground/lib/runtime.ts";
import { createSecretBox } from "../ground/lib/secret-box.ts";
import { createTroubles } from "../ground/lib/troubles.ts";
import { answersTcp } from "../ground/net/send.ts";
import type { KnownLink } from "../judge/confirm.ts";
import { type CheckLink, createCheck, createPolitenessFor } from "../judge/create-check.ts";
import { createOnline, type Online, type OnlineChange } from "../judge/online/online.ts";
import type { Conclusion } from "../judge/probe/conclusion.ts";
import { createCanaries } from "../judge/services/canaries.ts";
import { ownServicesOf } from "../judge/services/own-services.ts";
import { catalogueWith } from "../judge/services/records/built-in.ts";
import { createHostProfiles } from "../judge/surroundings.ts";
import { openMailServer } from "../mail/server.ts";
import { logOutage } from "../monitor/dispatch.ts";
import { createLearning, type Learning } from "../monitor/learning.ts";
import { createSiteHolds, type SiteHolds } from "../monitor/site-holds.ts";
import { refuseMoved } from "../ops/move/notes.ts";
import { reportDamage } from "../ops/start/integrity.ts";
import {
  asOpened,
  makeFolder,
  noteVersion,
  type Prepare,
  prepareForCommand,
} from "../ops/start/prepare-database.ts";
import { type AgreeOnKey, agreedKey, ownKey } from "../ops/start/secret-key.ts";
import type { ReadSource } from "../read/crawl/job.ts";
import { createReadSource } from "../read/crawl/read.ts";
import type { Deps } from "../work/deps.ts";
import { createLoops } from "../work/loops.ts";
import { followDatabase } from "../work/membership.ts";
import { createMetrics } from "../work/metrics.ts";
import { bucketOfUrl, describeSelf, newNodeId, onlyNode } from "../work/nodes.ts";
import { type CheckerProcess, createCheckerPool } from "../work/processes/pool.ts";
import { localTopics } from "../work/topics.ts";

/** Opens and migrates the database, and creates the dependencies. `migrated` lists the applied migrations. */
export async function openDeps(
  config: Config,
  clock: Clock,
  prepare: Prepare = prepareForCommand,
  agreeOnKey: AgreeOnKey = agreedKey,
): Promise<{ deps: Deps; migrated: string[] }> {
  makeFolder(config.dataDir);
  const migrated = await prepare(config, clock);
  const engine = await asOpened(config, connect(config));
  const store = createStore(engine);
  const key = await refuseMoved(store)
    .then(() => agreeOnKey(store, config))
    .catch(async (error) => {
      await engine.close();
      throw error;
    });
  // The database is shared, so use its clock.
  const common = engine.isShared ? await followDatabase(engine.apart(), clock) : clock;
  if (common.source) compareClock(common.source.ownAheadMs);
  const deps = createDeps(config, store, common, key);
  if (migrated.length > 0) await noteVersion(deps.store, common);
  return { deps, migrated };
}

/** Runs a query, since PostgreSQL connects only at the first one. */
async function connect(config: Config): Promise<Engine> {
  const { databaseUrl, databasePool: pool, databaseTimeoutMs: timeoutMs, litestream } = config;
  const engine = openEngine(databaseUrl, { litestream, pool, timeoutMs });
  await engine.run({ sql: "select 1", params: [] });
  return engine;
}

/** Creates the dependencies from the settings. */
export function createDeps(
  config: Config,
  store: Store,
  clock: Clock,
  key: Uint8Array = ownKey(config),
): Deps {
  const deps: Deps = {
    store,
    clock,
    config,
    secrets: createSecretBox(key),
    webhookOutbound: webhookOutbound(config, clock),
    mail: openMailServer(config, clock, {
      onProblem: (problem) => deps.troubles.set("mail_server", problem),
      onSent: (kind, outcome, ms) => deps.metrics.mailEnded(kind, outcome, ms),
    }),
    online: onlineGuard(config, clock, (change) => logOutage(deps, change)),
    tryLink: (link, signal) => tryLink(deps, link, signal),
    readSource: (job, emit, signal) => openChecks(deps).read(job, emit, signal),
    catalogue: catalogueWith(ownServicesOf(config)),
    troubles: createTroubles(clock),
    metrics: createMetrics(),
    nodes: onlyNode(newNodeId(), () => describeSelf(deps)),
    topics: localTopics,
    loops: createLoops(),
  };
  store.engine.onDamage(() => reportDamage(config, deps.troubles));
  return deps;
}

/** Without sentinels behind a proxy, where direct connections may not work. */
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

/** How links are checked, and what checks learn. */
export type LinkChecks = {
  check: CheckLink;
  /** Reads a source, with the same politeness. */
  read: ReadSource;
  holds: SiteHolds;
  learning: Learning;
  processes(): CheckerProcess[];
  /** Whether this machine makes checks take long. Not known of checks in this process. */
  isLate?(): boolean;
  stop(): void;
};

const opened = preparedOnce((): { checks: LinkChecks | null } => ({ checks: null }));

/** Returns the checks of this process, which begin with the first call. */
export function openChecks(deps: Deps): LinkChecks {
  const own = opened(deps.store);
  own.checks ??=
    deps.config.checkProcesses > 0
      ? linkChecksApart(deps)
      : linkChecks(deps, createLag(systemClock));
  return own.checks;
}

/** Call it when no check runs. */
export function closeChecks({ store }: Pick<Deps, "store">): void {
  opened(store).checks?.stop();
}

/** Other processes may have made the site's cooldown. What the trial of a process without the role learns is not kept. */
async function tryLink(deps: Deps, link: KnownLink, signal: AbortSignal): Promise<Conclusion> {
  const { check, holds, learning } = openChecks(deps);
  await holds.read([bucketOfUrl(new URL(link.url))]);
  return check(link, signal).finally(() => {
    if (!deps.config.role.includes("checker")) learning.take();
  });
}

/** Checks links in this process. */
export function linkChecks(deps: Deps, lag: Lag): LinkChecks {
  const { clock, config, catalogue, online } = deps;
  const politeness = createPolitenessFor(deps);
  const learning = createLearning(deps.store);
  const outbound = checkOutbound(config, clock);
  const check = createCheck({
    config,
    clock,
    catalogue,
    online,
    lag,
    politeness,
    outbound,
    profiles: createHostProfiles({ clock, store: learning.profiles }),
    canaries: createCanaries(clock, learning.canaries),
    random: Math.random,
  });
  const holds = createSiteHolds(deps, politeness);
  const { checkUserAgent: userAgent, checkTimeoutMs: timeoutMs } = config;
  const read = createReadSource({ clock, outbound, politeness, userAgent, timeoutMs });
  return { check, read, holds, learning, processes: () => [], stop() {} };
}

/** Checks links in processes of their own. */
export function linkChecksApart(deps: Deps): LinkChecks {
  const { clock, config, online } = deps;
  const learning = createLearning(deps.store);
  const { profiles } = learning;
  const canaries = createCanaries(clock, learning.canaries);
  const command = ownCommand(CHECKER_COMMAND);
  const pool = createCheckerPool({ config, clock, online, profiles, canaries, command });
  return { ...pool, holds: createSiteHolds(deps, pool.loads), learning };
}
