import { type Finding, unclear } from "../probe/finding.ts";
import type { Answer, Failure } from "../probe/probe.ts";
import { retriedAfter, retriesAfter } from "../probe/statuses.ts";
import { readBarriers } from "../signals/barriers.ts";
import { partFor } from "./batch.ts";
import type { Target } from "./catalogue.ts";
import { firstRule } from "./decide.ts";
import type { Ask, Rule, Values } from "./record.ts";
import { type Reply, replyTo } from "./reply.ts";
import { findingOf, NO_ANSWER, UNRECOGNISED, type Undecided } from "./serving.ts";

/** What came back, and from where in an answer to many the link is to be read. */
export type ServiceReply = {
  answer: Answer | Failure;
  /** The address that was asked for. */
  url: string;
  place: number;
  /** How many were asked about at once. */
  count: number;
  values: Values;
};

/** A finding; or why the page must decide; or the answer that leads to the next request. */
export type Received =
  | { finding: Finding; left: null }
  | { finding: null; left: Undecided }
  | { finding: null; left: null; reply: Reply };

const leftUndecided = (left: Undecided): Received => ({ finding: null, left });

/** What an answer of a service means for a link. `now` is wall time in milliseconds. Pure. */
export function receive({ service }: Target, ask: Ask, told: ServiceReply, now: number): Received {
  const { answer, url, values } = told;
  if (answer.kind === "failed") return heldBack(answer) ?? leftUndecided(NO_ANSWER);
  if (isWalled(answer, new URL(url), now)) return leftUndecided(NO_ANSWER);
  const whole = replyTo(answer);
  const reply = ask.batch ? partFor(ask.batch, whole, told) : whole;
  if (!reply) return leftUndecided(NO_ANSWER);
  const rule = firstRule(ask, reply, values);
  if (rule) {
    const heard = applyRule(rule, service.name, reply);
    return heard.finding ? { ...heard, finding: retriedAfter(heard.finding, answer, now) } : heard;
  }
  return answer.status === 429
    ? { finding: unclear("service_rate_limited"), left: null }
    : leftUndecided({ ...NO_ANSWER, retries: retriesAfter(answer, now) });
}

function applyRule(rule: Rule, name: string, reply: Reply): Received {
  if (rule.means === "next") return { finding: null, left: null, reply };
  const text = `${name} was asked for it and answered ${reply.status}${briefly(reply)}.`;
  const finding = findingOf(rule, { rule: "service_answer", text });
  if (finding) return { finding, left: null };
  return leftUndecided({ ...UNRECOGNISED, undecided: rule.undecided ?? UNRECOGNISED.undecided });
}

const QUOTED_CHARS = 100;

/** A few words of an answer that is not a page. */
function briefly({ text, headers, isMissing }: Reply): string {
  if (isMissing) return ", not naming it";
  const isPage = /html/i.test(headers.get("content-type") ?? "");
  const words = isPage ? "" : text.replace(/\s+/g, " ").trim();
  if (words === "") return "";
  return `: ${words.slice(0, QUOTED_CHARS)}${words.length > QUOTED_CHARS ? "…" : ""}`;
}

/** Its site wants to be left alone for longer than this check can wait. */
const heldBack = ({ heldMs }: Failure): Received | null =>
  heldMs === undefined
    ? null
    : { finding: unclear("service_rate_limited", [], heldMs), left: null };

/** A wall stands before the service, so that its status is not the service's. */
function isWalled(answer: Answer, url: URL, now: number): boolean {
  if (answer.page === null) return answer.headers.get("cf-mitigated") !== null;
  return (
    readBarriers({ answer, url, now, facts: {}, serving: null, isReregistered: false }) !== null
  );
}
