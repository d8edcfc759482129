import { readFileSync } from "node:fs";
import { isIP } from "node:net";
import { join, resolve } from "node:path";
import { VERSION } from "./lib/version.ts";
import { parseHostList } from "./outbound/address.ts";
import { FREQUENCIES, type Frequency, TIERS, type Tier } from "./store/tables.ts";

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

const RETRY_SECONDS = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400];

/** One environment variable: what it takes, in words, and how its text becomes a value. */
type Setting<T> = {
  name: string;
  fallback: T;
  takes: string;
  /** Throws when the text makes no sense. */
  parse: (text: string) => T;
  secret?: true;
};

/** Every setting, under the name by which the program knows it. */
const SETTINGS = {
  host: setting("HOST", "127.0.0.1", "an address or a name to listen on", nonEmpty),
  port: wholeNumber("PORT", 8484, 0, 65_535),
  dataDir: setting("DATA_DIR", resolve("stillup-data"), "a folder", (text) =>
    resolve(nonEmpty(text)),
  ),
  databaseUrl: secret(
    setting(
      "DATABASE_URL",
      "",
      "sqlite:PATH or postgres://…",
      matching(/^(sqlite:.+|postgres(ql)?:\/\/.+)$/),
    ),
  ),
  publicUrl: setting("PUBLIC_URL", null, "an http or https URL", httpUrl),
  trustedProxies: setting("TRUSTED_PROXIES", [], "a list of IP addresses", listOf(ipAddress)),
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
  checkConcurrency: wholeNumber("CHECK_CONCURRENCY", 200, 1, 10_000),
  hostConcurrency: wholeNumber("HOST_CONCURRENCY", 2, 1, 1000),
  hostGapMs: wholeNumber("HOST_GAP_MS", 250, 0, 600_000),
  checkTimeoutMs: wholeNumber("CHECK_TIMEOUT_MS", 30_000, 100, 600_000),
  checkUserAgent: setting("CHECK_USER_AGENT", "", "one line of text", matching(/^[\x20-\x7e]+$/)),
  confirmDelaysMs: setting(
    "CONFIRM_DELAYS_MS",
    [0, 3000, 12_000],
    "a list of milliseconds",
    listOf(count),
  ),
  frequencySeconds: setting(
    "FREQUENCY_SECONDS",
    FREQUENCY_SECONDS,
    "a list such as hourly=3600,daily=86400",
    frequencies,
  ),
  dnsServers: setting("DNS_SERVERS", [], "a list of ip[:port]", listOf(dnsServer)),
  extraCa: setting("EXTRA_CA_FILE", null, "a readable PEM file", (path) =>
    readFileSync(path, "utf8"),
  ),
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
  logLevel: choice("LOG_LEVEL", "info", ["debug", "info", "warning", "error"]),
  logFormat: choice("LOG_FORMAT", process.stderr.isTTY ? "text" : "json", ["text", "json"]),
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
  return {
    ...config,
    databaseUrl: config.databaseUrl || `sqlite:${join(config.dataDir, "stillup.db")}`,
    checkUserAgent: config.checkUserAgent || userAgent(config.publicUrl),
    secretKeyFile: config.secretKeyFile || join(config.dataDir, "secret.key"),
  };
}

/** Every setting with its value and where it came from, secrets masked, one a line. */
export function printConfig(env: Env): string {
  const config = readConfig(env);
  const lines = Object.entries(SETTINGS).map(([key, each]) => {
    const given = textOf(each, env) !== undefined;
    const value = each.secret && given ? "***" : JSON.stringify(config[key as keyof Config]);
    return `${PREFIX}${each.name}=${value} (${given ? "environment" : "default"})`;
  });
  return lines.join("\n");
}

/** Truthful, and with an address to complain to where the operator has given one. */
const userAgent = (publicUrl: string | null) =>
  publicUrl ? `Stillup/${VERSION} (+${publicUrl})` : `Stillup/${VERSION}`;

function settingOf<T>(each: Setting<T>, env: Env): T {
  const text = textOf(each, env);
  if (text === undefined) return each.fallback;
  try {
    return each.parse(text);
  } catch {
    const got = each.secret ? "something else" : JSON.stringify(text);
    throw new Error(`${PREFIX}${each.name} must be ${each.takes}; it is ${got}.`);
  }
}

/** An empty variable is an empty list where lists are taken, as in `CHECK_BLOCKED_HOSTS=`. */
function textOf({ name, fallback }: Setting<unknown>, env: Env): string | undefined {
  const text = env[PREFIX + name] ?? (name === "DATABASE_URL" ? env[name] : undefined);
  const unset = text === "" && !Array.isArray(fallback);
  return unset ? undefined : text;
}

function setting<T>(
  name: string,
  fallback: T,
  takes: string,
  parse: (text: string) => T,
): Setting<T>;
function setting<T>(
  name: string,
  fallback: null,
  takes: string,
  parse: (text: string) => T,
): Setting<T | null>;
function setting<T>(
  name: string,
  fallback: T,
  takes: string,
  parse: (text: string) => T,
): Setting<T> {
  return { name, fallback, takes, parse };
}

function secret<T>(each: Setting<T>): Setting<T> {
  return { ...each, secret: true };
}

function wholeNumber(name: string, fallback: number, least: number, most: number) {
  return setting(name, fallback, `a whole number from ${least} to ${most}`, (text) => {
    const value = count(text);
    if (value < least || value > most) throw new RangeError(text);
    return value;
  });
}

function choice<const T extends string>(
  name: string,
  fallback: T,
  values: readonly T[],
): Setting<T> {
  const parse = (text: string) => {
    const value = values.find((one) => one === text);
    if (value === undefined) throw new RangeError(text);
    return value;
  };
  return { name, fallback, takes: `one of ${values.join(", ")}`, parse };
}

function hostList(name: string, fallback: string) {
  const takes = "a list of external, private, loopback, CIDRs, addresses and host patterns";
  return setting(name, parseHostList(fallback), takes, parseHostList);
}

function listOf<T>(parse: (text: string) => T) {
  return (text: string) =>
    text.trim() === "" ? [] : text.split(",").map((item) => parse(item.trim()));
}

function matching(pattern: RegExp) {
  return (text: string) => {
    if (!pattern.test(text)) throw new RangeError(text);
    return text;
  };
}

function nonEmpty(text: string): string {
  return matching(/\S/)(text);
}

function count(text: string): number {
  return Number(matching(/^[0-9]{1,12}$/)(text));
}

function truth(text: string): boolean {
  return matching(/^(true|false)$/)(text) === "true";
}

function httpUrl(text: string): string {
  const url = new URL(matching(/^https?:\/\//)(text));
  return url.href.replace(/\/$/, "");
}

function origin(text: string): string {
  const url = new URL(text);
  if (url.origin !== text) throw new RangeError(text);
  return text;
}

function ipAddress(text: string): string {
  if (!isIP(text)) throw new RangeError(text);
  return text;
}

/** `9.9.9.9`, `9.9.9.9:53`, `2620:fe::fe` or `[2620:fe::fe]:53`. */
function dnsServer(text: string): string {
  const host =
    /^\[(.+)\](?::\d{1,5})?$/.exec(text)?.[1] ??
    (isIP(text) ? text : text.replace(/:\d{1,5}$/, ""));
  ipAddress(host);
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

/** Reads JSON of the same shape, in which anything may be left out. */
function overrides<T extends Record<string, object>>(defaults: T) {
  return (text: string): T => {
    const given = JSON.parse(text) as Record<string, Record<string, unknown>>;
    const merged = structuredClone(defaults);
    for (const [tier, limits] of Object.entries(given)) {
      for (const [name, value] of Object.entries(limits)) override(merged[tier], name, value);
    }
    return merged;
  };
}

function override(target: object | undefined, name: string, value: unknown) {
  const known = target && Object.entries(target).find(([key]) => key === name);
  if (!target || !known || typeof known[1] !== typeof value) throw new RangeError(name);
  if (typeof value === "number" && !(Number.isSafeInteger(value) && value >= 0)) {
    throw new RangeError(name);
  }
  Object.assign(target, { [name]: value });
}
