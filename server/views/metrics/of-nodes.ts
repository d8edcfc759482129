import { ROLES } from "../../config/config.ts";
import { WORKS } from "../../db/tables.ts";
import type { Deps } from "../../work/deps.ts";
import type { Readings } from "./readings.ts";

/** What this node knows of the others and of its own part, from its latest sign of life. */
export function readNodes({ nodes }: Deps): Readings {
  const all = nodes.all();
  const live = all.filter(({ isLive }) => isLive);
  const present = new Set(live.map(({ name }) => name));
  const gone = new Set(all.map(({ name }) => name)).difference(present);
  const { buckets, clockOffMs, lagMs } = all[0]!.state;
  return {
    nodes: ROLES.map((role) => [{ role }, live.filter(({ roles }) => roles.includes(role)).length]),
    nodes_gone: gone.size,
    node_buckets: WORKS.map((work) => [{ work }, buckets[work]]),
    node_lag_seconds: WORKS.flatMap((work) => {
      const ms = lagMs[work];
      return ms === null ? [] : [[{ work }, ms / 1000]];
    }),
    node_clock_off_seconds: clockOffMs / 1000,
  };
}
