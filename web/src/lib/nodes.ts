import type { ClusterNode } from "./admin.ts";
import { lengthText } from "./format.ts";

/** A smaller difference of the clock is not shown. */
const CLOCK_OFF_MS = 1000;
/** Interval at which nodes look for work. */
const ON_TIME_MS = 2000;

const ROLES: Record<string, string> = {
  api: "API",
  checker: "checks",
  delivery: "deliveries",
};

/** "API, checks", or "everything". */
export function rolesText(roles: string[]): string {
  const isAll = Object.keys(ROLES).every((role) => roles.includes(role));
  return isAll ? "everything" : roles.map((role) => ROLES[role] ?? role).join(", ");
}

/** Null if the clock is right. */
export function clockText({ clock_off_ms: ms }: ClusterNode): string | null {
  if (Math.abs(ms) < CLOCK_OFF_MS) return null;
  return `Clock ${lengthText(Math.abs(ms))} ${ms > 0 ? "ahead" : "behind"}`;
}

/** "34 %, on time"; null if the node has no share. */
export function workText(node: ClusterNode, work: "checks" | "deliveries"): string | null {
  const share = node.share[work];
  const lag = node.lag_ms[work];
  if (!node.is_live || (share === 0 && lag === null)) return null;
  const part = `${Math.round(share * 100)} %`;
  if (lag === null) return part;
  return `${part}, ${lag < ON_TIME_MS ? "on time" : `${lengthText(lag)} late`}`;
}

/** Problems of live nodes, each with what to do. */
export function problemsOf(nodes: ClusterNode[]): string[] {
  const live = nodes.filter((node) => node.is_live);
  return [...versionsProblem(live), ...missingRoles(live)];
}

function versionsProblem(live: ClusterNode[]): string[] {
  const versions = [...new Set(live.map(({ version }) => version))].sort(inOrder);
  if (versions.length < 2) return [];
  const list = `${versions.slice(0, -1).join(", ")} and ${versions.at(-1)}`;
  return [`The nodes run different versions: ${list}. Upgrade the older ones next.`];
}

const inOrder = (a: string, b: string) => a.localeCompare(b, "en", { numeric: true });

function missingRoles(live: ClusterNode[]): string[] {
  const has = (role: string) => live.some(({ roles }) => roles.includes(role));
  return [
    ...(has("checker") ? [] : ["No node checks links. Start one with STILLUP_ROLE=checker."]),
    ...(has("delivery") ? [] : ["No node delivers events. Start one with STILLUP_ROLE=delivery."]),
  ];
}
