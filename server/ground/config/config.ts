import { join } from "node:path";
import leven from "leven";
import { SettingProblem } from "../lib/errors.ts";
import { VERSION } from "../lib/runtime.ts";
import { oidcOf } from "./oidc.ts";
import { type Config, ROLES, type Role, SETTINGS, type Setting } from "./settings.ts";
import { smtpOf } from "./smtp.ts";

export type { Config };
export type Env = Record<string, string | undefined>;

const PREFIX = "STILLUP_";

/** The path of STILLUP_PUBLIC_URL, such as "/stillup"; "" for the root of a host. */
export const basePathOf = ({ publicUrl }: Pick<Config, "publicUrl">): string =>
  publicUrl === null ? "" : new URL(publicUrl).pathname.replace(/\/$/, "");

/** In the data folder, unless STILLUP_SECRET_KEY_FILE names another place. */
export const SECRET_KEY_FILE = "secret.key";

/**
 * Reads the whole environment once.
 * @throws a sentence that names the variable, its value and what it accepts.
 */
export function readConfig(env: Env): Config {
  const entries = Object.entries<Setting<unknown>>(SETTINGS).map(([key, each]) => [
    key,
    readSetting(each, env),
  ]);
  const config = Object.fromEntries(entries) as Config;
  const databaseUrl = config.databaseUrl || `sqlite:${join(config.dataDir, "stillup.db")}`;
  if (sqlitePath({ databaseUrl }) !== null) refusePartOfRoles(config.role);
  smtpOf(config);
  oidcOf(config);
  return {
    ...config,
    databaseUrl,
    checkUserAgent: config.checkUserAgent || userAgent(config.publicUrl),
    secretKeyFile: config.secretKeyFile || join(config.dataDir, SECRET_KEY_FILE),
  };
}

/** The format of the log, even when other settings are invalid. */
export function logFormatIn(env: Env): Config["logFormat"] {
  try {
    return readSetting(SETTINGS.logFormat, env);
  } catch {
    return SETTINGS.logFormat.fallback;
  }
}

/** The file of the database; null on PostgreSQL. */
export const sqlitePath = ({ databaseUrl }: Pick<Config, "databaseUrl">): string | null =>
  databaseUrl.startsWith("sqlite:") ? databaseUrl.slice("sqlite:".length) : null;

/** The host and the name of a PostgreSQL database, without its password. */
export function databaseName(url: string): string {
  const { host, pathname } = new URL(url);
  return `${host || "localhost"}${pathname}`;
}

/** Where copies of the database are kept. */
export const backupFolder = ({ dataDir }: Pick<Config, "dataDir">): string =>
  join(dataDir, "backups");

/**
 * Every setting with its value and where it came from, secrets masked, one a line.
 * @param file the variables of `--env-file`; the environment wins
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
  const unknown = [file, env].flatMap(unknownIn);
  return [...lines, ...unknown.map((sentence) => `# ${sentence}`)].join("\n");
}

function sourceOf(each: Setting<unknown>, env: Env, text: string | undefined): string {
  if (text === undefined) return "default";
  return textOf(each, env) === undefined ? "env file" : "environment";
}

const NAMES = Object.values(SETTINGS).map(({ name }) => PREFIX + name);

/** `install.sh`, the build of a release and `stillup check` read these, and the examples of docs/ name the key. */
const OTHERS = [
  "STILLUP_RELEASE_URL",
  "STILLUP_RELEASE_KEY",
  "STILLUP_SIGNING_KEY",
  "STILLUP_SERVER",
  "STILLUP_API_KEY",
  "STILLUP_KEY",
];

/**
 * A sentence for each variable that looks like a setting but does not exist, with the nearest name. Its value is left
 * out, since it may be a secret.
 */
export const unknownIn = (env: Env): string[] =>
  Object.keys(env)
    .filter((name) => /^STILLUP_/i.test(name) && ![...NAMES, ...OTHERS].includes(name))
    .map((name) => `${name} is not a setting; ${hintFor(name)}`);

function hintFor(name: string): string {
  const distanceTo = (known: string) => leven(name.toUpperCase(), known);
  const [nearest] = NAMES.toSorted((a, b) => distanceTo(a) - distanceTo(b));
  return nearest && distanceTo(nearest) <= largestDistance(nearest)
    ? `did you mean ${nearest}?`
    : "`stillup serve --print-config` lists all settings.";
}

/** With more changes it is another name; two swapped letters are two changes. */
const largestDistance = (name: string) => Math.max(2, (name.length - PREFIX.length) * 0.3);

/** With an address for complaints where the operator has set one. */
const userAgent = (publicUrl: string | null) =>
  publicUrl ? `Stillup/${VERSION} (+${publicUrl})` : `Stillup/${VERSION}`;

/** @throws on SQLite, which one process serves, when that process does not do everything */
function refusePartOfRoles(role: readonly Role[]): void {
  if (role.length === ROLES.length) return;
  throw new Error(
    `STILLUP_ROLE (${role}): one process does everything on SQLite. Leave it out, or set STILLUP_DATABASE_URL to a PostgreSQL database.`,
  );
}

function readSetting<T>(each: Setting<T>, env: Env): T {
  const text = textOf(each, env);
  if (text === undefined) return each.fallback;
  try {
    return each.schema.parse(text);
  } catch (error) {
    if (error instanceof SettingProblem) {
      throw new Error(`${PREFIX}${each.name} (${text}): ${error.message}`);
    }
    const got = each.secret ? "" : `; got ${JSON.stringify(text)}`;
    throw new Error(`${PREFIX}${each.name} must be ${each.takes}${got}.`);
  }
}

/** An empty variable counts as unset, except for lists. */
function textOf({ name, fallback, isList }: Setting<unknown>, env: Env): string | undefined {
  const text = env[PREFIX + name] ?? (name === "DATABASE_URL" ? env[name] : undefined);
  const isUnset = text === "" && !isList && !Array.isArray(fallback);
  return isUnset ? undefined : text;
}
