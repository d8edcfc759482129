import * as z from "zod";
import { DEAD_REASONS, type Reason, type UnknownReason } from "../reasons/reasons.ts";
import { toSamplePattern } from "./templates.ts";

/** Kinds of software and protocols whose rules services share. A record's own rules precede the family's. */
export const FAMILIES = ["oembed", "xfs"] as const;

const UNKNOWN = [
  "service_private",
  "service_processing",
  "service_rate_limited",
  "service_unavailable",
  "service_unrecognised",
  "login_required",
  "geo_blocked",
  "bot_challenge",
  "ip_blocked",
  "consent_wall",
] as const satisfies UnknownReason[];

/** Reasons that a rule may have. */
const OUTCOMES = [
  "ok_service",
  "ok_service_protected",
  "ok_unverified_app",
  "service_not_found",
  "service_deleted",
  "service_expired",
  "service_takedown",
  "service_account_gone",
  ...UNKNOWN,
] as const satisfies Reason[];

/** `a.{com,net}`, optionally with a path. */
const HOSTS = /^(?=.)[a-z0-9.-]*(?:\{[a-z0-9.,-]+\}[a-z0-9.-]*){0,3}(?:\/[^\s?#{}]+)?$/;

/** Built only for an operator's file, since building takes time and the compiler and a test check built-in records. */
export function createSchemas() {
  const Id = z.string().regex(/^[a-z0-9-]{1,64}$/, "must be an id: a-z, 0-9 and -");
  const Text = z.string().min(1);
  const Texts = z.union([Text, z.array(Text).min(1)]);
  const Pattern = Text.refine(isPattern, "must be a regular expression");
  const PatternTemplate = Text.refine(
    (text) => isPattern(toSamplePattern(text)),
    "must be a regular expression",
  );
  const FieldName = z.string().regex(/^[\w!#$%&'*+.^`|~-]+$/, "must be the name of a header field");
  const FieldValue = z.string().regex(/^[\t\x20-\x7e]+$/, "must be one line of ASCII");
  const Address = z
    .string()
    .regex(/^https?:\/\/[^/?#@\s]+(?:[/?#]\S*)?$/, "must be an http or https URL without a user");
  const Literal = z.union([z.string(), z.number(), z.boolean(), z.null()]);
  const Literals = z.union([Literal, z.array(Literal).min(1)]);
  const Statuses = z.union([z.int(), z.array(z.int()).min(1)]);

  /** A value or one of several; or whether it exists, is empty, matches a pattern, or is none of several. */
  const Condition = z.union([
    Literals,
    z.strictObject({ exists: z.boolean() }),
    z.strictObject({ empty: z.boolean() }),
    z.strictObject({ matches: Pattern }),
    z.strictObject({ not: Literals }),
  ]);

  const When = z.strictObject({
    status: Statuses.optional(),
    header: z.record(FieldName, Pattern).optional(),
    /** The final URL. A template. */
    url: PatternTemplate.optional(),
    type: Pattern.optional(),
    title: Pattern.optional(),
    /** Any of these in the first MiB of the raw body, ignoring case. Templates. */
    text: Texts.optional(),
    /** A pattern for the same text. */
    matches: Pattern.optional(),
    /** By path into a JSON response, such as `response.files.0.id`; the empty path is all of it. */
    json: z.record(z.string(), Condition).optional(),
    /** Length of the body that was read. */
    bytes: z.strictObject({ min: z.int().optional(), max: z.int().optional() }).optional(),
    /** The response of a batch does not contain this link. */
    missing: z.literal(true).optional(),
  });

  const Rule = z
    .strictObject({
      ...When.shape,
      unless: When.optional(),
      /** The reason of the verdict; `next` and `page` leave the decision to the next request or the page. */
      means: z.enum([...OUTCOMES, "next", "page"]),
      /** With `page`: the reason if the page cannot decide. */
      undecided: z.enum(UNKNOWN).optional(),
      /** How a dead verdict is confirmed: C1 if the service states it explicitly, else C2. */
      class: z.enum(["C1", "C2"]).optional(),
      /** At least three checks over so many hours must find it dead. */
      hours: z.int().min(1).optional(),
    })
    .refine(isSettled, {
      path: ["class"],
      error: "is required with a dead verdict, and not allowed with any other",
    })
    .refine(({ means, undecided }) => undecided === undefined || means === "page", {
      path: ["undecided"],
      error: 'is only allowed with "page"',
    });

  /**
   * One request about many links: their values are joined by `,` in the URL and by `join` in texts; a list of one
   * element is repeated instead.
   */
  const Batch = z.strictObject({
    most: z.int().min(2).max(1000),
    join: z.string().optional(),
    /** Where each link's part is: by position in a list, under a key, by a field, or in a line of text. */
    answers: z.union([
      z.strictObject({ by: z.literal("position"), at: z.string().optional() }),
      z.strictObject({ by: z.literal("key"), at: z.string().optional(), key: Text }),
      z.strictObject({ by: z.literal("field"), at: z.string().optional(), field: Text, is: Text }),
      z.strictObject({ by: z.literal("line"), has: Text }),
    ]),
  });

  const Ask = z.strictObject({
    url: Address,
    headers: z.record(FieldName, FieldValue).optional(),
    /** Sent as a form, by POST. */
    form: z.record(z.string(), Texts).optional(),
    /** Sent as JSON, by POST. Its texts are templates. */
    json: z.json().optional(),
    family: z.enum(FAMILIES).optional(),
    rules: z.array(Rule).optional(),
    /** Values of the JSON response for the next requests, by name. */
    take: z.record(z.string(), z.string()).optional(),
    /** How long the taken values serve all links. */
    keepMinutes: z.int().min(1).optional(),
    batch: Batch.optional(),
  });

  const Page = z.strictObject({
    /** Requested instead of the link. */
    url: Address.optional(),
    headers: z.record(FieldName, FieldValue).optional(),
    family: z.enum(FAMILIES).optional(),
    rules: z.array(Rule).optional(),
    /** Only a rule can call the page alive, as where "file deleted" has status 200. */
    needsMarker: z.literal(true).optional(),
  });

  const Kind = z.strictObject({
    kind: Id,
    host: Pattern.optional(),
    path: Pattern.optional(),
    /** Without its `?`. */
    query: Pattern.optional(),
    /** Without its `#`. */
    fragment: Pattern.optional(),
    /** One request, or several: a rule leads from each to the next. */
    ask: z.union([Ask, z.array(Ask).min(1)]).optional(),
    /** How the page is read if there is no request, or it does not decide. `never`: the page proves nothing. */
    page: z.union([Page, z.literal("never")]).optional(),
  });

  const Service = z.strictObject({
    id: Id.refine((id) => id !== "generic", "is reserved"),
    name: Text,
    /** Host names, including subdomains. `{a,b}` stands for either; with a path only that path belongs to it. */
    hosts: z.array(z.string().regex(HOSTS, "must be host names in lower case")),
    /** Instead of hosts, for self-hosted software: a pattern of paths. */
    path: Pattern.optional(),
    /** The confidence of the facts: two current sources, one, or old ones. */
    confidence: z.enum(["H", "M", "L"]).optional(),
    kinds: z.array(Kind).optional(),
    /** Known-good links, requested before a link is reported gone. */
    canary: z.array(Address).optional(),
    /** Milliseconds between two requests, if the usual gap is too short. */
    gapMs: z.int().min(0).max(600_000).optional(),
    /** It has shut down, so a server that answers has a new owner. */
    shutDown: z.literal(true).optional(),
    /** It only redirects, so the target is judged. */
    shortens: z.literal(true).optional(),
  });

  return { Service, Kind, Ask, Page, Rule, When, Condition, Batch };
}

/** Whether a dead verdict has a class or hours, and no other verdict has either. */
function isSettled(rule: { means: string; class?: unknown; hours?: unknown }): boolean {
  const isDead = (DEAD_REASONS as readonly string[]).includes(rule.means);
  return [rule.class, rule.hours].filter((each) => each !== undefined).length === (isDead ? 1 : 0);
}

function isPattern(text: string): boolean {
  try {
    new RegExp(text);
    return true;
  } catch {
    return false;
  }
}
