import { and, eq, lt } from "drizzle-orm";
import { preparedOnce, type Store } from "../ground/db/store.ts";
import { idempotencyKeys } from "../ground/db/tables.ts";
import { conflict, invalid } from "../ground/lib/errors.ts";
import { hashToken } from "../ground/lib/ids.ts";
import type { Deps, SaveReply } from "../work/deps.ts";
import { type Claim, contextOf, type RequestContext } from "./caller.ts";
import { JSON_TYPE, ReadyReply, toErrorResponse } from "./reply.ts";

const KEPT_MS = 24 * 3_600_000;

/**
 * A reply to store. For a reply with a secret, `body` is null and `resourceId` names the record: only the fact that it
 * was sent is stored.
 */
type Stored = {
  status: number;
  body: string | null;
  location?: string | null | undefined;
  resourceId: string | null;
};

/** Claims the key of a body that its route reads, once all of it has arrived. @returns `saveReply` */
export async function claimUpload(deps: Deps, request: Request, bodyHash: string) {
  contextOf(request).sentBody = [new URL(request.url).search, bodyHash];
  return savingFor(await claimKey(deps, request));
}

const savingFor =
  (claim: Claim | null) =>
  <T>(
    status: number,
    toReply: (result: T) => unknown,
    locationOf?: (result: T) => string,
  ): SaveReply<T> =>
  async (tx, result) => {
    if (!claim) return;
    await storeReply(tx, claim, {
      status,
      body: JSON.stringify({ data: toReply(result) }),
      location: locationOf?.(result),
      resourceId: null,
    });
  };

/**
 * Ends the request's claim. A 2xx or 409 that the change did not store is stored now; after anything else the key may
 * be used again.
 * @returns the response, or the stored reply when an equal request in another process was first
 */
export async function settleClaim(
  deps: Deps,
  context: RequestContext,
  claim: Claim,
  response: Response,
): Promise<Response> {
  try {
    const { state } = claim;
    if (state === "stored" || (state === "saved" && response.ok)) return response;
    const keeps = response.ok || response.status === 409;
    if (keeps && (await storeAfterwards(deps, claim, response))) return response;
    // Also after a failure: the change may have been committed although its confirmation was lost.
    const stored = await storedReply(deps, claim);
    if (!stored) return response;
    context.hasHeaders = false;
    return toErrorResponse(stored, context);
  } finally {
    running(deps.store).delete(nameOf(claim));
  }
}

/** Deletes keys that are older than 24 hours. Run by housekeeping. */
export const forgetOldKeys = ({ store, clock }: Deps) =>
  store.delete(idempotencyKeys).where(isOld(clock.now()));

/** The hash of the body of each claim that runs in this process. */
const running = preparedOnce(() => new Map<string, string>());

const nameOf = ({ accountId, scope, key }: Claim) => `${accountId} ${scope} ${key}`;

/**
 * Claims the idempotency key of a POST, so that its change is made once. The key is unique, so of two equal requests in
 * two processes only one commits its change, and a process that dies leaves either both or neither.
 * @returns null for a request without a key
 */
export async function claimKey(deps: Deps, request: Request): Promise<Claim | null> {
  const key = request.headers.get("idempotency-key");
  const context = contextOf(request);
  if (key === null || request.method !== "POST" || !context.caller) return null;
  if (!/^[\x20-\x7e]{1,255}$/.test(key)) {
    throw invalid({ "Idempotency-Key": ["must be 1 to 255 printable ASCII characters"] });
  }
  const claim: Claim = {
    accountId: context.caller.accountId,
    // A path can be longer than what an index takes.
    scope: hashToken(`POST ${context.path}`),
    key,
    bodyHash: hashToken(JSON.stringify(context.sentBody) ?? ""),
    createdAt: deps.clock.now(),
    state: "running",
  };
  const other = running(deps.store).get(nameOf(claim));
  if (other !== undefined) throw other === claim.bodyHash ? inProgress() : keyReused();
  running(deps.store).set(nameOf(claim), claim.bodyHash);
  context.claim = claim;
  const stored = await storedReply(deps, claim);
  if (!stored) return claim;
  claim.state = "stored";
  throw stored;
}

/** What to throw when the key has a stored reply; null when it has none. */
async function storedReply({ store }: Deps, claim: Claim): Promise<Error | null> {
  const [row] = await store.select().from(idempotencyKeys).where(hasKey(claim));
  if (!row) return null;
  if (row.createdAt < claim.createdAt - KEPT_MS) {
    await store.delete(idempotencyKeys).where(and(hasKey(claim), isOld(claim.createdAt)));
    return null;
  }
  if (row.bodyHash !== claim.bodyHash) return keyReused();
  if (row.body === null) {
    const details = { reason: "secret_not_replayable", id: row.resourceId };
    return conflict("This was done before. Its reply held a secret and was not kept.", details);
  }
  const headers = { ...JSON.parse(row.headers ?? "{}"), "content-type": JSON_TYPE };
  headers["idempotent-replayed"] = "true";
  return new ReadyReply(new Response(row.body, { status: row.status, headers }));
}

const inProgress = () =>
  conflict("A request with this idempotency key is still running.", { reason: "in_progress" });

const keyReused = () =>
  conflict("This idempotency key was used with another body.", {
    reason: "idempotency_key_reused",
  });

/** Stores the reply in the transaction of the change. @throws Duplicate when the key is taken */
export async function storeReply(tx: Store, claim: Claim, stored: Stored): Promise<void> {
  claim.state = "saved";
  await tx.insert(idempotencyKeys).values(rowOf(claim, stored));
}

/** @returns whether this request is the first with its key */
async function storeAfterwards({ store }: Deps, claim: Claim, response: Response) {
  const stored = {
    status: response.status,
    body: await response.clone().text(),
    location: response.headers.get("location"),
    resourceId: null,
  };
  const inserted = await store
    .insert(idempotencyKeys)
    .values(rowOf(claim, stored))
    .onConflictDoNothing()
    .returning({ key: idempotencyKeys.key });
  return inserted.length === 1;
}

const rowOf = (
  { state: _, ...claim }: Claim,
  { location, ...stored }: Stored,
): typeof idempotencyKeys.$inferInsert => ({
  ...claim,
  ...stored,
  runningUntil: claim.createdAt,
  headers: JSON.stringify(location ? { location } : {}),
});

const isOld = (now: number) => lt(idempotencyKeys.createdAt, now - KEPT_MS);

const hasKey = ({ accountId, scope, key }: Claim) =>
  and(
    eq(idempotencyKeys.accountId, accountId),
    eq(idempotencyKeys.scope, scope),
    eq(idempotencyKeys.key, key),
  );
