import { checkIdOf } from "../../server/ground/lib/ids.ts";
import type { NewCheck } from "../rows.ts";

export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;

/** A check as the plain history remembers it; `groupId` is where its link was, `order` its link's place. */
export type Remembered = Required<
  Pick<NewCheck, "linkId" | "checkedAt" | "status" | "statusChanged" | "responseTimeMs">
> & { groupId: string | null; order: number };

/** What may be asked of a history. Dates are inclusive, as in queries. */
export type Question = {
  link_id?: string;
  group_id?: string;
  status?: "active" | "dead" | "unknown";
  changed?: boolean;
  start_date?: number;
  end_date?: number;
};

/**
 * What history must tell, by looking at every check there ever was. `since`: checks before it are gone and
 * only counted, by the hour in which they were.
 */
export function plainHistory(all: readonly Remembered[], since = 0) {
  const ofSubject = ({ link_id, group_id }: Question) =>
    all.filter(
      (check) =>
        (link_id === undefined || check.linkId === link_id) &&
        (group_id === undefined || check.groupId === group_id),
    );

  function listed({
    status,
    changed,
    start_date = 0,
    end_date = Number.MAX_VALUE,
    ...of
  }: Question) {
    return ofSubject(of)
      .filter(({ checkedAt: at }) => at >= Math.max(start_date, since) && at <= end_date)
      .filter((check) => status === undefined || check.status === status)
      .filter((check) => !changed || check.statusChanged)
      .sort((a, b) => b.checkedAt - a.checkedAt || b.order - a.order);
  }

  function counted(question: Question) {
    const { start_date = 0, end_date = Number.MAX_VALUE, group_id } = question;
    const isGroup = group_id !== undefined;
    const first = isGroup ? floor(start_date) : start_date;
    const last = isGroup ? floor(end_date) + HOUR - 1 : end_date;
    const known = (at: number) => (isGroup || at < since ? floor(at) : at);
    return ofSubject(question).filter(
      ({ checkedAt }) => known(checkedAt) >= first && known(checkedAt) <= last,
    );
  }

  const ids = (question: Question) =>
    listed(question).map(({ linkId, checkedAt }) => checkIdOf(linkId, checkedAt));
  const stats = (question: Question) => statsOf(counted(question));

  /** The buckets from the one that holds the first date to the one that holds the last. */
  function series(question: Question & { start_date: number; end_date: number }, length: number) {
    const { start_date, end_date, ...of } = question;
    const points = [];
    for (let start = floor(start_date, length); start <= end_date; start += length) {
      const within = ofSubject(of).filter(({ checkedAt }) => floor(checkedAt, length) === start);
      const extremes = extremesOf(of.link_id === undefined ? [] : within);
      points.push({ start: new Date(start).toISOString(), ...statsOf(within), ...extremes });
    }
    return points;
  }

  return { ids, stats, series };
}

const floor = (at: number, length = HOUR) => Math.floor(at / length) * length;

function statsOf(checks: Remembered[]) {
  const times = checks.flatMap(({ responseTimeMs }) => responseTimeMs ?? []);
  const sum = times.reduce((a, b) => a + b, 0);
  const having = (status: string) => checks.filter((check) => check.status === status).length;
  return {
    totalChecks: checks.length,
    aliveCount: having("active"),
    deadCount: having("dead"),
    unknownCount: having("unknown"),
    statusChanges: checks.filter(({ statusChanged }) => statusChanged).length,
    avgResponseTimeMs: times.length === 0 ? 0 : Math.round(sum / times.length),
  };
}

function extremesOf(checks: Remembered[]) {
  const times = checks.flatMap(({ responseTimeMs }) => responseTimeMs ?? []);
  return times.length === 0
    ? { fastestMs: null, slowestMs: null }
    : { fastestMs: Math.min(...times), slowestMs: Math.max(...times) };
}
