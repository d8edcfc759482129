import { timingSafeEqual } from "node:crypto";
import { eq, sql } from "drizzle-orm";
import type { Caller } from "../../api/caller.ts";
import { preparedOnce } from "../../db/store.ts";
import { apiKeys, type Tier } from "../../db/tables.ts";
import { AppError, type ErrorCode } from "../../lib/errors.ts";
import { log } from "../../lib/log.ts";
import { hashToken, isApiKey } from "../../lib/token.ts";
import type { Deps } from "../../work/deps.ts";

export type KeyCaller = Caller & { keyId: string };

const selectKey = preparedOnce((store) =>
  store
    .select({
      id: apiKeys.id,
      accountId: apiKeys.accountId,
      prefix: apiKeys.prefix,
      hash: apiKeys.hash,
      canRead: apiKeys.canRead,
      canWrite: apiKeys.canWrite,
      expiresAt: apiKeys.expiresAt,
      revokedAt: apiKeys.revokedAt,
      // SQLite reads one row of each table three times as fast this way as by a join.
      tier: sql<Tier>`(select accounts.tier from accounts where accounts.id = api_keys.account_id)`,
      accountNo: sql<number>`(select accounts.no from accounts where accounts.id = api_keys.account_id)`,
    })
    .from(apiKeys)
    .where(eq(apiKeys.hash, sql.placeholder("hash")))
    .prepare(),
);

/**
 * Who holds the key of an `Authorization` header. The scheme is case-insensitive and followed by
 * exactly one space (RFC 6750 §2.1).
 * @throws UNAUTHORIZED, INVALID_API_KEY, REVOKED_API_KEY or EXPIRED_API_KEY
 */
export async function authenticate(
  deps: Deps,
  header: string | null,
  address: () => string | null,
): Promise<KeyCaller> {
  const token = /^bearer ([^ ]+)$/i.exec(header ?? "")?.[1];
  if (!token) throw refusal("UNAUTHORIZED", "Send your API key as `Authorization: Bearer <key>`.");
  if (!isApiKey(token))
    throw refusal("INVALID_API_KEY", "This is not an API key. Was it cut or mistyped?");
  const hash = hashToken(token);
  const key = await keyByHash(deps, hash);
  if (!key) throw await refuseUnknown(deps, hash);
  if (key.revokedAt !== null) throw refusal("REVOKED_API_KEY", "This API key was revoked.");
  if (key.expiresAt !== null && key.expiresAt <= deps.clock.now()) {
    throw refusal("EXPIRED_API_KEY", "This API key has expired.");
  }
  const permissions = { read: key.canRead, write: key.canWrite };
  const { id, accountId, accountNo, tier, expiresAt } = key;
  const by = { kind: "key", id, name: key.prefix, address } as const;
  return { keyId: id, accountId, accountNo, tier, permissions, expiresAt, by };
}

type FoundKey = Awaited<ReturnType<ReturnType<typeof selectKey>["execute"]>>[number];

/** More keys than any account asks with at once; what is forgotten is looked up again. */
const MOST_KEPT = 10_000;

/**
 * Keys with the version of the database they were read under, since most requests come with the key of
 * the one before. Each has its own: while one is looked up another may see the database change, and a
 * key that was revoked then must not pass for present.
 */
const foundKeys = preparedOnce(() => new Map<string, { version: number; key: FoundKey }>());

async function keyByHash({ store }: Deps, hash: string): Promise<FoundKey | undefined> {
  const found = foundKeys(store);
  const version = store.engine.version();
  const known = found.get(hash);
  if (known && known.version === version) return known.key;
  const [key] = await selectKey(store).execute({ hash });
  if (!key || !isSame(key.hash, hash)) return undefined;
  if (found.size >= MOST_KEPT) found.clear();
  if (version !== null) found.set(hash, { version, key });
  return key;
}

const isSame = (a: string, b: string) => timingSafeEqual(Buffer.from(a), Buffer.from(b));

/** The value before a rotation is unknown like any other, but its use is worth a line in the log. */
async function refuseUnknown({ store }: Deps, hash: string): Promise<AppError> {
  const [rotated] = await store
    .select({ id: apiKeys.id })
    .from(apiKeys)
    .where(eq(apiKeys.previousHash, hash))
    .limit(1);
  if (rotated) log.warning("the value before its last rotation was used", { key: rotated.id });
  return refusal("INVALID_API_KEY", "There is no such API key.");
}

/** RFC 6750 §3: the challenge names an error only when a token was given. */
function refusal(code: ErrorCode, message: string): AppError {
  const error = code === "UNAUTHORIZED" ? "" : ', error="invalid_token"';
  return new AppError(code, message, undefined, {
    "www-authenticate": `Bearer realm="api"${error}`,
  });
}
