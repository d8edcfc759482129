import type { QueryClient } from "@tanstack/preact-query";
import { api, asSent, newKey, unwrap } from "../data/api.ts";
import { changeNamed, type Step, sentenceOf, takeStep } from "../data/bulk.ts";
import { acknowledge, reopen, type TriageChange } from "../data/triage.ts";
import { inDays, muteUntil } from "./decisions.ts";

type Cause = { site: string; reason: string; count: number };
type Say = (text: string, undo?: () => unknown) => void;

const PER_PAGE = 100;
/** More links than these are changed by their filter, which cannot be taken back. */
const MOST_NAMED = 1000;
const WEEK = 7;

export const acknowledgeCause = (client: QueryClient, cause: Cause, say: Say) =>
  decide(client, cause, acknowledge(), say);

/** For a week. */
export const muteCause = (client: QueryClient, cause: Cause, say: Say) =>
  decide(client, cause, muteUntil(inDays(WEEK)), say);

/** Decides about all open links of a cause. */
async function decide(client: QueryClient, cause: Cause, change: TriageChange, say: Say) {
  const renew = () => client.invalidateQueries({ queryKey: ["overview"] });
  const filter = { attention: "true", site: cause.site, reason: cause.reason };
  if (cause.count > MOST_NAMED) {
    const done = await changeMatching(change, filter);
    say(sentenceOf(change, done));
    return renew();
  }
  const ids = await idsOf(filter);
  if (ids.length === 0) return renew();
  const { done } = await changeNamed(change, ids);
  say(sentenceOf(change, done), () => changeNamed(reopen(), ids).finally(renew));
  return renew();
}

async function idsOf(filter: object): Promise<string[]> {
  const ids: string[] = [];
  for (let page = 1; page <= MOST_NAMED / PER_PAGE; page++) {
    const query = asSent<{ page: number; per_page: number }>({
      ...filter,
      page,
      per_page: PER_PAGE,
    });
    const { items, pagination } = await unwrap(api.links.get({ query }));
    ids.push(...items.map(({ id }) => id));
    if (page >= pagination.total_pages) break;
  }
  return ids;
}

async function changeMatching(change: TriageChange, filter: object): Promise<number> {
  let done = 0;
  for (let before: string | null = null, isFirst = true; isFirst || before !== null; ) {
    isFirst = false;
    const target = { kind: "matching" as const, conditions: asSent<never>(filter), total: 0 };
    const step: Step = await takeStep(change, target, before, newKey());
    done += step.done;
    before = step.next;
  }
  return done;
}
