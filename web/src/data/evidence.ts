import type { Verdict } from "../../../server/ground/lib/vocabulary.ts";
import {
  agreement,
  isOfService,
  meaningOf,
  placeOf,
} from "../../../server/judge/reasons/evidence-words.ts";
import { isMonitorFault, STAGES, type Stage } from "../../../server/judge/reasons/reasons.ts";
import { displayUrl } from "./display-url.ts";
import { dayText, milliseconds } from "./format.ts";
import type { LinkDetail } from "./links.ts";
import { reasonWords, STATUS_WORDS, stageOf } from "./words.ts";

export type Evidence = NonNullable<LinkDetail["evidence"]>;
type Attempt = Evidence["attempts"][number];
type Probe = Evidence["probes"][number];

/** A check whose evidence is known. */
export type Seen = {
  url: string;
  status: Verdict;
  reason: string;
  message: string;
  statusCode: number | null;
  checkedAt: string;
  evidence: Evidence;
};

/** Code stands out from the words around it. */
export type Words = (string | { code: string })[];

export type Hop = { status: number | null; url: string; how: string };

/** One line of a report: only what was measured. */
export type Line = {
  kind: "ok" | "no" | "may" | "around" | "verdict";
  title: string;
  /** Since the check began. */
  at?: string | undefined;
  took?: string | undefined;
  text: Words;
  quote?: string | undefined;
  list?: string[];
  hops?: Hop[];
};

/** The check that explains the link's status: the last one, or if that decided nothing, the one that set the status. */
export function seenOf(link: LinkDetail): Seen | null {
  const { url, last_check: last, last_change: change } = link;
  if (!last) return null;
  const status = settledStatus(link);
  const statusCode = last.status_code;
  if (last.status === status || change?.status !== status || !change.evidence) {
    return link.evidence ? { url, ...asSeen(last), statusCode, evidence: link.evidence } : null;
  }
  return { url, ...asSeen(change), statusCode: null, evidence: change.evidence };
}

type Check = { status: Verdict; reason: string; message: string; checked_at: string };
const asSeen = ({ status, reason, message, checked_at: checkedAt }: Check) => ({
  status,
  reason,
  message,
  checkedAt,
});

/** The status before a running check; unknown if there is none. */
export function settledStatus({ status, last_change, last_check }: LinkDetail): Verdict {
  if (status !== "checking") return status;
  return last_change?.status ?? last_check?.status ?? "unknown";
}

/** The lines of the report, in the order of the check. */
export function linesOf(seen: Seen): Line[] {
  const { attempts, probes } = seen.evidence;
  const [first, ...others] = attempts;
  return [
    ...(first ? [...redirectLine(seen), ...stageLines(seen, first)] : []),
    ...others.map((attempt, index) => attemptLine(seen, first!, attempt, index)),
    ...probeLines(probes, seen.status),
    ...remarkLines(seen.evidence),
    verdictLine(seen),
  ];
}

/** What the failing stage has for a mark. */
const failing = (status: Verdict) => (status === "dead" ? "no" : "may");

/** The stages of the first attempt until the one at which it failed. */
function stageLines(seen: Seen, first: Attempt): Line[] {
  const failed = stageOf(first.reason);
  const end = failed ? STAGES.indexOf(failed) : STAGES.length - 1;
  const isSecure = lastUrl(seen).startsWith("https:") || failed === "tls";
  return STAGES.slice(0, end + 1)
    .filter((stage) => stage !== "tls" || isSecure)
    .map((stage) => ({
      ...STAGE_LINES[stage](seen, first, stage === failed),
      ...(stage === failed && { kind: failing(seen.status) }),
      ...(stage === STAGES[end] && found(seen.evidence)),
    }));
}

/** Where the page was quoted, and what it showed. */
const found = ({ excerpt, signals }: Evidence) => ({
  ...(excerpt && { quote: excerpt }),
  ...(signals.length > 0 && { list: signals.map(({ text }) => text) }),
});

const lastUrl = ({ url, evidence }: Seen) => evidence.final_url ?? url;

type StageLine = (seen: Seen, first: Attempt, isFailed: boolean) => Line;

const STAGE_LINES: Record<Stage, StageLine> = {
  dns(seen, first, isFailed) {
    const host = displayUrl(lastUrl(seen)).host || lastUrl(seen);
    const address = first.address ?? seen.evidence.address;
    const { dns_ms: ms } = seen.evidence;
    return {
      kind: "ok",
      title: "DNS",
      at: "0 ms",
      took: ms !== null ? milliseconds(ms) : isFailed ? milliseconds(first.elapsed_ms) : undefined,
      text: isFailed ? failure(`${host}: `, first) : [address ? `${host} → ${address}` : host],
    };
  },
  connection(seen, first, isFailed) {
    const address = first.address ?? seen.evidence.address;
    const where = address ? `${address}, port ${portOf(lastUrl(seen))}` : "";
    if (!isFailed) return { kind: "ok", title: "Connection", text: where ? [where] : [] };
    const text = failure(where && `${where}: `, first);
    return { kind: "ok", title: "Connection", took: milliseconds(first.elapsed_ms), text };
  },
  tls({ evidence }, first, isFailed) {
    const until = evidence.tls_expires_at;
    const valid = isMoment(until) ? [`Certificate valid until ${dayText(until, Date.now())}`] : [];
    return { kind: "ok", title: "TLS", text: isFailed ? failure("", first) : valid };
  },
  response({ evidence }, first, isFailed) {
    const at = milliseconds(first.elapsed_ms);
    const from = evidence.server ? ` from ${evidence.server}` : "";
    const text =
      first.status === null ? failure("", first) : [{ code: String(first.status) }, from];
    const why = isFailed && first.status !== null && !isNamed(first) ? [`: ${wordsOf(first)}`] : [];
    return { kind: "ok", title: "Response", at, took: at, text: [...text, ...why] };
  },
  content: (_, first, isFailed) => ({
    kind: "ok",
    title: "Content",
    text: isFailed || first.reason !== "ok" ? [wordsOf(first)] : [],
  }),
};

const wordsOf = ({ reason, status }: Attempt) => reasonWords(reason, status);
/** Whether the status says it all. */
const isNamed = ({ reason, status }: Attempt) => reasonWords(reason, status) === String(status);

const failure = (before: string, attempt: Attempt): Words => [
  before + wordsOf(attempt) + (attempt.detail ? ` (${attempt.detail})` : ""),
];

function portOf(url: string): string {
  const { port, protocol } = URL.parse(url) ?? {};
  return port || (protocol === "http:" ? "80" : "443");
}

/** Evidence of any version may contain other text. */
const isMoment = (text: string | null): text is string =>
  text !== null && !Number.isNaN(Date.parse(text));

const ORDINALS = ["Second", "Third", "Fourth", "Fifth", "Sixth"];

function attemptLine(seen: Seen, first: Attempt, attempt: Attempt, index: number): Line {
  const { status, reason } = seen;
  const delay = Date.parse(attempt.at) - Date.parse(first.at);
  const isSame = attempt.reason === first.reason && attempt.status === first.status;
  const outcome: Words =
    attempt.status === null ? [wordsOf(attempt)] : [{ code: String(attempt.status) }];
  const agrees = status === "dead" && (isSame || attempt.reason === reason);
  const isGood = /^ok/.test(attempt.reason);
  return {
    kind: isGood ? "ok" : agrees ? "no" : "may",
    title: `${ORDINALS[index] ?? `${index + 2}th`} attempt`,
    at: delay > 0 ? shortDelay(delay) : undefined,
    took: milliseconds(attempt.elapsed_ms),
    text: [
      ...outcome,
      ...(attempt.status === null || isNamed(attempt) || isGood ? [] : [`: ${wordsOf(attempt)}`]),
      isSame ? " again" : "",
      attempt.profile === "B" ? ", with a browser profile" : "",
      attempt.detail && attempt.status === null ? ` (${attempt.detail})` : "",
    ],
  };
}

const shortDelay = (ms: number) =>
  ms < 1000
    ? milliseconds(ms)
    : ms < 90_000
      ? `${Math.round(ms / 1000)} s`
      : `${Math.round(ms / 60_000)} min`;

function probeLines(probes: Probe[], status: Verdict): Line[] {
  if (probes.length === 0) return [];
  const isService = probes.every(isOfService);
  const text = probes.flatMap((probe, index): Words => {
    const { status, reason, final_url: led } = probe;
    const place = placeOf(probe);
    const outcome: Words =
      status == null
        ? [`: ${reasonWords(reason ?? "").toLowerCase()}`]
        : [" returns ", { code: String(status) }];
    return [index > 0 ? ` ${place}` : place, ...outcome, led ? `, redirected to ${led}.` : "."];
  });
  const meaning = status === "dead" && !isService ? meaningOf(probes) : "";
  const title = isService ? "Service" : "Rest of the site";
  return [{ kind: "around", title, text: [...text, ...(meaning ? [` ${meaning}`] : [])] }];
}

const FLAPPING =
  "This link changes status often, so more checks are needed before it is marked dead.";

function remarkLines({ notes, flapping, monitor }: Evidence): Line[] {
  const all = [...notes, ...(flapping ? [FLAPPING] : []), ...(monitor ? [stateOf(monitor)] : [])];
  return all.length > 0 ? [{ kind: "around", title: "Notes", text: [], list: all }] : [];
}

const STATES = { online: "was online", degraded: "had a poor connection", offline: "was offline" };

function stateOf({ state, sentinels }: NonNullable<Evidence["monitor"]>): string {
  const answered = sentinels.filter((sentinel) => sentinel.answered).length;
  return `This monitor ${STATES[state]}: ${answered} of ${sentinels.length} test servers responded.`;
}

function verdictLine({ status, reason, message, evidence }: Seen): Line {
  const { cause } = evidence;
  const says = [message, agreement(status, evidence), isMonitorFault(reason) ? OWN : ""];
  return {
    kind: "verdict",
    title: STATUS_WORDS[status],
    text: [
      `${says.filter(Boolean).join(" ")} `,
      { code: reason },
      ...(cause ? [" ", { code: cause }] : []),
    ],
  };
}

const OWN = "This result says nothing about the link.";

function redirectLine(seen: Seen): Line[] {
  const { redirects, final_url: end } = seen.evidence;
  if (redirects.length === 0) return [];
  const urls = [...redirects.map(({ url }) => url), ...(end === null ? [] : [end])];
  const hops = urls.map((url, index) => ({
    url,
    status: redirects[index]?.status ?? null,
    how: [
      changesBetween(urls[index - 1], url),
      redirects[index]?.via === "refresh" ? "redirects by its page" : "",
    ]
      .filter(Boolean)
      .join("; "),
  }));
  const title = redirects.length === 1 ? "One redirect" : `${redirects.length} redirects`;
  return [{ kind: "ok", title, text: [], hops }];
}

const PIECES = ["scheme", "host", "path", "query"] as const;
/** Splits without normalizing. */
const URL_PIECES = /^([a-z]+:\/\/)([^/?#]*)([^?#]*)(.*)$/is;

/** "now encrypted, another path": what differs from the URL before; empty for the first. */
function changesBetween(before: string | undefined, now: string): string {
  const earlier = URL_PIECES.exec(before ?? "")?.slice(1);
  const later = URL_PIECES.exec(now)?.slice(1);
  if (!earlier || !later) return "";
  const changes = PIECES.map((name, n) => changeOf(name, earlier[n]!, later[n]!));
  return changes.filter(Boolean).join(", ");
}

function changeOf(name: (typeof PIECES)[number], before: string, now: string): string {
  if (before === now) return "";
  if (name === "scheme") return now === "https://" ? "now encrypted" : "no longer encrypted";
  if (name === "host" && withoutWww(now) === withoutWww(before)) {
    return now.length > before.length ? "with www" : "without www";
  }
  return `another ${name}`;
}

const withoutWww = (host: string) => host.replace(/^www\./i, "");

/** "200 in 168 ms": the result of the last attempt. */
export function resultOf({ statusCode, reason, evidence }: Seen): string {
  const last = evidence.attempts.at(-1);
  const what = reasonWords(reason, statusCode ?? last?.status ?? null);
  return last ? `${what} in ${milliseconds(last.elapsed_ms)}` : what;
}
