import type { OnlineState } from "../verdict/online/online.ts";
import type { Deps } from "./deps.ts";
import type { NodeInfo } from "./nodes.ts";

/** Whether links are checked, here or by another node. */
export const areLinksChecked = ({ loops, nodes }: Deps): boolean =>
  loops.checking || nodes.all().some((node) => node.id !== nodes.id && isChecker(node));

const isChecker = ({ isLive, roles }: NodeInfo) => isLive && roles.includes("checker");

/** The best for the links first. */
const RANKS: (OnlineState | "unknown")[] = ["online", "degraded", "unknown", "offline"];

/** How the checker that is best off can reach the internet: work goes to it from those that cannot. */
export function onlineOfAll({ nodes }: Deps): {
  state: OnlineState | "unknown";
  since: number | null;
} {
  const all = nodes.all();
  const checkers = all.filter(isChecker);
  const states = (checkers.length > 0 ? checkers : all.slice(0, 1)).map(({ state }) => state);
  const [best] = states.toSorted((a, b) => RANKS.indexOf(a.online) - RANKS.indexOf(b.online));
  return { state: best!.online, since: best!.onlineSince };
}
