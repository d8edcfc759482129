import * as z from "zod";
import { DEAD_REASONS, type Reason, type UnknownReason } from "../reasons/reasons.ts";
import { asPattern } from "./record.ts";

/** What services of one kind of software or protocol have in common. Own rules go before the family's. */
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

/** Verdicts that a rule may reach. */
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

/** `a.{com,net}`, and perhaps a path. */
const HOSTS = /^(?=.)[a-z0-9.-]*(?:\{[a-z0-9.,-]+\}[a-z0-9.-]*){0,3}(?:\/[^\s?#{}]+)?$/;

/**
 * The shape of records, built when it is wanted: the program's own are checked by the compiler, and by a
 * test, so that only an operator's file is worth the time.
 */
export function createSchemas() {
  const Id = z.string().regex(/^[a-z0-9-]{1,64}$/, "must be an id: a-z, 0-9 and -");
  const Text = z.string().min(1);
  const Texts = z.union([Text, z.array(Text).min(1)]);
  const Pattern = Text.refine(isPattern, "is no regular expression");
  const PatternTemplate = Text.refine(
    (text) => isPattern(asPattern(text)),
    "is no regular expression",
  );
  const FieldName = z.string().regex(/^[\w!#$%&'*+.^`|~-]+$/, "must be the name of a header field");
  const FieldValue = z.string().regex(/^[\t\x20-\x7e]+$/, "must be one line of ASCII");
  const Address = z
    .string()
    .regex(/^https?:\/\/[^/?#@\s]+(?:[/?#]\S*)?$/, "must be an http or https URL without a user");
  const Literal = z.union([z.string(), z.number(), z.boolean(), z.null()]);
  const Literals = z.union([Literal, z.array(Literal).min(1)]);
  const Statuses = z.union([z.int(), z.array(z.int()).min(1)]);

  /** A value that it equals, or one of several; or that it is there, holds nothing, matches, is none of. */
  const Condition = z.union([
    Literals,
    z.strictObject({ exists: z.boolean() }),
    z.strictObject({ empty: z.boolean() }),
    z.strictObject({ matches: Pattern }),
    z.strictObject({ not: Literals }),
  ]);

  const When = z.strictObject({
    /** The answer's status, or one of several. */
    status: Statuses.optional(),
    /** Header fields and what they must match. */
    header: z.record(FieldName, Pattern).optional(),
    /** The address at which the redirects ended. A template. */
    url: PatternTemplate.optional(),
    /** The content type. */
    type: Pattern.optional(),
    title: Pattern.optional(),
    /** Any of these, whatever their case, in the first MiB as it was sent. Templates. */
    text: Texts.optional(),
    /** The same as a pattern, for what is no fixed text. */
    matches: Pattern.optional(),
    /** Paths into a JSON answer, such as `response.files.0.id`; the empty path is all of it. */
    json: z.record(z.string(), Condition).optional(),
    /** Length of the body that was read, at least and at most. */
    bytes: z.strictObject({ min: z.int().optional(), max: z.int().optional() }).optional(),
    /** The answer to many holds nothing about this one. */
    missing: z.literal(true).optional(),
  });

  const Rule = z
    .strictObject({
      ...When.shape,
      /** It does not hold if this does. */
      unless: When.optional(),
      /** The verdict's reason; `next` goes on to the next request, `page` to the page. */
      means: z.enum([...OUTCOMES, "next", "page"]),
      /** With `page`: what remains to be said where the page tells nothing. */
      undecided: z.enum(UNKNOWN).optional(),
      /** How death is confirmed: C1 twice, since the service says so in as many words; else C2. */
      class: z.enum(["C1", "C2"]).optional(),
      /** Death needs three checks in which it is seen, over so many hours. */
      hours: z.int().min(1).optional(),
    })
    .refine(isSettled, {
      path: ["class"],
      error: "is needed with a dead verdict, and with no other",
    })
    .refine(({ means, undecided }) => undecided === undefined || means === "page", {
      path: ["undecided"],
      error: 'is only said where "page" is meant',
    });

  /**
   * Many things, one request: in the URL their values are joined by `,`, in a list of one element the element
   * is repeated for each, and any other text holds them joined by `join`.
   */
  const Batch = z.strictObject({
    /** So many in one request. */
    most: z.int().min(2).max(1000),
    join: z.string().optional(),
    /** Where each finds its own part: by place in a list, under its id, by a field, or in a line of text. */
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
    /** Sent as JSON, by POST; texts in it are templates. */
    json: z.json().optional(),
    family: z.enum(FAMILIES).optional(),
    rules: z.array(Rule).optional(),
    /** Values of the JSON answer, under the names by which the next request knows them. */
    take: z.record(z.string(), z.string()).optional(),
    /** So long what was taken serves every link, unasked. */
    keepMinutes: z.int().min(1).optional(),
    batch: Batch.optional(),
  });

  const Page = z.strictObject({
    /** Asked for instead of the link itself. */
    url: Address.optional(),
    headers: z.record(FieldName, FieldValue).optional(),
    family: z.enum(FAMILIES).optional(),
    rules: z.array(Rule).optional(),
    /** A page that no rule knows is no proof of life, as where "file deleted" has status 200. */
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
    /** One request, or several of which each goes on to the next only by a rule. */
    ask: z.union([Ask, z.array(Ask).min(1)]).optional(),
    /** How the page is read where nothing special is asked, or was answered. `never`: it tells nothing. */
    page: z.union([Page, z.literal("never")]).optional(),
  });

  const Service = z.strictObject({
    id: Id.refine((id) => id !== "generic", "is for what no service owns"),
    name: Text,
    /**
     * Names that it owns, with all below them. `{a,b}` stands for either; a path behind the name makes it own
     * no more than that.
     */
    hosts: z.array(z.string().regex(HOSTS, "must be host names in lower case")),
    /** Where no host tells, as for software that many run: the path does. */
    path: Pattern.optional(),
    /** How sure the facts are: two current sources, one, or old ones. */
    confidence: z.enum(["H", "M", "L"]).optional(),
    kinds: z.array(Kind).optional(),
    /** Addresses that have been there for years, asked for before anything else is called gone. */
    canary: z.array(Address).optional(),
    /** Milliseconds between two requests to it, where the usual gap is too short. */
    gapMs: z.int().min(0).max(600_000).optional(),
    /** It has ended: a server that answers there now is someone else's. */
    shutDown: z.literal(true).optional(),
    /** It only leads elsewhere, so that what counts is where to. */
    shortens: z.literal(true).optional(),
  });

  return { Service, Kind, Ask, Page, Rule, When, Condition, Batch };
}

function isSettled({
  means,
  class: confirm,
  hours,
}: {
  means: string;
  class?: unknown;
  hours?: unknown;
}) {
  const needed = (DEAD_REASONS as readonly string[]).includes(means) ? 1 : 0;
  return Number(confirm !== undefined) + Number(hours !== undefined) === needed;
}

function isPattern(text: string): boolean {
  try {
    new RegExp(text);
    return true;
  } catch {
    return false;
  }
}
