import { type Access, type Caller, requirePermission } from "../api/caller.ts";
import { rangeOf } from "../api/client-address.ts";
import { type Allowance, type RateLimiter, rateLimited } from "../api/rate-limit.ts";
import type { Visit } from "../api/visit.ts";
import { AppError } from "../lib/errors.ts";
import type { Deps } from "../work/deps.ts";
import { authenticate, type KeyCaller } from "./keys/authenticate.ts";
import type { Meter } from "./meter.ts";

type Admission = { allowance: Allowance } & (
  | { admitted: true; caller: KeyCaller }
  | { admitted: false; refusal: unknown }
);

/**
 * Checks a request under /api/v1: authentication, then rate limit, plan and the permission that the route requires.
 * A request without a valid key counts against its address, so guessing never uses up the budget of a real key.
 */
export async function enterByKey(
  deps: Deps & { limiter: RateLimiter; meter: Meter },
  request: Request,
  visit: Visit,
  access: Access,
): Promise<Admission> {
  const header = request.headers.get("authorization");
  const caller = await authenticate(deps, header, visit.address).catch(asRefusal);
  if ("refusal" in caller) {
    const allowance = await deps.limiter(`address ${rangeOf(visit.address())}`);
    const refusal = allowance.allowed ? caller.refusal : rateLimited(allowance);
    return { admitted: false, allowance, refusal };
  }
  const allowance = await deps.limiter(`key ${caller.keyId}`);
  if (!allowance.allowed) return { admitted: false, allowance, refusal: rateLimited(allowance) };
  deps.meter.countRequest(caller.accountId, caller.keyId);
  const refusal = refuseCaller(deps, caller, access);
  return refusal ? { admitted: false, allowance, refusal } : { admitted: true, allowance, caller };
}

const asRefusal = (refusal: unknown) => ({ refusal });

/** Keys have permissions only: whatever else a route may require, a key cannot have it. */
function refuseCaller({ config }: Deps, caller: Caller, access: Access): unknown {
  if (!config.tierLimits[caller.tier].api) {
    return new AppError("BUSINESS_PLAN_REQUIRED", `The ${caller.tier} plan has no API access.`);
  }
  try {
    requirePermission(caller, access === "read" ? "read" : "write");
  } catch (refusal) {
    return refusal;
  }
}
