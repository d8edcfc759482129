import type { Facts, Finding, Need, Seen } from "../../server/judge/probe/finding.ts";
import type { Hop } from "../../server/judge/probe/hops.ts";
import type { Answer, Failure, Probe } from "../../server/judge/probe/probe.ts";
import type { Serving } from "../../server/judge/services/serving.ts";
import { judge } from "../../server/judge/verdict.ts";
import { readPage } from "./read-page.ts";

const NOW = Date.parse("2030-01-01T00:00:00Z");

/** A response as a test describes it: a page that answers 200 from a deep address by default. */
export type Described = {
  /** Where it was found; the same as what was asked for unless there were redirects. */
  at?: string;
  /** Of the last redirect. */
  fragment?: string;
  /** The addresses that redirected on the way, oldest first. */
  from?: string[];
  via?: Hop["via"];
  status?: number;
  headers?: Record<string, string>;
  /** As text in UTF-8, or as bytes; ignored when the type is not HTML. */
  html?: string | Uint8Array;
  address?: string;
  /** The whole of a response that is not a page. */
  shortText?: string;
} & Partial<Pick<Answer, "truncated" | "bodyProblem" | "bodyBytes">>;

/** What a judgement is asked about. Facts are described like pages, or by the reason of a failure; undefined: not asked. */
export type Case = Described & {
  url?: string;
  isReregistered?: boolean;
  facts?: {
    [K in keyof Facts]?: K extends "profile" | "names" | "control"
      ? Facts[K]
      : Described | Failure["reason"] | null | undefined;
  };
};

const ASKED = "http://site.test/articles/some-story";

/**
 * A site of which nothing special is known: it is honest about what does not exist, and has a home page that leads to
 * other pages.
 */
const USUAL_FACTS: Facts = {
  profile: { kind: "honest" },
  control: { url: "http://site.test/about", shows: "different" },
};
const USUAL_HOME: Described = {
  at: "http://site.test/",
  html: "<title>The site</title><h1>The site</h1>",
};

export async function answerOf(described: Described, asked: string = ASKED): Promise<Answer> {
  const { at, from = [], via = "location", status = 200, html = "A page.", address } = described;
  const headers = new Headers({ "Content-Type": "text/html; charset=utf-8", ...described.headers });
  const type = headers.get("content-type");
  const page = /html/i.test(type ?? "") ? await readPage(html, type) : null;
  return {
    kind: "answered",
    hops: from.map((url) => ({ url, status: via === "location" ? 302 : 200, via })),
    finalUrl: at ?? asked,
    fragment: described.fragment ?? "",
    address: address ?? "198.51.100.7",
    tlsExpiresAt: null,
    dnsMs: null,
    elapsedMs: 5,
    waitedMs: 0,
    status,
    headers,
    page,
    text: null,
    ...(described.shortText !== undefined && { shortText: described.shortText }),
    bodyBytes: described.bodyBytes ?? html.length,
    truncated: described.truncated ?? false,
    bodyProblem: described.bodyProblem ?? null,
    responseTimeMs: 5,
  };
}

export const failureOf = (reason: Failure["reason"], url: string = ASKED): Failure => ({
  kind: "failed",
  hops: [],
  finalUrl: url,
  fragment: "",
  address: null,
  tlsExpiresAt: null,
  dnsMs: null,
  elapsedMs: 5,
  waitedMs: 0,
  reason,
  detail: "",
});

async function factOf(
  described: Described | Failure["reason"] | null | undefined,
): Promise<Probe | null | undefined> {
  if (described === null || described === undefined) return described;
  return typeof described === "string"
    ? failureOf(described)
    : answerOf(described, described.at ?? ASKED);
}

export async function seenOf({
  url = ASKED,
  isReregistered = false,
  facts = {},
  ...described
}: Case): Promise<Seen<Serving>> {
  const { profile, names, control, ...probes } = { home: USUAL_HOME, ...facts };
  const asked = await Promise.all(
    Object.entries(probes).map(async ([name, fact]) => [name, await factOf(fact)] as const),
  );
  return {
    answer: await answerOf(described, url),
    url: new URL(url),
    now: NOW,
    serving: null,
    isReregistered,
    facts: {
      ...USUAL_FACTS,
      ...(profile !== undefined && { profile }),
      ...(names !== undefined && { names }),
      ...("control" in facts && { control }),
      ...Object.fromEntries(asked),
    },
  };
}

/** The verdict on one response, in short: `dead soft404_body C2`, `active ok`, or `wants sibling`. */
export const verdictOn = async (given: Case): Promise<string> => shown(judge(await seenOf(given)));

/** The rules that a verdict names. */
export async function rulesOn(given: Case): Promise<string[]> {
  const finding = judge(await seenOf(given));
  return "needs" in finding ? [] : finding.signals.map(({ rule }) => rule);
}

function shown(finding: Finding | Need): string {
  if ("needs" in finding) return `wants ${finding.needs}`;
  const { verdict, reason, confirm } = finding;
  return confirm === "none" ? `${verdict} ${reason}` : `${verdict} ${reason} ${confirm}`;
}
