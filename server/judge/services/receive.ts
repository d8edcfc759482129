import { type Finding, unclear } from "../probe/finding.ts";
import type { Answer, Failure } from "../probe/probe.ts";
import { retriedAfter, retriesAfter } from "../probe/statuses.ts";
import { readBarriers } from "../signals/barriers.ts";
import type { Target } from "./catalogue.ts";
import { firstRule, partOf, type Reply, replyTo, valueAt } from "./decide.ts";
import type { Ask, Batch, Rule } from "./record.ts";
import { findingOf, NO_ANSWER, UNRECOGNISED, type Undecided } from "./serving.ts";
import { toText, type Values } from "./templates.ts";

/** A response to a request about `count` links, of which this one is at `place`. */
type ServiceResponse = {
  answer: Answer | Failure;
  url: string;
  place: number;
  count: number;
  values: Values;
};

/** A finding; or why the page must decide; or the reply that leads to the next request. */
export type Received =
  | { finding: Finding; left: null }
  | { finding: null; left: Undecided }
  | { finding: null; left: null; reply: Reply };

const leftUndecided = (left: Undecided): Received => ({ finding: null, left });

/** Judges the response of a service. @param now wall time in milliseconds */
export function receive(
  { service }: Target,
  ask: Ask,
  response: ServiceResponse,
  now: number,
): Received {
  const { answer, url, values } = response;
  if (answer.kind === "failed") return heldBack(answer) ?? leftUndecided(NO_ANSWER);
  if (isWalled(answer, new URL(url), now)) return leftUndecided(NO_ANSWER);
  const whole = replyTo(answer);
  const reply = ask.batch ? partFor(ask.batch, whole, response) : whole;
  if (!reply) return leftUndecided(NO_ANSWER);
  const rule = firstRule(ask, reply, values);
  if (rule) {
    const received = applyRule(rule, service.name, reply);
    if (!received.finding) return received;
    return { ...received, finding: retriedAfter(received.finding, answer, now) };
  }
  return answer.status === 429
    ? { finding: unclear("service_rate_limited"), left: null }
    : leftUndecided({ ...NO_ANSWER, retries: retriesAfter(answer, now) });
}

function applyRule(rule: Rule, name: string, reply: Reply): Received {
  if (rule.means === "next") return { finding: null, left: null, reply };
  const text = `${name} returned ${reply.status} for it${excerptOf(reply)}.`;
  const finding = findingOf(rule, { rule: "service_answer", text });
  if (finding) return { finding, left: null };
  return leftUndecided({ ...UNRECOGNISED, undecided: rule.undecided ?? UNRECOGNISED.undecided });
}

const QUOTED_CHARS = 100;

/** Returns the first words of a reply that is not a page. */
function excerptOf({ text, headers, isMissing }: Reply): string {
  if (isMissing) return ", not listing it";
  const isPage = /html/i.test(headers.get("content-type") ?? "");
  const words = isPage ? "" : text.replace(/\s+/g, " ").trim();
  if (words === "") return "";
  return `: ${words.slice(0, QUOTED_CHARS)}${words.length > QUOTED_CHARS ? "…" : ""}`;
}

/** The site is in a cooldown that lasts longer than this check can wait. */
const heldBack = ({ heldMs }: Failure): Received | null =>
  heldMs === undefined
    ? null
    : { finding: unclear("service_rate_limited", [], heldMs), left: null };

/** Bot protection answered instead of the service. */
function isWalled(answer: Answer, url: URL, now: number): boolean {
  if (answer.page === null) return answer.headers.get("cf-mitigated") !== null;
  return (
    readBarriers({ answer, url, now, facts: {}, serving: null, isReregistered: false }) !== null
  );
}

/**
 * Returns the link's part of a response about many; null if it cannot be identified. A response of another form, such
 * as an error, is the same for all.
 */
function partFor(
  { answers }: Batch,
  reply: Reply,
  { values, place, count }: ServiceResponse,
): Reply | null {
  if (answers.by === "line") {
    const text = toText(answers.has, values).toLowerCase();
    const line = reply.lines().find((each) => each.toLowerCase().includes(text));
    return partOf(reply, line);
  }
  const holder = valueAt(reply.json(), answers.at ?? "");
  if (answers.by === "position") {
    if (!Array.isArray(holder)) return reply;
    return holder.length === count ? partOf(reply, holder[place]) : null;
  }
  if (holder === null || typeof holder !== "object") return reply;
  if (answers.by === "key") {
    const key = toText(answers.key, values);
    return partOf(reply, Object.hasOwn(holder, key) ? Reflect.get(holder, key) : undefined);
  }
  const ours = toText(answers.is, values);
  const isOurs = (each: unknown) => String(valueAt(each, answers.field)) === ours;
  if (Array.isArray(holder)) return partOf(reply, holder.find(isOurs));
  return isOurs(holder) ? partOf(reply, holder) : reply;
}
