import { and, eq, lt, type SQL, sql } from "drizzle-orm";
import { Elysia } from "elysia";
import { preparedOnce, type Statement, type Store } from "../db/store.ts";
import { idempotencyKeys } from "../db/tables.ts";
import { conflict, invalid } from "../lib/errors.ts";
import { hashToken } from "../lib/token.ts";
import type { Deps, Receipt, SaveReply } from "../work/deps.ts";
import { contextOf, type RequestContext } from "./caller.ts";
import { JSON_TYPE, ReadyReply, toErrorResponse } from "./errors.ts";

const KEPT_MS = 24 * 3_600_000;

/** A request with an idempotency key, while it runs. */
export type Claim = {
  accountId: string;
  scope: string;
  key: string;
  bodyHash: string;
  /** When the request came. The stored reply counts its age from here. */
  createdAt: number;
  /** `receipt`: a statement that stores the reply was given to the change. `stored`: the reply is the stored one. */
  state: "running" | "receipt" | "stored";
};

/**
 * A reply to store. For one that holds a secret `body` is null: only that it was sent is stored, and in
 * `resourceId` for which record.
 */
type Stored = {
  status: number;
  body: string | null;
  headers: Record<string, string>;
  resourceId: string | null;
};

/**
 * Gives POST routes `receipt` and `secretReceipt`, which store the key with the reply in the batch of the change.
 * The key is unique, so of two equal requests in two processes only one commits its change, and a process that
 * dies leaves either both or neither. Replies without a receipt are stored afterwards.
 */
export const idempotency = (deps: Deps) =>
  new Elysia({ name: "idempotency" }).resolve({ as: "scoped" }, async ({ request }) => {
    const claim = await claimKey(deps, request);
    const keep = (stored: Stored, onlyIf?: SQL) =>
      claim ? [storeReply(deps, claim, stored, onlyIf)] : [];
    const save = async (tx: Store, stored: Stored) => {
      if (claim) await storeReply({ ...deps, store: tx }, claim, stored);
    };
    return {
      saveReply:
        <T>(
          status: number,
          toReply: (result: T) => unknown,
          locationOf?: (result: T) => string,
        ): SaveReply<T> =>
        (tx, result) =>
          save(tx, {
            status,
            body: JSON.stringify({ data: toReply(result) }),
            headers: headersFor(locationOf?.(result)),
            resourceId: null,
          }),
      saveSecretReply:
        <T extends { id: string }>(status: number): SaveReply<T> =>
        (tx, { id }) =>
          save(tx, { status, body: null, headers: {}, resourceId: id }),
      receipt:
        <T>(
          status: number,
          toReply: (result: T) => unknown,
          locationOf?: (result: T) => string,
        ): Receipt<T> =>
        (result, onlyIf) =>
          keep(
            {
              status,
              body: JSON.stringify({ data: toReply(result) }),
              headers: headersFor(locationOf?.(result)),
              resourceId: null,
            },
            onlyIf,
          ),
      secretReceipt:
        <T extends { id: string }>(status: number): Receipt<T> =>
        ({ id }, onlyIf) =>
          keep({ status, body: null, headers: {}, resourceId: id }, onlyIf),
    };
  });

const headersFor = (location: string | null | undefined): Stored["headers"] =>
  location ? { location } : {};

/**
 * Ends the request's claim. A 2xx or 409 that no receipt stored is stored now; after anything else the key may be
 * used again.
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
    if (state === "stored" || (state === "receipt" && response.ok)) return response;
    const keeps = response.ok || response.status === 409;
    if (keeps && (await storeAfterwards(deps, claim, response))) return response;
    // Also after a failure: the change may have been made, and only word of that was lost.
    const stored = await storedReply(deps, claim);
    if (!stored) return response;
    context.hasHeaders = false;
    return toErrorResponse(stored, context);
  } finally {
    running(deps.store).delete(nameOf(claim));
  }
}

/** Deletes keys that are older than 24 hours. Run by housekeeping. */
export const forgetOldKeys = ({ store, clock }: Deps): Statement =>
  store.delete(idempotencyKeys).where(isOld(clock.now()));

/** The hash of the body of each claim that runs in this process. */
const running = preparedOnce(() => new Map<string, string>());

const nameOf = ({ accountId, scope, key }: Claim) => `${accountId} ${scope} ${key}`;

async function claimKey(deps: Deps, request: Request): Promise<Claim | null> {
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

/** Fails the batch when the key is taken, so that its change is not made a second time. */
function storeReply({ store }: Deps, claim: Claim, stored: Stored, onlyIf = ALWAYS): Statement {
  claim.state = "receipt";
  const { accountId, scope, key, bodyHash, createdAt } = claim;
  const { status, body, headers, resourceId } = stored;
  return store.run(sql`
    insert into ${idempotencyKeys}
      (account_id, scope, key, body_hash, running_until, status, headers, body, resource_id, created_at)
    select cast(${accountId} as text), cast(${scope} as text), cast(${key} as text),
      cast(${bodyHash} as text), cast(${createdAt} as bigint), cast(${status} as bigint), cast(${JSON.stringify(headers)} as text),
      cast(${body} as text), cast(${resourceId} as text), cast(${createdAt} as bigint)
    where ${onlyIf}`);
}

/** @returns whether this request is the first with its key */
async function storeAfterwards({ store }: Deps, claim: Claim, response: Response) {
  const { accountId, scope, key, bodyHash, createdAt } = claim;
  const inserted = await store
    .insert(idempotencyKeys)
    .values({
      ...{ accountId, scope, key, bodyHash, createdAt, status: response.status },
      runningUntil: createdAt,
      headers: JSON.stringify(headersFor(response.headers.get("location"))),
      body: await response.clone().text(),
    })
    .onConflictDoNothing()
    .returning({ key: idempotencyKeys.key });
  return inserted.length === 1;
}

const ALWAYS = sql`1 = 1`;

const isOld = (now: number) => lt(idempotencyKeys.createdAt, now - KEPT_MS);

const hasKey = ({ accountId, scope, key }: Claim) =>
  and(
    eq(idempotencyKeys.accountId, accountId),
    eq(idempotencyKeys.scope, scope),
    eq(idempotencyKeys.key, key),
  );
