import type { ServerErrorReason, UnknownReason } from "../reasons/reasons.ts";
import { readUsedUpLimit } from "./rate-limit-headers.ts";
import { readRetryAfter } from "./retry-after.ts";

/** Until `until`, on the clock's `elapsed()`, a site wants to be left alone. */
type Hold = { since: number; until: number; reason: UnknownReason };

/** What a site's answers told about how much it can take. */
export type SiteLoad = {
  /** Milliseconds between the starts of two requests, on top of the usual gap. */
  penaltyMs: number;
  /** Why there is a penalty. */
  trouble: UnknownReason;
  /** Answers 429 in a row. */
  refusals: number;
  /** May be over. */
  hold: Hold | null;
};

/** As much of a response as a site's load is told by. */
export type Response = { status: number; headers: Headers };

/** Wall time, for what servers date, and `elapsed()`, for what is waited. */
type Moment = { now: number; elapsed: number };

export const UNBURDENED: SiteLoad = {
  penaltyMs: 0,
  trouble: "http_429",
  refusals: 0,
  hold: null,
};

const FIRST_REFUSAL_MS = 500;
const LONGEST_REFUSAL_MS = 30_000;
const ERROR_STEP_MS = 200;
const LONGEST_ERROR_MS = 10_000;
const REFUSALS_BORNE = 2;
/** For whoever refused more often than that. */
const COOL_DOWN_MS = 15 * 60_000;
/** No rate limit is waited for longer. */
const LONGEST_RENEWAL_MS = 15 * 60_000;

/** What a site's load is after one more of its responses. */
export function afterResponse(load: SiteLoad, response: Response, moment: Moment): SiteLoad {
  const next = backOff(load, response.status);
  const holdMs = Math.max(
    askedRestMs(response, moment.now),
    next.refusals > REFUSALS_BORNE ? COOL_DOWN_MS : 0,
    Math.min(readUsedUpLimit(response.headers, moment.now) ?? 0, LONGEST_RENEWAL_MS),
  );
  const until = moment.elapsed + holdMs;
  if (until <= Math.max(moment.elapsed, load.hold?.until ?? 0)) return next;
  const reason = response.status === 503 ? "maintenance" : "http_429";
  return { ...next, hold: { since: moment.elapsed, until, reason } };
}

/** Slower after each refusal and each error of the server, at full speed again after a success. */
function backOff(load: SiteLoad, status: number): SiteLoad {
  const { penaltyMs } = load;
  if (status === 429) {
    const longer = Math.min(Math.max(FIRST_REFUSAL_MS, penaltyMs * 2), LONGEST_REFUSAL_MS);
    return { ...load, penaltyMs: longer, trouble: "http_429", refusals: load.refusals + 1 };
  }
  if (status >= 200 && status < 300) return { ...load, penaltyMs: 0, refusals: 0 };
  if (!isServerError(status)) return { ...load, refusals: 0 };
  const longer = Math.max(penaltyMs, Math.min(penaltyMs + ERROR_STEP_MS, LONGEST_ERROR_MS));
  return { ...load, penaltyMs: longer, trouble: serverError(status), refusals: 0 };
}

/** RFC 6585 §6: 511 comes from the network between, so it is no trouble of the site. */
const isServerError = (status: number) => status >= 500 && status < 600 && status !== 511;

/** The number of a 5xx has three digits, the first of them a 5. */
const serverError = (status: number) => `http_${status}` as ServerErrorReason;

/** RFC 9110 §10.2.3. After a redirect it means something else. */
function askedRestMs({ status, headers }: Response, now: number): number {
  if (status !== 429 && status !== 503) return 0;
  return readRetryAfter(headers.get("retry-after"), now) ?? 0;
}
