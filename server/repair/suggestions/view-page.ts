import { hostSettingFor } from "../../hosts/lookup.ts";
import type { KnownLink } from "../../judge/attempt.ts";
import { NEVER_CHECKED } from "../../judge/attempt.ts";
import type { Matches, Trace } from "../../judge/identity/matches.ts";
import type { Memory } from "../../judge/identity/memory.ts";
import type { Conclusion } from "../../judge/probe/conclusion.ts";
import { isMonitorFault } from "../../judge/reasons/reasons.ts";
import type { Deps } from "../../work/deps.ts";

/** An address that may stand in the place of a link of an account, and the page that it is to show. */
type Wanted = {
  accountId: string;
  url: string;
  trace: Trace | null;
  /** What the page should have, as written after `#`. */
  fragments?: string[];
  signal: AbortSignal;
};

/** `retryMs`: nothing was requested, or nothing can be said, since the site or this monitor cannot be asked now. */
export type Viewed = Pick<
  Conclusion,
  "status" | "reason" | "statusCode" | "finalUrl" | "fragments"
> & {
  matches: Matches;
  retryMs: number | null;
};

const SOON_MS = 60_000;

/** The page that another must show to be that of a link. */
export const traceOf = (memory: Memory | undefined): Trace | null =>
  memory?.page ? { title: memory.page.title, print: memory.page.print } : null;

/** Requests an address once like that of a link, by the limits of its site, and compares its page. */
export async function viewPage(
  deps: Deps,
  { accountId, url, trace, fragments, signal }: Wanted,
): Promise<Viewed> {
  const found = await hostSettingFor(deps, accountId, url);
  if (found === "unreadable") return { ...UNSEEN, reason: "credentials_unreadable", retryMs: null };
  const link: KnownLink = {
    ...NEVER_CHECKED,
    url,
    trace,
    isGlance: true,
    isTrial: true,
    host: found && { ...found, isProven: false },
    ...(fragments && { fragments }),
  };
  if (deps.online.known().state === "offline") return { ...UNSEEN, reason: "monitor_offline" };
  const seen = await deps.tryLink(link, signal);
  return {
    status: seen.status,
    reason: seen.reason,
    statusCode: seen.statusCode,
    finalUrl: seen.finalUrl,
    ...(seen.fragments && { fragments: seen.fragments }),
    matches: seen.matches ?? "unknown",
    retryMs: seen.deferMs ?? (isMonitorFault(seen.reason) ? SOON_MS : null),
  };
}

const UNSEEN: Omit<Viewed, "reason"> = {
  status: "unknown",
  statusCode: null,
  finalUrl: null,
  matches: "unknown",
  retryMs: SOON_MS,
};
