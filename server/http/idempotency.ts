import { and, eq, isNull, lt } from "drizzle-orm";
import { Elysia } from "elysia";
import type { Deps, Receipt } from "../deps.ts";
import { conflict, invalid } from "../lib/errors.ts";
import { hashToken } from "../lib/token.ts";
import type { Statement } from "../store/store.ts";
import { idempotencyKeys } from "../store/tables.ts";
import { JSON_TYPE, ReadyReply } from "./errors.ts";
import { visitOf } from "./visit.ts";

const KEPT_MS = 24 * 3_600_000;
/** How long a first request may run before a crash is assumed and the key is free again. */
const RUN_MS = 60_000;

/** A request's hold on its idempotency key. */
export type Claim = {
  accountId: string;
  scope: string;
  key: string;
  /** By which it is told from another one, that took the key when this had run for too long. */
  createdAt: number;
  /** Set once the reply is kept, with the change itself or after it. */
  kept: boolean;
};

/**
 * A reply to keep. For one that holds a secret `body` is null: only that it was given is kept, and by
 * `resourceId` about which record.
 */
type Kept = {
  status: number;
  body: string | null;
  headers: Record<string, string>;
  resourceId: string | null;
};

/**
 * Gives POST routes `receipt` and `secretReceipt`, which keep the reply in the same batch as the
 * change, so that a crash cannot separate them. Replies that no receipt kept are kept afterwards.
 */
export const idempotency = (deps: Deps) =>
  new Elysia({ name: "idempotency" }).resolve({ as: "scoped" }, async ({ request, body }) => {
    const claim = await claimKey(deps, request, body);
    const keep = (kept: Kept) => (claim ? [keepReply(deps, claim, kept)] : []);
    return {
      receipt:
        <T>(
          status: number,
          toReply: (result: T) => unknown,
          locationOf?: (result: T) => string,
        ): Receipt<T> =>
        (result) =>
          keep({
            status,
            body: JSON.stringify({ data: toReply(result) }),
            headers: headersFor(locationOf?.(result)),
            resourceId: null,
          }),
      secretReceipt:
        <T extends { id: string }>(status: number): Receipt<T> =>
        ({ id }) =>
          keep({ status, body: null, headers: {}, resourceId: id }),
    };
  });

const headersFor = (location: string | null | undefined): Kept["headers"] =>
  location ? { location } : {};

/** Keeps or lets go what no receipt settled: 2xx and 409 are kept, anything else may be tried again. */
export async function settleClaim(deps: Deps, claim: Claim, response: Response): Promise<void> {
  // A receipt that was written with a change which then failed is gone with it.
  if (claim.kept && response.ok) return;
  const keeps = response.ok || response.status === 409;
  if (!keeps) {
    // Not where the change was made and only word of it was lost.
    const isUnsettled = and(isClaim(claim), isNull(idempotencyKeys.status));
    await deps.store.delete(idempotencyKeys).where(isUnsettled);
    return;
  }
  const body = await response.clone().text();
  const headers = headersFor(response.headers.get("location"));
  await deps.store.write([
    keepReply(deps, claim, { status: response.status, body, headers, resourceId: null }),
  ]);
}

/** Keys whose time is over, to be run by housekeeping. */
export const forgetOldKeys = ({ store, clock }: Deps): Statement =>
  store.delete(idempotencyKeys).where(lt(idempotencyKeys.createdAt, clock.now() - KEPT_MS));

async function claimKey(deps: Deps, request: Request, body: unknown): Promise<Claim | null> {
  const key = request.headers.get("idempotency-key");
  const visit = visitOf(request);
  if (key === null || request.method !== "POST" || !visit.caller) return null;
  if (!/^[\x20-\x7e]{1,255}$/.test(key)) {
    throw invalid({ "Idempotency-Key": ["must be 1 to 255 printable ASCII characters"] });
  }
  const claim = {
    accountId: visit.caller.accountId,
    // A path can be longer than what an index takes.
    scope: hashToken(`POST ${visit.path}`),
    key,
    createdAt: deps.clock.now(),
    kept: false,
  };
  const bodyHash = hashToken(JSON.stringify(body) ?? "");
  if (!(await takeKey(deps, claim, bodyHash))) throw await answerAgain(deps, claim, bodyHash);
  visit.claim = claim;
  return claim;
}

/** Whether this request is the first with its key, or the first after one that died. */
async function takeKey({ store }: Deps, claim: Claim, bodyHash: string): Promise<boolean> {
  const { accountId, scope, key, createdAt: now } = claim;
  const fresh = { bodyHash, runningUntil: now + RUN_MS, createdAt: now };
  const [, , inserted] = await store.batch([
    store
      .delete(idempotencyKeys)
      .where(and(hasKey(claim), lt(idempotencyKeys.createdAt, now - KEPT_MS))),
    store
      .delete(idempotencyKeys)
      .where(
        and(hasKey(claim), isNull(idempotencyKeys.status), lt(idempotencyKeys.runningUntil, now)),
      ),
    store
      .insert(idempotencyKeys)
      .values({ accountId, scope, key, ...fresh })
      .onConflictDoNothing()
      .returning({ key: idempotencyKeys.key }),
  ]);
  return inserted.length === 1;
}

async function answerAgain({ store }: Deps, claim: Claim, bodyHash: string): Promise<Error> {
  const [row] = await store.select().from(idempotencyKeys).where(hasKey(claim));
  if (row && row.bodyHash !== bodyHash) {
    const reason = "idempotency_key_reused";
    return conflict("This idempotency key was used with another body.", { reason });
  }
  if (!row || row.status === null) {
    return conflict("A request with this idempotency key is still running.", {
      reason: "in_progress",
    });
  }
  if (row.body === null) {
    const details = { reason: "secret_not_replayable", id: row.resourceId };
    return conflict("This was done before. Its reply held a secret and was not kept.", details);
  }
  const headers = { ...JSON.parse(row.headers ?? "{}"), "content-type": JSON_TYPE };
  headers["idempotent-replayed"] = "true";
  return new ReadyReply(new Response(row.body, { status: row.status, headers }));
}

function keepReply(
  { store }: Deps,
  claim: Claim,
  { status, body, headers, resourceId }: Kept,
): Statement {
  claim.kept = true;
  return store
    .update(idempotencyKeys)
    .set({ status, body, headers: JSON.stringify(headers), resourceId })
    .where(isClaim(claim));
}

const isClaim = (claim: Claim) =>
  and(hasKey(claim), eq(idempotencyKeys.createdAt, claim.createdAt));

const hasKey = ({ accountId, scope, key }: Claim) =>
  and(
    eq(idempotencyKeys.accountId, accountId),
    eq(idempotencyKeys.scope, scope),
    eq(idempotencyKeys.key, key),
  );
