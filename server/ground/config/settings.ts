import { readFileSync } from "node:fs";
import { isIP } from "node:net";
import { availableParallelism, hostname } from "node:os";
import { resolve } from "node:path";
import { CronPattern } from "croner";
import * as z from "zod";
import { SettingProblem } from "../lib/errors.ts";
import { readMailAddress } from "../lib/mail-address.ts";
import { parseKey } from "../lib/secret-box.ts";
import {
  FREQUENCIES,
  type Frequency,
  ROLES as PERSON_ROLES,
  TIERS,
  type Tier,
} from "../lib/vocabulary.ts";
import { isLoopbackHost, parseHostList } from "../net/policy.ts";
import { parseServer } from "../net/resolve.ts";

/** One environment variable. `takes` says in words what the schema accepts. */
export type Setting<T> = {
  /** Without the prefix. */
  name: string;
  fallback: T;
  takes: string;
  schema: z.ZodType<T, string>;
} & Options;

type Options = {
  /** The value is never printed. */
  secret?: true;
  /** An empty variable is a value. Otherwise only settings whose fallback is an array accept one. */
  isList?: true;
  /** `--print-config` shows the variable's text, or this when it is not set. */
  shownAs?: string;
};

/** What a process that serves may do: answer requests, check links, deliver events. */
export const ROLES = ["api", "checker", "delivery"] as const;
export type Role = (typeof ROLES)[number];

export const SECURITIES = ["tls", "starttls", "none"] as const;
export type Security = (typeof SECURITIES)[number];

/** What an account of a tier may have; 0 is none. `pages` is for each source. */
type Limits = Record<"links" | "apiKeys" | "webhooks" | "sources" | "pages", number> & {
  api: boolean;
};

const LONGEST_CONFIRMING_MS = 40_000;
const HOUR_S = 3600;
const DAY_S = 24 * HOUR_S;

const TIER_LIMITS: Record<Tier, Limits> = {
  free: { links: 50, apiKeys: 1, webhooks: 1, sources: 3, pages: 500, api: false },
  pro: { links: 1_000, apiKeys: 5, webhooks: 5, sources: 10, pages: 5_000, api: false },
  business: {
    links: 50_000,
    apiKeys: 25,
    webhooks: 25,
    sources: 100,
    pages: 100_000,
    api: true,
  },
  enterprise: {
    links: 1_000_000,
    apiKeys: 100,
    webhooks: 100,
    sources: 1000,
    pages: 1_000_000,
    api: true,
  },
};

const FREQUENCY_SECONDS: Record<Frequency, number> = {
  hourly: HOUR_S,
  daily: DAY_S,
  weekly: 7 * DAY_S,
  monthly: 30 * DAY_S,
};

/** Name servers of three operators that answer worldwide. */
const SENTINELS = ["1.1.1.1:53", "8.8.8.8:53", "9.9.9.9:53"];

/** IANA's list of the servers of registries (RFC 9224). */
export const RDAP_SERVERS = "https://data.iana.org/rdap/dns.json";

const RETRY_SECONDS = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400];

const text = z.string();
const nonEmpty = text.regex(/\S/);
const path = nonEmpty.transform((value) => resolve(value));
const count = text.regex(/^[0-9]{1,12}$/).transform(Number);
const origin = text.refine((value) => URL.parse(value)?.origin === value);
const ipRange = z.union([text.refine(isIP), z.cidrv4(), z.cidrv6()]);
const server = text.refine(parseServer);

const mailAddress = text.transform((value) => {
  const read = readMailAddress(value);
  if (!read.ok) throw new SettingProblem(`${read.problem}.`);
  return read.address;
});
const MAIL_ADDRESS = "an e-mail address without a name";

/** Without the slash at its end, so that a path can follow. */
const httpUrl = text
  .regex(/^https?:\/\//)
  .transform((value) => new URL(value).href.replace(/\/$/, ""));

const publicUrl = httpUrl.transform((value) => {
  const { search, hash, username, password, pathname } = new URL(value);
  if (search || hash || username || password) {
    throw new SettingProblem("must have no query, fragment, user or password.");
  }
  if (!/^(\/|(\/[\w.~-]+)+)$/.test(pathname)) {
    throw new SettingProblem(
      "its path may have letters, digits, ., _, ~ and - between single slashes, as in https://tools.example.com/stillup.",
    );
  }
  return value;
});

/** Items between commas. */
const list = <T>(item: z.ZodType<T, string>) =>
  text
    .transform((value) => (value.trim() === "" ? [] : value.split(",").map((each) => each.trim())))
    .pipe(z.array(item));

/** In one order, however they are given. */
const roles = list(z.enum([...ROLES, "all"]))
  .refine((given) => given.length > 0)
  .transform((given): readonly Role[] =>
    ROLES.filter((role) => given.includes("all") || given.includes(role)),
  );

/** A manual check must end within a minute, so longer delays would confirm nothing. */
const confirmDelays = list(count).refine(
  (delays) => delays.reduce((sum, ms) => sum + ms, 0) <= LONGEST_CONFIRMING_MS,
);

const frequencies = list(
  text
    .transform((item) => item.split("="))
    .pipe(z.tuple([z.enum(FREQUENCIES), count.refine((seconds) => seconds > 0)])),
).transform(
  (given): Record<Frequency, number> => ({ ...FREQUENCY_SECONDS, ...Object.fromEntries(given) }),
);

/** Requests a second, by host. */
const ownSites = list(
  text
    .transform((item) => [
      URL.parse(`http://${item.replace(/=.*/, "")}`)?.host ?? "",
      item.replace(/^[^=]*=?/, ""),
    ])
    .pipe(z.tuple([nonEmpty, count.pipe(z.number().min(1).max(10_000))])),
).transform((given): Record<string, number> => Object.fromEntries(given));

const quota = z.int().min(0);
const ownLimits = z
  .strictObject({
    links: quota,
    apiKeys: quota,
    webhooks: quota,
    sources: quota,
    pages: quota,
    api: z.boolean(),
  })
  .partial();

/** Anything may be left out. */
const tierLimits = text
  .transform((value): unknown => JSON.parse(value))
  .pipe(z.partialRecord(z.enum(TIERS), ownLimits))
  .transform((given) => {
    const merged = TIERS.map((tier) => [tier, { ...TIER_LIMITS[tier], ...given[tier] }]);
    return Object.fromEntries(merged) as Record<Tier, Limits>;
  });

/** Groups of the provider for each role. */
const roleMap = text
  .transform((value): unknown => JSON.parse(value))
  .pipe(z.partialRecord(z.enum(["admin", ...PERSON_ROLES]), z.array(nonEmpty).min(1)))
  .refine((given) => Object.keys(given).length > 0);

function setting<T, F extends T | null>(
  name: string,
  fallback: F,
  takes: string,
  schema: z.ZodType<T, string>,
  options: Options = {},
): Setting<T | F> {
  return { name, fallback, takes, schema, ...options };
}

const listSetting = <T>(
  name: string,
  fallback: NoInfer<T>[],
  takes: string,
  item: z.ZodType<T, string>,
): Setting<T[]> => setting(name, fallback, takes, list(item));

const wholeNumber = (name: string, fallback: number, least: number, most: number) =>
  setting(
    name,
    fallback,
    `a whole number from ${least} to ${most}`,
    count.pipe(z.number().min(least).max(most)),
  );

const choice = <const T extends string>(name: string, fallback: NoInfer<T>, values: readonly T[]) =>
  setting(name, fallback, `one of ${values.join(", ")}`, z.enum(values));

const truth = (name: string, fallback: boolean) =>
  setting(
    name,
    fallback,
    "true or false",
    z.enum(["true", "false"]).transform((value) => value === "true"),
  );

const hostList = (name: string, fallback: string) =>
  setting(
    name,
    parseHostList(fallback),
    "a list of external, private, loopback, CIDRs, addresses and host patterns",
    text.transform(parseHostList),
    { isList: true, shownAs: fallback },
  );

/** When a job runs; empty is never. */
const cron = (name: string, fallback: string) =>
  setting(
    name,
    fallback,
    `a cron pattern such as ${fallback}, or nothing`,
    text.refine((value) => value === "" || new CronPattern(value)),
    { isList: true },
  );

/** A file with one secret. */
const secretFile = (name: string) =>
  setting(
    name,
    null,
    "a readable file",
    text.transform((file) => readFileSync(file, "utf8").replace(/\r?\n$/, "")),
    { shownAs: "" },
  );

const HTTP_URL = "an http or https URL";
const SECRET = { secret: true } as const;

/** Whether what travels there is encrypted, or stays on this machine. */
export const isEncryptedOrLocal = (url: string) =>
  url.startsWith("https:") || isLoopbackHost(new URL(url).hostname);

/** Reads an issuer. @throws SettingProblem */
export function readIssuer(value: string): string {
  const url = URL.parse(value);
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.username) {
    throw new SettingProblem(
      "must be the provider's issuer URL, such as https://id.example.com/realms/team.",
    );
  }
  if (!isEncryptedOrLocal(value))
    throw new SettingProblem("must be https, or http on this machine.");
  if (/\/\/login\.microsoftonline\.com\/(common|organizations|consumers)\//i.test(value)) {
    throw new SettingProblem("must name one tenant: put its id in place of common.");
  }
  return value;
}

/** The catalogue says what is wrong with a record. */
function readRecords(file: string): { file: string; records: unknown } {
  if (file.trim() === "") return { file, records: [] };
  const json = readFileSync(file, "utf8");
  try {
    return { file, records: JSON.parse(json) };
  } catch (error) {
    throw new SettingProblem(`not valid JSON: ${(error as Error).message}.`);
  }
}

/** Every setting, under the name by which the program knows it. */
export const SETTINGS = {
  host: setting("HOST", "127.0.0.1", "an address or a name to listen on", nonEmpty),
  port: wholeNumber("PORT", 8484, 0, 65_535),
  dataDir: setting("DATA_DIR", resolve("stillup-data"), "a folder", path),
  role: setting("ROLE", ROLES, "all, or a list of api, checker and delivery", roles),
  nodeName: setting("NODE_NAME", hostname(), "a name", nonEmpty),
  databaseUrl: setting(
    "DATABASE_URL",
    "",
    "sqlite:PATH or postgres://…",
    text.regex(/^(sqlite:.+|postgres(ql)?:\/\/.+)$/),
    SECRET,
  ),
  databasePool: wholeNumber("DATABASE_POOL", 10, 1, 1000),
  databaseTimeoutMs: wholeNumber("DATABASE_TIMEOUT_MS", 30_000, 0, 3_600_000),
  moveTo: setting("MOVE_TO", null, "postgres://…", text.regex(/^postgres(ql)?:\/\/.+$/), SECRET),
  publicUrl: setting("PUBLIC_URL", null, HTTP_URL, publicUrl),
  trustedProxies: listSetting(
    "TRUSTED_PROXIES",
    [],
    "a list of IP addresses and CIDR ranges",
    ipRange,
  ),
  corsAllowedOrigins: listSetting("CORS_ALLOWED_ORIGINS", [], "a list of origins", origin),
  defaultTier: choice("DEFAULT_TIER", "business", TIERS),
  tierLimits: setting(
    "TIER_LIMITS",
    TIER_LIMITS,
    'JSON such as {"business":{"links":100000}}',
    tierLimits,
  ),
  rateLimitPerMinute: wholeNumber("RATE_LIMIT_PER_MINUTE", 120, 0, 1_000_000),
  rateLimitPerHour: wholeNumber("RATE_LIMIT_PER_HOUR", 3600, 0, 1_000_000),
  passwordMemoryMb: wholeNumber("PASSWORD_MEMORY_MB", 64, 19, 1024),
  checkConcurrency: wholeNumber("CHECK_CONCURRENCY", 500, 1, 10_000),
  checkProcesses: wholeNumber("CHECK_PROCESSES", Math.max(1, availableParallelism() - 1), 0, 64),
  sourceConcurrency: wholeNumber("SOURCE_CONCURRENCY", 4, 0, 100),
  hostConcurrency: wholeNumber("HOST_CONCURRENCY", 2, 1, 1000),
  hostGapMs: wholeNumber("HOST_GAP_MS", 250, 0, 600_000),
  ownSites: setting(
    "OWN_SITES",
    {},
    "a list such as docs.example.org=20, with requests a second up to 10000",
    ownSites,
  ),
  checkTimeoutMs: wholeNumber("CHECK_TIMEOUT_MS", 30_000, 100, 600_000),
  checkUserAgent: setting("CHECK_USER_AGENT", "", "one line of text", text.regex(/^[\x20-\x7e]+$/)),
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
  sentinels: listSetting("SENTINELS", SENTINELS, "a list of ip:port", server),
  dnsServers: listSetting("DNS_SERVERS", [], "a list of ip[:port]", server),
  extraCa: setting(
    "EXTRA_CA_FILE",
    null,
    "a readable PEM file",
    text.transform((file) => readFileSync(file, "utf8")),
    { shownAs: "" },
  ),
  services: setting(
    "SERVICES_FILE",
    { file: "", records: [] as unknown },
    "a JSON file of services",
    text.transform(readRecords),
    { shownAs: "" },
  ),
  checkAllowedHosts: hostList("CHECK_ALLOWED_HOSTS", "external"),
  checkBlockedHosts: hostList("CHECK_BLOCKED_HOSTS", ""),
  webhookAllowedHosts: hostList("WEBHOOK_ALLOWED_HOSTS", "external"),
  webhookBlockedHosts: hostList("WEBHOOK_BLOCKED_HOSTS", ""),
  identity: truth("IDENTITY", true),
  webhookRequireHttps: truth("WEBHOOK_REQUIRE_HTTPS", false),
  webhookRetrySeconds: listSetting(
    "WEBHOOK_RETRY_SECONDS",
    RETRY_SECONDS,
    "a list of seconds",
    count,
  ),
  webhookTimeoutMs: wholeNumber("WEBHOOK_TIMEOUT_MS", 15_000, 100, 600_000),
  smtpHost: setting("SMTP_HOST", null, "a name or an address", nonEmpty),
  smtpSecurity: setting(
    "SMTP_SECURITY",
    null,
    `one of ${SECURITIES.join(", ")}`,
    z.enum(SECURITIES),
  ),
  smtpPort: setting(
    "SMTP_PORT",
    null,
    "a whole number from 1 to 65535",
    count.pipe(z.number().min(1).max(65_535)),
  ),
  smtpUser: setting("SMTP_USER", null, "a name", nonEmpty),
  smtpPassword: setting("SMTP_PASSWORD", null, "a password", text.min(1), SECRET),
  smtpPasswordFile: secretFile("SMTP_PASSWORD_FILE"),
  smtpFrom: setting("SMTP_FROM", null, MAIL_ADDRESS, mailAddress),
  smtpReplyTo: setting("SMTP_REPLY_TO", null, MAIL_ADDRESS, mailAddress),
  smtpConnections: wholeNumber("SMTP_CONNECTIONS", 2, 1, 100),
  smtpRate: wholeNumber("SMTP_RATE", 60, 0, 1_000_000),
  smtpRecipients: listSetting(
    "SMTP_RECIPIENTS",
    ["*"],
    "a list of domains such as example.com, *.example.com or *",
    text.toLowerCase().regex(/^(\*|(\*\.)?[a-z0-9-]+(\.[a-z0-9-]+)*)$/),
  ),
  oidcIssuer: setting("OIDC_ISSUER", null, "an https URL", text.transform(readIssuer)),
  oidcClientId: setting("OIDC_CLIENT_ID", null, "a name", nonEmpty),
  oidcClientSecret: setting("OIDC_CLIENT_SECRET", null, "a secret", text.min(1), SECRET),
  oidcClientSecretFile: secretFile("OIDC_CLIENT_SECRET_FILE"),
  oidcName: setting("OIDC_NAME", null, "up to 40 characters", text.regex(/^\P{C}{1,40}$/u)),
  oidcScopes: setting(
    "OIDC_SCOPES",
    "openid email profile",
    "scopes between spaces, with openid and without offline_access",
    text.regex(/^(?=(.* )?openid( |$))(?!(.* )?offline_access( |$))[\x21-\x7e]+( [\x21-\x7e]+)*$/),
  ),
  oidcSignUp: truth("OIDC_SIGN_UP", false),
  oidcAccount: setting("OIDC_ACCOUNT", null, "an account's id, or its owner's e-mail", nonEmpty),
  oidcAllowedDomains: listSetting(
    "OIDC_ALLOWED_DOMAINS",
    [],
    "a list of domains such as example.com",
    text.toLowerCase().regex(/^[a-z0-9-]+(\.[a-z0-9-]+)+$/),
  ),
  oidcDefaultRole: choice("OIDC_DEFAULT_ROLE", "viewer", PERSON_ROLES),
  oidcRoleClaim: setting("OIDC_ROLE_CLAIM", "groups", "the name of a claim", nonEmpty),
  oidcRoles: setting(
    "OIDC_ROLES",
    null,
    'JSON such as {"owner":["links-owners"],"viewer":["*"]}, with the roles admin, owner, editor and viewer',
    roleMap,
  ),
  oidcOnly: truth("OIDC_ONLY", false),
  oidcSessionHours: wholeNumber("OIDC_SESSION_HOURS", 24, 1, 720),
  oidcLogout: truth("OIDC_LOGOUT", false),
  outboundProxy: setting("OUTBOUND_PROXY", null, HTTP_URL, httpUrl, SECRET),
  outboundProxyResolves: truth("OUTBOUND_PROXY_RESOLVES", false),
  rdap: choice("RDAP", "on", ["on", "off"]),
  rdapBootstrapUrl: setting(
    "RDAP_BOOTSTRAP_URL",
    RDAP_SERVERS,
    "an https URL",
    text.regex(/^https:\/\//).transform((value) => new URL(value).href),
  ),
  rdapPerMinute: wholeNumber("RDAP_PER_MINUTE", 60, 1, 10_000),
  archive: choice("ARCHIVE", "account", ["account", "on", "off"]),
  archiveUrl: setting("ARCHIVE_URL", "https://web.archive.org", HTTP_URL, httpUrl),
  archiveTimemaps: setting(
    "ARCHIVE_TIMEMAPS",
    [],
    "a list of up to 3 URLs such as https://arquivo.pt/wayback/timemap/link/",
    list(text.regex(/^https?:\/\//).transform((value) => new URL(value).href)).refine(
      (given) => given.length <= 3,
    ),
  ),
  archivePerMinute: wholeNumber("ARCHIVE_PER_MINUTE", 20, 1, 24),
  archiveKeyFile: setting(
    "ARCHIVE_KEY_FILE",
    null,
    "a readable file with access:secret",
    text
      .transform((file) => readFileSync(file, "utf8").trim())
      .pipe(text.regex(/^[!-9;-~]+:[!-~]+$/)),
    { shownAs: "" },
  ),
  archiveSavesPerDay: wholeNumber("ARCHIVE_SAVES_PER_DAY", 1000, 0, 1_000_000),
  historyDays: wholeNumber("HISTORY_DAYS", 365, 1, 36_500),
  backupCron: cron("BACKUP_CRON", "0 3 * * *"),
  backupKeep: wholeNumber("BACKUP_KEEP", 7, 1, 1000),
  upgradeBackup: truth("UPGRADE_BACKUP", true),
  diskFloorMb: wholeNumber("DISK_FLOOR_MB", 256, 0, 1_000_000),
  allowNetworkFs: truth("ALLOW_NETWORK_FS", false),
  litestream: truth("LITESTREAM", false),
  metricsToken: setting(
    "METRICS_TOKEN",
    null,
    "16 or more printable characters",
    text.regex(/^[!-~]{16,}$/),
    SECRET,
  ),
  heartbeatUrl: setting("HEARTBEAT_URL", null, HTTP_URL, httpUrl, SECRET),
  logLevel: choice("LOG_LEVEL", "info", ["debug", "info", "warning", "error"]),
  logFormat: choice("LOG_FORMAT", process.stderr.isTTY ? "text" : "json", ["text", "json"]),
  secretKey: setting("SECRET_KEY", null, "32 bytes in base64", text.transform(parseKey), SECRET),
  secretKeyFile: setting("SECRET_KEY_FILE", "", "a path", path),
};

export type Config = { [K in keyof typeof SETTINGS]: (typeof SETTINGS)[K]["fallback"] };
