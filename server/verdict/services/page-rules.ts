import { type Finding, type Reader, type Signal, suspected } from "../probe/finding.ts";
import { retriedAfter } from "../probe/statuses.ts";
import { readBarriers } from "../signals/barriers.ts";
import type { Target } from "./catalogue.ts";
import { firstRule, isContradicted, readsBody } from "./decide.ts";
import { isGone } from "./record.ts";
import { replyTo } from "./reply.ts";
import { findingOf, pageOf, type Serving, unproven } from "./serving.ts";

/**
 * What the rules of the link's service make of its page. A wall may look like death to them, and any answer
 * like life to a rule that does not read it; what a page says in words of its service goes before walls.
 */
export const readServicePage: Reader<Serving> = (seen) => {
  const { serving, answer } = seen;
  const target = serving?.target;
  const page = target && pageOf(target);
  if (!page) return null;
  const reply = replyTo(answer);
  const rule = firstRule(page, reply, target.values);
  if (!rule) return null;
  const isTold = readsBody(rule);
  if (isTold && isGone(rule) && isContradicted(page, reply, target.values)) {
    return suspected("service_unrecognised", [contradiction(target)]);
  }
  const text = `${target.service.name} answered ${answer.status}, and its page tells it.`;
  const found = findingOf(rule, { rule: "service_page", text });
  const finding = found && retriedAfter(found, answer, seen.now);
  if (!finding || (isTold && !isGone(rule))) return finding;
  return readBarriers(seen) ?? finding;
};

/** The description of a file may contain what the service writes about one that is gone. */
const contradiction = ({ service }: Target): Signal => ({
  rule: "service_contradiction",
  text: `The page of ${service.name} says that it is gone, and shows what only is there when it is not.`,
});

/** A page of a service that no rule knows proves nothing where rules are what tells. */
export const readUnproven: Reader<Serving> = ({ serving }): Finding | null =>
  serving && unproven(serving);
