import type { Caller } from "../../api/caller.ts";
import type { Deps } from "../../work/deps.ts";
import { findDead, findRecovered } from "./attention.ts";
import { countByStatus } from "./counts.ts";
import type { Overview } from "./model.ts";
import { findBacklog, monitoring } from "./monitoring.ts";
import { tallyGroups, tallyUnknown } from "./tallies.ts";

/** Of each list the first ten. */
export async function findOverview(deps: Deps, caller: Caller): Promise<Overview> {
  const counts = await countByStatus(deps, caller);
  const [dead, recovered, unknown, groups, checker, webhooks] = await Promise.all([
    findDead(deps, caller, counts.dead),
    findRecovered(deps, caller),
    tallyUnknown(deps, caller, counts.unknown),
    tallyGroups(deps, caller),
    monitoring(deps),
    findBacklog(deps, caller),
  ]);
  return { counts, dead, recovered, unknown, groups, checker, webhooks };
}
