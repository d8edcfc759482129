import { existsSync } from "node:fs";
import { eq, isNotNull, or } from "drizzle-orm";
import type { Config } from "../../ground/config/config.ts";
import type { Store } from "../../ground/db/store.ts";
import { facts, users, webhooks } from "../../ground/db/tables.ts";
import { fingerprintOf, readOrMakeKey } from "../../ground/lib/secret-box.ts";

type WithKey = Pick<Config, "secretKey" | "secretKeyFile">;

/** Returns the key that encrypts secrets, once the database is open. */
export type AgreeOnKey = (store: Store, config: WithKey) => Promise<Uint8Array>;

const FACT = "secret_key";

/** The key from the settings, or from the file, which is created if needed. */
export const ownKey = ({ secretKey, secretKeyFile }: WithKey): Uint8Array =>
  secretKey ?? readOrMakeKey(secretKeyFile);

/**
 * Returns the key of this process. All nodes must have the same key; the first one stored its fingerprint.
 * @throws what to do when the key is another one, or is missing
 */
export const agreedKey: AgreeOnKey = async (store, config) => {
  const known = await fingerprintIn(store);
  if (known !== null && !hasKey(config)) throw new Error(missing(config));
  const key = known === null ? await firstKey(store, config) : ownKey(config);
  const mine = fingerprintOf(key);
  if ((known ?? (await storeFirst(store, mine))) !== mine) throw new Error(other(config));
  return key;
};

/** Makes the key of this process the key of all nodes, because the old one is lost, and with it the old secrets. */
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

/** Where the key of this process is stored, for messages. */
export const placeOfKey = ({ secretKey, secretKeyFile }: WithKey): string =>
  secretKey ? "STILLUP_SECRET_KEY" : secretKeyFile;

/** Whether this process has the key with the fingerprint. */
export const hasKeyWith = (config: WithKey, fingerprint: string): boolean =>
  hasKey(config) && fingerprintOf(ownKey(config)) === fingerprint;

/** For reading the fingerprint without a store. */
export const FINGERPRINT_QUERY = `select value from facts where name = '${FACT}'`;

const hasKey = ({ secretKey, secretKeyFile }: WithKey) =>
  secretKey !== null || existsSync(secretKeyFile);

/** An empty key file may be replaced only while no secret is stored. */
const firstKey = async (store: Store, config: WithKey) =>
  config.secretKey ??
  readOrMakeKey(config.secretKeyFile, { mayBeEmpty: !(await hasSecrets(store)) });

async function fingerprintIn(store: Store): Promise<string | null> {
  const [fact] = await store.select().from(facts).where(eq(facts.name, FACT));
  return fact?.value ?? null;
}

/** Of two nodes that start together, both get the fingerprint of the first. */
async function storeFirst(store: Store, mine: string): Promise<string | null> {
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
  "Copy the key file of the first node there, or set STILLUP_SECRET_KEY_FILE to it. Only if that key is lost: stillup accept-key.";

const other = (config: WithKey) =>
  `The secrets in this database are encrypted with another secret key than that of ${placeOfKey(config)}. ${CURE}`;

const missing = (config: WithKey) =>
  `The secrets in this database are encrypted with a secret key, but there is no file ${placeOfKey(config)}. ${CURE}`;
