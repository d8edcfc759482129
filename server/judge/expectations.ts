import * as z from "zod";
import { list, text } from "../ground/lib/fields.ts";
import { type Credentials, createMask } from "./mask.ts";
import { foldSpaces, visibleTexts } from "./page/page.ts";
import { dead, type Finding, once, type Retry, type Signal, suspected } from "./probe/finding.ts";
import { hasCredentials } from "./probe/host-setting.ts";
import type { Answer } from "./probe/probe.ts";
import { isMonitorFault } from "./reasons/reasons.ts";
import { decoded } from "./signals/addresses.ts";
import { quoted } from "./signals/phrases.ts";

const CODES_PROBLEM =
  "must be a status code such as 404, or a range such as 200-299, from 200 to 599";

const StatusCodes = z
  .string(CODES_PROBLEM)
  .regex(/^[2-5]\d\d(-[2-5]\d\d)?$/, CODES_PROBLEM)
  .refine((codes) => {
    const { from, to } = rangeOf(codes);
    return from <= to;
  }, "must have the smaller status code first, as in 200-299");

/** A text of nothing but invisible characters would be in every page. */
const Texts = list(
  text(200)
    .refine((words) => words === "" || comparable(words) !== "", "must have a visible character")
    .meta({ minLength: 1, maxLength: 200 }),
  5,
);

const FIELDS = {
  must_contain: Texts.optional(),
  must_not_contain: Texts.optional(),
  final_url_contains: text(500).optional(),
  accepted_status_codes: list(StatusCodes, 10).optional(),
};

/** What an account requires of a link's page, in API bodies (docs/verdicts.md, "Expectations"). */
export const ExpectBody = z
  .strictObject(FIELDS, {
    error: ({ code, keys }) =>
      code === "unrecognized_keys" ? `has an unknown field: ${keys}` : "must be an object",
  })
  .refine((expect) => Object.values(expect).some((value) => value !== undefined), {
    message: `must have at least one of: ${Object.keys(FIELDS).join(", ")}`,
  })
  .meta({
    description:
      "What the page must show for the link to be active. Texts are searched for exactly, apart from white space, in the visible text and in the body as it was sent. `accepted_status_codes` replaces 200 to 299.",
    example: { must_contain: ["Handbook"], accepted_status_codes: ["200-299", "404"] },
  });

/** What an account requires of a link's page; stored as it came. */
export type Expect = z.infer<typeof ExpectBody>;

/** The same for two links only if they expect the same. */
export const expectKey = (expect: Expect | undefined) =>
  expect && JSON.stringify(Object.keys(FIELDS).map((name) => expect[name as keyof Expect] ?? null));

function rangeOf(codes: string): { from: number; to: number } {
  const [from, to = from] = codes.split("-").map(Number);
  return { from: from!, to: to! };
}

const isListed = (codes: string[], status: number) =>
  codes.map(rangeOf).some(({ from, to }) => from <= status && status <= to);

/**
 * Removes the finding for a status that the link accepts, so that the page decides. Statuses that are active anyway,
 * and those of the monitor's own network, keep theirs.
 */
export function unlessAccepted(
  finding: Finding | null,
  { status }: Answer,
  expect: Expect | undefined,
): Finding | null {
  const codes = expect?.accepted_status_codes;
  const isOpen = finding?.verdict !== "active" && !isMonitorFault(finding?.reason ?? "");
  return codes && isOpen && isListed(codes, status) ? null : finding;
}

type Expecting = {
  url: string;
  expect?: Expect | undefined;
  host?: Credentials | null | undefined;
};

/**
 * Judges what would be active by the expectations of its link; everything else keeps its finding. Credentials that the
 * server repeats are masked before, so that no expectation can be used to guess them.
 */
export function asExpected(
  finding: Finding,
  answer: Answer,
  { url, expect, host }: Expecting,
): Finding {
  if (finding.verdict !== "active" || !expect) return finding;
  const mask = host && hasCredentials(host) ? createMask(host) : same;
  return (
    judgeStatus(answer, expect) ??
    judgeFinalUrl(answer, { linkUrl: url, mask }, expect) ??
    judgeTexts(answer, mask, { expect, retries: finding.retries }) ??
    finding
  );
}

type Mask = (text: string) => string;
const same: Mask = (text) => text;

function judgeStatus({ status }: Answer, { accepted_status_codes: codes }: Expect): Finding | null {
  if (!codes || isListed(codes, status)) return null;
  const text = `The server returned ${status}; the link accepts ${codes.join(", ")}.`;
  return dead("status_unexpected", "C2", [{ rule: "status_unexpected", text }]);
}

/** The text may be percent-encoded or not, since browsers show it decoded. */
function judgeFinalUrl(
  { finalUrl, fragment }: Answer,
  { linkUrl, mask }: { linkUrl: string; mask: Mask },
  { final_url_contains: part }: Expect,
): Finding | null {
  // A redirect without a fragment keeps that of the link (RFC 9110 §10.2.2).
  const url = mask(finalUrl + (fragment || new URL(linkUrl).hash));
  if (part === undefined || url.includes(part) || decoded(url).includes(part)) return null;
  const text = `The final URL, ${quoted(url)}, does not contain ${quoted(part)}.`;
  return dead("final_url_unexpected", "C2", [{ rule: "final_url_unexpected", text }]);
}

function judgeTexts(
  answer: Answer,
  mask: Mask,
  { expect, retries }: { expect: Expect; retries: Retry[] },
): Finding | null {
  const { must_contain: required = [], must_not_contain: forbidden = [] } = expect;
  if (required.length + forbidden.length === 0) return null;
  const texts = textsOf(answer, mask);
  const unwanted = forbidden.flatMap((text) => signalOfForbidden(text, texts) ?? []);
  if (unwanted.length > 0) return dead("text_forbidden", "C2", unwanted);
  const missing = required.filter((text) => !texts.some((one) => one.includes(comparable(text))));
  if (missing.length === 0) return null;
  return isWhole(answer)
    ? dead("text_missing", "C2", missing.map(signalOfMissing))
    : unread(answer, missing, retries);
}

/** Everything in which a text may be: the visible text and the title of a page, and the body as it was sent. */
function textsOf({ text: sent, page }: Answer, mask: Mask): string[] {
  if (sent === null) return [];
  const text = mask(comparable(mask(sent)));
  if (!page) return [text];
  const title = mask(comparable(page.title));
  const [spaced, joined] = visibleTexts(mask(sent)).map(comparable) as [string, string];
  const shown = mask(joined);
  // Tags inside a value hide it from the mask wherever they stand or leave a space.
  return shown === joined ? [mask(spaced), shown, title, text] : [shown, title];
}

const INVISIBLE = /[\u00AD\u200B]/g;

/** Ignores how much white space there is, and where words may be broken. */
const comparable = (text: string) => foldSpaces(text.replace(INVISIBLE, "")).trim();

/** A 304 and a 206 do not send the whole page. */
const isWhole = ({ truncated, bodyProblem, status }: Answer) =>
  !truncated && bodyProblem === null && status !== 206 && status !== 304;

const AROUND_CHARS = 40;

function signalOfForbidden(forbidden: string, texts: string[]): Signal | null {
  const wanted = comparable(forbidden);
  for (const text of texts) {
    const at = text.indexOf(wanted);
    if (at < 0) continue;
    const around = text.slice(Math.max(0, at - AROUND_CHARS), at + wanted.length + AROUND_CHARS);
    const where = quoted(around, wanted.length + 2 * AROUND_CHARS);
    return {
      rule: "text_forbidden",
      text: `The page must not contain ${quoted(forbidden)}, but does: ${where}.`,
    };
  }
  return null;
}

const signalOfMissing = (text: string): Signal => ({
  rule: "text_missing",
  text: `The page does not contain ${quoted(text)}.`,
});

function unread(
  { text, headers, bodyProblem }: Answer,
  missing: string[],
  retries: Retry[],
): Finding {
  const type = headers.get("content-type") ?? "";
  const signals = missing.map((one) => ({
    rule: "text_unread",
    text:
      text === null
        ? `The response is not text (${quoted(type)}), so ${quoted(one)} was not searched for.`
        : `The part of the page that was read does not contain ${quoted(one)}.`,
  }));
  return { ...suspected("text_unread", signals), retries: bodyProblem ? once() : retries };
}
