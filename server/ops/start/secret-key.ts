import { existsSync } from "node:fs";
import { eq, isNotNull, or } from "drizzle-orm";
import type { Config } from "../../config/config.ts";
import type { Store } from "../../db/store.ts";
import { facts, users, webhooks } from "../../db/tables.ts";
import { fingerprintOf, readOrMakeKey } from "../../lib/secret-box.ts";

type WithKey = Pick<Config, "secretKey" | "secretKeyFile">;

/** Gives the key that secrets are kept under, once the database is open. */
export type AgreeOnKey = (store: Store, config: WithKey) => Promise<Uint8Array>;

const FACT = "secret_key";

/** The key as it is set, or that of the file, which is made if need be. */
export const ownKey = ({ secretKey, secretKeyFile }: WithKey): Uint8Array =>
  secretKey ?? readOrMakeKey(secretKeyFile);

/**
 * The key of this process, which is that of all who serve the database: the first has said which by its fingerprint.
 * @throws what to do when it is another one, or is missing
 */
export const agreedKey: AgreeOnKey = async (store, config) => {
  const known = await fingerprintIn(store);
  if (known !== null && !hasKey(config)) throw new Error(missing(config));
  const key = known === null ? await firstKey(store, config) : ownKey(config);
  const mine = fingerprintOf(key);
  if ((known ?? (await sayFirst(store, mine))) !== mine) throw new Error(other(config));
  return key;
};

/** The key of this process for that of all, because the one before is lost. What was kept under that stays shut. */
export const newKey: AgreeOnKey = async (store, config) => {
  const key = config.secretKey ?? readOrMakeKey(config.secretKeyFile, { mayBeEmpty: true });
  const value = fingerprintOf(key);
  const isIt = eq(facts.name, FACT);
  await store.batch([
    store.delete(facts).where(isIt),
    store.insert(facts).values({ name: FACT, value }),
  ]);
  return key;
};

/** Where the key of this process comes from, for people. */
export const placeOfKey = ({ secretKey, secretKeyFile }: WithKey): string =>
  secretKey ? "STILLUP_SECRET_KEY" : secretKeyFile;

/** Whether this process has the key that is known by the fingerprint. */
export const isKnownBy = (config: WithKey, fingerprint: string): boolean =>
  hasKey(config) && fingerprintOf(ownKey(config)) === fingerprint;

/** Reads the fingerprint of a database without a store. */
export const FINGERPRINT_QUERY = `select value from facts where name = '${FACT}'`;

const hasKey = ({ secretKey, secretKeyFile }: WithKey) =>
  secretKey !== null || existsSync(secretKeyFile);

/** Nothing can have been kept under a key that was never written, while there is nothing. */
const firstKey = async (store: Store, config: WithKey) =>
  config.secretKey ??
  readOrMakeKey(config.secretKeyFile, { mayBeEmpty: !(await hasSecrets(store)) });

async function fingerprintIn(store: Store): Promise<string | null> {
  const [fact] = await store.select().from(facts).where(eq(facts.name, FACT));
  return fact?.value ?? null;
}

/** Of two who start at once, both hear of the first. */
async function sayFirst(store: Store, mine: string): Promise<string | null> {
  await store.insert(facts).values({ name: FACT, value: mine }).onConflictDoNothing();
  return fingerprintIn(store);
}

async function hasSecrets(store: Store): Promise<boolean> {
  const [signing, factors] = await store.batch([
    store.select({ id: webhooks.id }).from(webhooks).limit(1),
    store
      .select({ id: users.id })
      .from(users)
      .where(or(isNotNull(users.totpSecret), isNotNull(users.totpPending)))
      .limit(1),
  ]);
  return signing.length + factors.length > 0;
}

const CURE =
  "Copy the key file of the first node there, or name it by STILLUP_SECRET_KEY_FILE. Only if that key is lost: stillup accept-key.";

const other = (config: WithKey) =>
  `The secrets in this database are kept under another secret key than that of ${placeOfKey(config)}. ${CURE}`;

const missing = (config: WithKey) =>
  `The secrets in this database are kept under a secret key, but there is no file ${placeOfKey(config)}. ${CURE}`;
