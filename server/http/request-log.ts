import type { Visit } from "../api/visit.ts";
import { log } from "../lib/log.ts";
import type { Deps } from "../work/deps.ts";

const SLOW_MS = 1000;
const READS = new Set(["GET", "HEAD", "OPTIONS"]);
const ASSETS = "/assets/";

/**
 * Counts an answered request and logs it. A read that went well and was quick is a line of level `debug`, as
 * it would cost more than answering some of them; every other request is one of level `info`.
 */
export function noteRequest(
  { clock, metrics }: Pick<Deps, "clock" | "metrics">,
  { method }: Request,
  visit: Visit,
  { status }: Response,
): void {
  const ms = clock.elapsed() - visit.arrivedAt;
  metrics.requestEnded({ method, route: routeOf(visit), status }, ms);
  const isNews = !READS.has(method) || status >= 400 || ms >= SLOW_MS;
  if (isNews) log.info("request", factsOf(method, visit, status, ms));
  else log.debug("request", () => factsOf(method, visit, status, ms));
}

/** Files have hashes in their names, which change with every version. */
function routeOf({ route, path }: Visit): string {
  if (path.startsWith(ASSETS)) return `${ASSETS}:file`;
  return route || "none";
}

/** Neither queries nor bodies, in which anything may stand. */
function factsOf(method: string, visit: Visit, status: number, ms: number) {
  const { requestId: request, path, caller } = visit;
  return {
    ...{ request, method, path, status, ms: Math.round(ms * 10) / 10 },
    ...(caller && { account: caller.accountId, ...whoOf(caller.by) }),
    address: visit.address(),
  };
}

/** A key by the part of it that is shown, and a person by their id. */
const whoOf = ({ kind, id, name }: NonNullable<Visit["caller"]>["by"]) =>
  kind === "key" ? { key: name } : { user: id };
