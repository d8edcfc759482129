import { type Caller, requirePermission } from "../api/caller.ts";
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
 * Lets a request into /api/v1: authentication, then rate limit, plan and permission. A request
 * without a valid key is charged to its address, so guessing never uses up a real key's budget.
 */
export async function enterByKey(
  deps: Deps & { limiter: RateLimiter; meter: Meter },
  request: Request,
  visit: Visit,
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
  const refusal = refuseCaller(deps, caller, request.method);
  return refusal ? { admitted: false, allowance, refusal } : { admitted: true, allowance, caller };
}

const asRefusal = (refusal: unknown) => ({ refusal });

function refuseCaller({ config }: Deps, caller: Caller, method: string): unknown {
  if (!config.tierLimits[caller.tier].api) {
    return new AppError("BUSINESS_PLAN_REQUIRED", `The ${caller.tier} plan has no API access.`);
  }
  try {
    requirePermission(caller, method);
  } catch (refusal) {
    return refusal;
  }
}
