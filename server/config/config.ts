import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import { join, resolve } from "node:path";
import { CronPattern } from "croner";
import { FREQUENCIES, type Frequency, TIERS, type Tier } from "../db/tables.ts";
import { VERSION } from "../lib/runtime.ts";
import { parseKey } from "../lib/secret-box.ts";
import {
  choice,
  count,
  httpUrl,
  ipRange,
  listOf,
  matching,
  nonEmpty,
  origin,
  overrides,
  type Setting,
  SettingProblem,
  secret,
  setting,
  truth,
  wholeNumber,
} from "../lib/settings.ts";
import { unknownSettings } from "../lib/unknown-settings.ts";
import { parseHostList } from "../net/address.ts";
import { parseServer } from "../net/resolve.ts";
import { readOwnServices } from "../verdict/services/own-services.ts";
import type { Service } from "../verdict/services/record.ts";
import { ROLES, refusePart, roles } from "./roles.ts";

export { ROLES, type Role } from "./roles.ts";

const LONGEST_CONFIRMING_MS = 40_000;
const PREFIX = "STILLUP_";
const HOUR_S = 3600;
const DAY_S = 24 * HOUR_S;

/** What an account of a tier may have; 0 is none. */
export type Limits = { links: number; apiKeys: number; webhooks: number; api: boolean };

const TIER_LIMITS: Record<Tier, Limits> = {
  free: { links: 50, apiKeys: 1, webhooks: 1, api: false },
  pro: { links: 1_000, apiKeys: 5, webhooks: 5, api: false },
  business: { links: 50_000, apiKeys: 25, webhooks: 25, api: true },
  enterprise: { links: 1_000_000, apiKeys: 100, webhooks: 100, api: true },
};

const FREQUENCY_SECONDS: Record<Frequency, number> = {
  hourly: HOUR_S,
  daily: DAY_S,
  weekly: 7 * DAY_S,
  monthly: 30 * DAY_S,
};

/** Name servers of three operators, which answer from everywhere. */
const SENTINELS = ["1.1.1.1:53", "8.8.8.8:53", "9.9.9.9:53"];

const RETRY_SECONDS = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400];

/** Every setting, under the name by which the program knows it. */
const SETTINGS = {
  host: setting("HOST", "127.0.0.1", "an address or a name to listen on", nonEmpty),
  port: wholeNumber("PORT", 8484, 0, 65_535),
  dataDir: setting("DATA_DIR", resolve("stillup-data"), "a folder", (text) =>
    resolve(nonEmpty(text)),
  ),
  role: setting("ROLE", ROLES, "all, or a list of api, checker and delivery", roles),
  nodeName: setting("NODE_NAME", hostname(), "a name", nonEmpty),
  databaseUrl: secret(
    setting(
      "DATABASE_URL",
      "",
      "sqlite:PATH or postgres://…",
      matching(/^(sqlite:.+|postgres(ql)?:\/\/.+)$/),
    ),
  ),
  databasePool: wholeNumber("DATABASE_POOL", 10, 1, 1000),
  databaseTimeoutMs: wholeNumber("DATABASE_TIMEOUT_MS", 30_000, 0, 3_600_000),
  moveTo: secret(setting("MOVE_TO", null, "postgres://…", matching(/^postgres(ql)?:\/\/.+$/))),
  publicUrl: setting("PUBLIC_URL", null, "an http or https URL", httpUrl),
  trustedProxies: setting(
    "TRUSTED_PROXIES",
    [],
    "a list of IP addresses and CIDR ranges",
    listOf(ipRange),
  ),
  corsAllowedOrigins: setting("CORS_ALLOWED_ORIGINS", [], "a list of origins", listOf(origin)),
  defaultTier: choice("DEFAULT_TIER", "business", TIERS),
  tierLimits: setting(
    "TIER_LIMITS",
    TIER_LIMITS,
    'JSON such as {"business":{"links":100000}}',
    overrides(TIER_LIMITS),
  ),
  rateLimitPerMinute: wholeNumber("RATE_LIMIT_PER_MINUTE", 120, 0, 1_000_000),
  rateLimitPerHour: wholeNumber("RATE_LIMIT_PER_HOUR", 3600, 0, 1_000_000),
  passwordMemoryMb: wholeNumber("PASSWORD_MEMORY_MB", 64, 19, 1024),
  checkConcurrency: wholeNumber("CHECK_CONCURRENCY", 500, 1, 10_000),
  hostConcurrency: wholeNumber("HOST_CONCURRENCY", 2, 1, 1000),
  hostGapMs: wholeNumber("HOST_GAP_MS", 250, 0, 600_000),
  checkTimeoutMs: wholeNumber("CHECK_TIMEOUT_MS", 30_000, 100, 600_000),
  checkUserAgent: setting("CHECK_USER_AGENT", "", "one line of text", matching(/^[\x20-\x7e]+$/)),
  confirmDelaysMs: setting(
    "CONFIRM_DELAYS_MS",
    [0, 3000, 12_000],
    "a list of milliseconds, 40000 together at most",
    confirmDelays,
  ),
  frequencySeconds: setting(
    "FREQUENCY_SECONDS",
    FREQUENCY_SECONDS,
    "a list such as hourly=3600,daily=86400",
    frequencies,
  ),
  sentinels: setting("SENTINELS", SENTINELS, "a list of ip:port", listOf(serverAddress)),
  dnsServers: setting("DNS_SERVERS", [], "a list of ip[:port]", listOf(serverAddress)),
  extraCa: {
    ...setting("EXTRA_CA_FILE", null, "a readable PEM file", (path) => readFileSync(path, "utf8")),
    shownAs: "",
  },
  ownServices: {
    ...setting("SERVICES_FILE", [] as Service[], "a JSON file of services", readOwnServices),
    shownAs: "",
  },
  checkAllowedHosts: hostList("CHECK_ALLOWED_HOSTS", "external"),
  checkBlockedHosts: hostList("CHECK_BLOCKED_HOSTS", ""),
  webhookAllowedHosts: hostList("WEBHOOK_ALLOWED_HOSTS", "external"),
  webhookBlockedHosts: hostList("WEBHOOK_BLOCKED_HOSTS", ""),
  webhookRequireHttps: setting("WEBHOOK_REQUIRE_HTTPS", false, "true or false", truth),
  webhookRetrySeconds: setting(
    "WEBHOOK_RETRY_SECONDS",
    RETRY_SECONDS,
    "a list of seconds",
    listOf(count),
  ),
  webhookTimeoutMs: wholeNumber("WEBHOOK_TIMEOUT_MS", 15_000, 100, 600_000),
  outboundProxy: secret(setting("OUTBOUND_PROXY", null, "an http or https URL", httpUrl)),
  outboundProxyResolves: setting("OUTBOUND_PROXY_RESOLVES", false, "true or false", truth),
  historyDays: wholeNumber("HISTORY_DAYS", 365, 1, 36_500),
  backupCron: cron("BACKUP_CRON", "0 3 * * *"),
  backupKeep: wholeNumber("BACKUP_KEEP", 7, 1, 1000),
  upgradeBackup: setting("UPGRADE_BACKUP", true, "true or false", truth),
  diskFloorMb: wholeNumber("DISK_FLOOR_MB", 256, 0, 1_000_000),
  allowNetworkFs: setting("ALLOW_NETWORK_FS", false, "true or false", truth),
  litestream: setting("LITESTREAM", false, "true or false", truth),
  metricsToken: secret(
    setting("METRICS_TOKEN", null, "16 or more printable characters", matching(/^[!-~]{16,}$/)),
  ),
  heartbeatUrl: secret(setting("HEARTBEAT_URL", null, "an http or https URL", httpUrl)),
  logLevel: choice("LOG_LEVEL", "info", ["debug", "info", "warning", "error"]),
  logFormat: choice("LOG_FORMAT", process.stderr.isTTY ? "text" : "json", ["text", "json"]),
  secretKey: secret(setting("SECRET_KEY", null, "32 bytes in base64", parseKey)),
  secretKeyFile: setting("SECRET_KEY_FILE", "", "a path", (text) => resolve(nonEmpty(text))),
};

export type Config = { [K in keyof typeof SETTINGS]: (typeof SETTINGS)[K]["fallback"] };
export type Env = Record<string, string | undefined>;

/**
 * Reads the whole environment once.
 * @throws a sentence that names the variable, what it got and what it takes.
 */
export function readConfig(env: Env): Config {
  const entries = Object.entries(SETTINGS).map(([key, each]) => [
    key,
    settingOf<unknown>(each as Setting<unknown>, env),
  ]);
  const config = Object.fromEntries(entries) as Config;
  const databaseUrl = config.databaseUrl || `sqlite:${join(config.dataDir, "stillup.db")}`;
  if (sqlitePath({ databaseUrl }) !== null) refusePart(config.role);
  return {
    ...config,
    databaseUrl,
    checkUserAgent: config.checkUserAgent || userAgent(config.publicUrl),
    secretKeyFile: config.secretKeyFile || join(config.dataDir, SECRET_KEY_FILE),
  };
}

/** The format of the log, also where another setting makes no sense. */
export function logFormatIn(env: Env): Config["logFormat"] {
  try {
    return settingOf(SETTINGS.logFormat, env);
  } catch {
    return SETTINGS.logFormat.fallback;
  }
}

/** The file of the database; null on PostgreSQL. */
export const sqlitePath = ({ databaseUrl }: Pick<Config, "databaseUrl">): string | null =>
  databaseUrl.startsWith("sqlite:") ? databaseUrl.slice("sqlite:".length) : null;

/** In the data folder, unless STILLUP_SECRET_KEY_FILE names another place. */
export const SECRET_KEY_FILE = "secret.key";

/** Where copies of the database are kept. */
export const backupFolder = ({ dataDir }: Pick<Config, "dataDir">): string =>
  join(dataDir, "backups");

/**
 * Every setting with its value and where it came from, secrets masked, one a line. `file` holds what
 * `--env-file` does, over which the environment wins.
 */
export function printConfig(env: Env, file: Env): string {
  const all = { ...file, ...env };
  const config = readConfig(all);
  const lines = Object.entries<Setting<unknown>>(SETTINGS).map(([key, each]) => {
    const text = textOf(each, all);
    const value = each.shownAs === undefined ? config[key as keyof Config] : (text ?? each.shownAs);
    const shown = each.secret && text !== undefined ? "***" : JSON.stringify(value);
    return `${PREFIX}${each.name}=${shown} (${sourceOf(each, env, text)})`;
  });
  const unknown = [file, env].flatMap((each) => unknownSettings(each, NAMES));
  return [...lines, ...unknown.map((sentence) => `# ${sentence}`)].join("\n");
}

const NAMES = Object.values<Setting<unknown>>(SETTINGS).map(({ name }) => PREFIX + name);

/** A sentence for each variable with our prefix that is not a setting. */
export const unknownIn = (env: Env): string[] => unknownSettings(env, NAMES);

function sourceOf(each: Setting<unknown>, env: Env, text: string | undefined): string {
  if (text === undefined) return "default";
  return textOf(each, env) === undefined ? "env file" : "environment";
}

/** Truthful, and with an address to complain to where the operator has given one. */
const userAgent = (publicUrl: string | null) =>
  publicUrl ? `Stillup/${VERSION} (+${publicUrl})` : `Stillup/${VERSION}`;

function settingOf<T>(each: Setting<T>, env: Env): T {
  const text = textOf(each, env);
  if (text === undefined) return each.fallback;
  try {
    return each.parse(text);
  } catch (error) {
    if (error instanceof SettingProblem) {
      throw new Error(`${PREFIX}${each.name} (${text}): ${error.message}`);
    }
    const got = each.secret ? "something else" : JSON.stringify(text);
    throw new Error(`${PREFIX}${each.name} must be ${each.takes}; it is ${got}.`);
  }
}

/** An empty variable is as good as none, but where lists are taken it is an empty list. */
function textOf({ name, fallback, isList }: Setting<unknown>, env: Env): string | undefined {
  const text = env[PREFIX + name] ?? (name === "DATABASE_URL" ? env[name] : undefined);
  const isUnset = text === "" && !isList && !Array.isArray(fallback);
  return isUnset ? undefined : text;
}

function hostList(name: string, fallback: string) {
  const takes = "a list of external, private, loopback, CIDRs, addresses and host patterns";
  const list = setting(name, parseHostList(fallback), takes, parseHostList);
  return { ...list, isList: true as const, shownAs: fallback };
}

/** When a job runs; empty is never. */
function cron(name: string, fallback: string) {
  const parse = (text: string) => {
    if (text !== "") new CronPattern(text);
    return text;
  };
  const takes = `a cron pattern such as ${fallback}, or nothing`;
  return { ...setting(name, fallback, takes, parse), isList: true as const };
}

/** A manual check must end within a minute, so longer delays would confirm nothing. */
function confirmDelays(text: string): number[] {
  const delays = listOf(count)(text);
  if (delays.reduce((sum, ms) => sum + ms, 0) > LONGEST_CONFIRMING_MS) throw new RangeError(text);
  return delays;
}

/** Kept as its text, once that can be read. */
function serverAddress(text: string): string {
  parseServer(text);
  return text;
}

function frequencies(text: string): Record<Frequency, number> {
  const given = listOf((item) => {
    const [name, seconds] = item.split("=") as [Frequency, string];
    if (!FREQUENCIES.includes(name) || count(seconds) < 1) throw new RangeError(item);
    return [name, count(seconds)];
  })(text);
  return { ...FREQUENCY_SECONDS, ...Object.fromEntries(given) };
}
