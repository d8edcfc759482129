import { describeError, log } from "../lib/log.ts";
import type { OnlineChange } from "../verdict/online/online.ts";
import type { Deps } from "../work/deps.ts";
import { countDueLinks } from "../work/due.ts";

/** Tells of our own outages: one line when one begins, and one when it is over. */
export function tellOfOutage(deps: Deps, { from, to }: OnlineChange): void {
  const { sentinels } = to.report;
  if (to.state === "offline") {
    log.warn("offline: no sentinel answers, so checks are paused", { sentinels });
  } else if (to.state === "degraded") {
    log.warn("degraded: too few sentinels answer, so failures do not count", { sentinels });
  } else if (from.state !== "unknown") {
    const lasted_s = Math.round((to.since - from.since) / 1000);
    countDueLinks(deps)
      .then((due) => log.info("online again", { after: from.state, lasted_s, due }))
      .catch((error) => log.error("due links could not be counted", describeError(error)));
  }
}
