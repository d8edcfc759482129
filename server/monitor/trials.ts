import { hostSettingFor } from "../hosts/lookup.ts";
import type { Caller } from "../http/caller.ts";
import { NEVER_CHECKED } from "../judge/attempt.ts";
import type { Expect } from "../judge/expectations.ts";
import { type Conclusion, sawNothing } from "../judge/probe/conclusion.ts";
import { findLinkDetail } from "../links/links.ts";
import type { Deps } from "../work/deps.ts";
import { type CheckedLink, checkAtHost } from "./checker.ts";

/** Returns a link for its trial. @param expect replaces what is expected of it; null for nothing */
export async function findTried(
  deps: Deps,
  caller: Caller,
  id: string,
  expect?: Expect | null,
): Promise<CheckedLink> {
  const { details, ...link } = await findLinkDetail(deps, caller, id);
  const wanted = expect === undefined ? details.expect : expect;
  return { ...link, nextTrigger: "manual" as const, ...(wanted && { expect: wanted }) };
}

/** Checks a link without keeping the result. */
export const tryLink = (deps: Deps, link: CheckedLink, signal: AbortSignal): Promise<Conclusion> =>
  whenOnline(deps, () =>
    checkAtHost(deps, link, (it) => deps.tryLink({ ...it, isTrial: true }, signal)),
  );

/** The same for a URL that the account may not watch. */
export const tryUrl = (
  deps: Deps,
  accountId: string,
  url: string,
  signal: AbortSignal,
): Promise<Conclusion> =>
  whenOnline(deps, async () => {
    const found = await hostSettingFor(deps, accountId, url);
    // Without its credentials everything there looks dead.
    if (found === "unreadable") return sawNothing("credentials_unreadable");
    const host = found && { ...found, isProven: false };
    return deps.tryLink({ ...NEVER_CHECKED, url, isRequested: true, isTrial: true, host }, signal);
  });

function whenOnline({ online }: Deps, check: () => Promise<Conclusion>): Promise<Conclusion> {
  const known = online.known();
  return known.state === "offline"
    ? Promise.resolve(sawNothing("monitor_offline", { monitor: known.report }))
    : check();
}
