import { and, eq, inArray } from "drizzle-orm";
import { type LinkRow, links } from "../ground/db/tables.ts";
import { AppError } from "../ground/lib/errors.ts";
import type { Caller } from "../http/caller.ts";
import type { Reason } from "../judge/reasons/reasons.ts";
import { messageOf } from "../judge/reasons/reasons.ts";
import { urlKeyOf } from "../judge/services/catalogue.ts";
import type { Deps } from "../work/deps.ts";
import { readUrl } from "./change-url.ts";

/** `age` is in milliseconds. Of a link that was never checked all but `linkId` is null. */
export type KnownVerdict = {
  linkId: string;
  verdict: "active" | "dead" | "unknown";
  reason: string | null;
  message: string;
  statusCode: number | null;
  checkedAt: number | null;
  age: number | null;
};

/** What is known of each URL, in their order: null if the account does not watch it. */
export async function findVerdicts(
  deps: Pick<Deps, "store" | "config" | "catalogue" | "clock">,
  { accountId }: Pick<Caller, "accountId">,
  urls: string[],
  maxAgeMs: number,
): Promise<(KnownVerdict | AppError | null)[]> {
  const { store, clock } = deps;
  const keys = keysOf(deps, urls);
  const wanted = [...new Set(keys.filter((key) => typeof key === "string"))];
  const isWanted = and(eq(links.accountId, accountId), inArray(links.urlKey, wanted));
  const rows = wanted.length === 0 ? [] : await store.select(FOUND).from(links).where(isWanted);
  const byKey = new Map(rows.map((row) => [row.urlKey, toVerdict(row, clock.now(), maxAgeMs)]));
  return keys.map((key) => (key instanceof AppError ? key : (byKey.get(key) ?? null)));
}

/** The keys by which links are found, or why a URL is none that can be checked. */
export const keysOf = (
  { config, catalogue }: Pick<Deps, "config" | "catalogue">,
  urls: string[],
): (string | AppError)[] =>
  urls.map((url) => {
    try {
      return urlKeyOf(catalogue, readUrl({ config }, url));
    } catch (error) {
      if (error instanceof AppError) return error;
      throw error;
    }
  });

const FOUND = {
  id: links.id,
  urlKey: links.urlKey,
  status: links.status,
  reason: links.reason,
  lastStatus: links.lastStatus,
  lastReason: links.lastReason,
  lastCause: links.lastCause,
  lastStatusCode: links.lastStatusCode,
  lastCheckedAt: links.lastCheckedAt,
};

type Found = Pick<LinkRow, keyof typeof FOUND>;

function toVerdict(row: Found, now: number, maxAgeMs: number): KnownVerdict {
  const { id: linkId, lastCheckedAt: checkedAt, lastStatusCode: statusCode } = row;
  if (checkedAt === null)
    return {
      linkId,
      verdict: "unknown",
      reason: null,
      message: "The link was not checked yet.",
      statusCode: null,
      checkedAt,
      age: null,
    };
  const age = Math.max(0, now - checkedAt);
  const verdict = verdictOf(row);
  const known = { linkId, statusCode, checkedAt, age };
  if (verdict !== "unknown" && age > maxAgeMs)
    return {
      ...known,
      verdict: "unknown",
      reason: "stale",
      message: "The last check is older than max_age.",
    };
  const reason = isOverridden(row) ? row.reason : row.lastReason;
  const cause = isOverridden(row) ? row.lastReason : row.lastCause;
  const message = messageOf(reason as Reason, statusCode, cause as Reason | null);
  return { ...known, verdict, reason, message };
}

/** A death needs two looks: what a single check found is not settled. */
function verdictOf({ status, lastStatus, ...row }: Found): KnownVerdict["verdict"] {
  if (lastStatus === "active" || isOverridden({ status, ...row })) return "active";
  return status === "dead" && lastStatus === "dead" ? "dead" : "unknown";
}

/** Between the word of a person and the next check. */
const isOverridden = ({ status, reason }: Pick<Found, "status" | "reason">) =>
  status === "active" && reason === "ok_overridden";
