import { createTurns } from "../ground/lib/concurrency.ts";
import { toIso } from "../ground/lib/moments.ts";
import { refusalBeyond } from "../http/rate-limit.ts";
import { messageOf } from "../judge/reasons/reasons.ts";
import { findTried, tryLink, tryUrl } from "../monitor/trials.ts";
import type { Json } from "./operations.ts";
import type { Session } from "./tool.ts";

/** Most clients wait a minute for a tool. */
const LONGEST_MS = 25_000;

/** Of one process: calls that wait, and checks that run for them. */
const waits = createTurns({ atOnce: 20, mostWaiting: 0 });
const checks = createTurns({ atOnce: 50 });

/** Each makes requests to up to 100 sites. */
const refuseTooMany = refusalBeyond({ perMinute: 10, perHour: 0 }, "checks of URLs");

const isOpen = ({ verdict, error }: Json) => !error && (verdict === null || verdict === "unknown");

/** Adds to what is known of URLs what checks find now, of which nothing is stored. */
export async function checkUrls(session: Session, body: Json): Promise<Json> {
  const { results, summary } = await session.ask("findVerdicts", { body });
  if (!results.some(isOpen)) return withChecks(summary, results);
  await refuseTooMany(session.deps, session.caller.accountId);
  return waits(async () => {
    const until = AbortSignal.any([session.signal, AbortSignal.timeout(LONGEST_MS)]);
    const checked = results.map((result: Json) =>
      isOpen(result) ? checkOne(session, result, until) : result,
    );
    return withChecks(summary, await Promise.all(checked));
  });
}

/** Returns the result with the verdict of a check, or `pending` once the signal aborts. */
function checkOne(session: Session, result: Json, until: AbortSignal): Promise<Json> {
  const { deps, caller } = session;
  const checked = checks(async () => {
    if (until.aborted) return { ...result, pending: true };
    const seen = result.link_id
      ? await tryLink(deps, await findTried(deps, caller, result.link_id), until)
      : await tryUrl(deps, caller.accountId, result.url, until);
    const { status: verdict, reason, statusCode, cause = null } = seen;
    const message = messageOf(reason, statusCode, cause);
    const now = { checked_at: toIso(deps.clock.now()), age: 0 };
    return { ...result, verdict, reason, message, status_code: statusCode, ...now };
  }, caller.accountId);
  const aborted = new Promise<Json>((resolve) => {
    const end = () => resolve({ ...result, pending: true });
    if (until.aborted) end();
    else until.addEventListener("abort", end, { once: true });
  });
  return Promise.race([aborted, checked]);
}

function withChecks(summary: Json, checked: Json[]): Json {
  const results = checked.map(({ pending = false, ...result }) => ({ ...result, pending }));
  const count = (wanted: string) => results.filter(({ verdict }) => verdict === wanted).length;
  const [active, dead, unknown] = [count("active"), count("dead"), count("unknown")];
  const pending = results.filter((result) => result.pending).length;
  return { summary: { ...summary, active, dead, unknown, pending }, results };
}
