import { type Finding, unclear } from "../probe/finding.ts";
import type { Answer, Failure } from "../probe/probe.ts";
import { retriedAfter, retriesAfter } from "../probe/statuses.ts";
import { readWalls } from "../signals/walls.ts";
import { partFor } from "./batch.ts";
import type { Target } from "./catalogue.ts";
import { firstRule } from "./decide.ts";
import type { Ask, Rule, Values } from "./record.ts";
import { type Reply, replyTo } from "./reply.ts";
import { DOUBT, findingOf, ILL, type Left } from "./serving.ts";

/** What came back, and from where in an answer to many the link is to be read. */
export type Told = {
  answer: Answer | Failure;
  /** The address that was asked for. */
  url: string;
  place: number;
  /** How many were asked about at once. */
  count: number;
  values: Values;
};

/** A finding; or why the page must decide; or the answer that leads to the next request. */
export type Heard =
  | { finding: Finding; left: null }
  | { finding: null; left: Left }
  | { finding: null; left: null; reply: Reply };

const leaves = (left: Left): Heard => ({ finding: null, left });

/** What an answer of a service means for a link. `now` is wall time in milliseconds. Pure. */
export function hear({ service }: Target, ask: Ask, told: Told, now: number): Heard {
  const { answer, url, values } = told;
  if (answer.kind === "failed") return refused(answer) ?? leaves(ILL);
  if (isWalled(answer, new URL(url), now)) return leaves(ILL);
  const whole = replyTo(answer);
  const reply = ask.batch ? partFor(ask.batch, whole, told) : whole;
  if (!reply) return leaves(ILL);
  const rule = firstRule(ask, reply, values);
  if (rule) {
    const heard = meant(rule, service.name, reply);
    return heard.finding ? { ...heard, finding: retriedAfter(heard.finding, answer, now) } : heard;
  }
  return answer.status === 429
    ? { finding: unclear("service_rate_limited"), left: null }
    : leaves({ ...ILL, retries: retriesAfter(answer, now) });
}

function meant(rule: Rule, name: string, reply: Reply): Heard {
  if (rule.means === "next") return { finding: null, left: null, reply };
  const text = `${name} was asked for it and answered ${reply.status}${briefly(reply)}.`;
  const finding = findingOf(rule, { rule: "service_answer", text });
  if (finding) return { finding, left: null };
  return leaves({ ...DOUBT, undecided: rule.undecided ?? DOUBT.undecided });
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
const refused = ({ heldMs }: Failure): Heard | null =>
  heldMs === undefined
    ? null
    : { finding: unclear("service_rate_limited", [], heldMs), left: null };

/** A wall stands before the service, so that its status is not the service's. */
function isWalled(answer: Answer, url: URL, now: number): boolean {
  if (answer.page === null) return answer.headers.get("cf-mitigated") !== null;
  return readWalls({ answer, url, now, facts: {}, serving: null, isReborn: false }) !== null;
}
