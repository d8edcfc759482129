import type { Facts, Finding, Need, Seen } from "../../server/verdict/probe/finding.ts";
import type { Hop } from "../../server/verdict/probe/hops.ts";
import type { Answer, Failure, Probe } from "../../server/verdict/probe/probe.ts";
import type { Serving } from "../../server/verdict/services/serving.ts";
import { judge } from "../../server/verdict/verdict.ts";
import { readPage } from "./read-page.ts";

const NOW = Date.parse("2030-01-01T00:00:00Z");

/** A response as a test tells it: a page that answers 200 from a deep address unless told otherwise. */
export type Told = {
  /** Where it was found; the same as what was asked for unless there were redirects. */
  at?: string;
  /** Of the last redirect. */
  fragment?: string;
  /** The addresses that redirected on the way, oldest first. */
  from?: string[];
  via?: Hop["via"];
  status?: number;
  headers?: Record<string, string>;
  /** As text in UTF-8, or as bytes; ignored when the type is no HTML. */
  html?: string | Uint8Array;
  address?: string;
  /** The whole of a response that is no page. */
  shortText?: string;
} & Partial<Pick<Answer, "truncated" | "bodyProblem" | "bodyBytes">>;

/** What a judgement is asked about. Facts are told like pages, or as the reason of a failure; undefined is not asked yet. */
export type Case = Told & {
  url?: string;
  isReregistered?: boolean;
  facts?: {
    [K in keyof Facts]?: K extends "profile" | "names" | "control"
      ? Facts[K]
      : Told | Failure["reason"] | null | undefined;
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
const USUAL_HOME: Told = {
  at: "http://site.test/",
  html: "<title>The site</title><h1>The site</h1>",
};

export async function answerOf(told: Told, asked: string = ASKED): Promise<Answer> {
  const { at, from = [], via = "location", status = 200, html = "A page.", address } = told;
  const headers = new Headers({ "Content-Type": "text/html; charset=utf-8", ...told.headers });
  const type = headers.get("content-type");
  const page = /html/i.test(type ?? "") ? await readPage(html, type) : null;
  return {
    kind: "answered",
    hops: from.map((url) => ({ url, status: via === "location" ? 302 : 200, via })),
    finalUrl: at ?? asked,
    fragment: told.fragment ?? "",
    address: address ?? "198.51.100.7",
    tlsExpiresAt: null,
    dnsMs: null,
    elapsedMs: 5,
    waitedMs: 0,
    status,
    headers,
    page,
    text: null,
    ...(told.shortText !== undefined && { shortText: told.shortText }),
    bodyBytes: told.bodyBytes ?? html.length,
    truncated: told.truncated ?? false,
    bodyProblem: told.bodyProblem ?? null,
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
  told: Told | Failure["reason"] | null | undefined,
): Promise<Probe | null | undefined> {
  if (told === null || told === undefined) return told;
  return typeof told === "string" ? failureOf(told) : answerOf(told, told.at ?? ASKED);
}

export async function seenOf({
  url = ASKED,
  isReregistered = false,
  facts = {},
  ...told
}: Case): Promise<Seen<Serving>> {
  const { profile, names, control, ...probes } = { home: USUAL_HOME, ...facts };
  const asked = await Promise.all(
    Object.entries(probes).map(async ([name, fact]) => [name, await factOf(fact)] as const),
  );
  return {
    answer: await answerOf(told, url),
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
