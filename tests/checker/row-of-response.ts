import { z } from "zod";
import { fingerprintOf } from "../../server/judge/signals/same-page.ts";
import type { Promised } from "../each-row.ts";
import { type PageFields, PageShape, pageOf } from "./pages.ts";
import { answerOf, type Case, rulesOn, verdictOn } from "./seen.ts";
import { prose } from "./signals/wall-pages.ts";

/** What an address showed. */
const ShownShape = {
  ...PageShape,
  at: z.string().optional(),
  fragment: z.string().optional(),
  from: z.array(z.string()).optional(),
  via: z.enum(["location", "refresh"]).optional(),
  status: z.number().optional(),
  headers: z.record(z.string(), z.string()).optional(),
  address: z.string().optional(),
  shortText: z.string().optional(),
  truncated: z.boolean().optional(),
  bodyProblem: z.string().optional(),
  bodyBytes: z.number().optional(),
};

/**
 * The reason of a failure; `same` for the page of the row, `led` for an address that leads to where the link does, and
 * `unasked` for an address that was not asked yet.
 */
const Fact = z.union([
  z.null(),
  z.string(),
  z.strictObject({ ...ShownShape, same: z.literal(true).optional() }),
]);

const FactsShape = z.strictObject({
  sibling: Fact.optional(),
  root: Fact.optional(),
  home: Fact.optional(),
  subdomain: Fact.optional(),
  names: z.any().optional(),
  /** `like` is a page that random addresses of the host show. */
  profile: z
    .union([
      z.null(),
      z.strictObject({
        kind: z.string(),
        fingerprint: z.string().optional(),
        like: z.strictObject(PageShape).optional(),
      }),
    ])
    .optional(),
});

const ResponseFields = z.strictObject({
  ...ShownShape,
  what: z.string(),
  url: z.string().optional(),
  /** Where the link is redirected. */
  leads: z.string().optional(),
  isReregistered: z.boolean().optional(),
  facts: FactsShape.optional(),
  /** The verdict. */
  seen: z.string().optional(),
  /** The rules that the verdict names. */
  rules: z.array(z.string()).optional(),
  /** The one rule that tells a page which something else sent in the place of the link's own. */
  wall: z.string().optional(),
});
export type ResponseFields = z.infer<typeof ResponseFields>;

/** Recognized by a header or by an address that nothing else has, so that nothing else matters. */
const CERTAIN = new Set([
  "cloudflare_challenge",
  "vercel_challenge",
  "aws_waf_challenge",
  "siteground_challenge",
  "radware_redirect",
  "google_sorry",
  "filter_notice_address",
  "filter_product_address",
  "portal_uam",
  "portal_device",
  "portal_meraki",
]);

/** Known by what a page says, or by more than one mark, however much else is on the page. */
const WORDY = new Set([
  ...CERTAIN,
  "aws_waf_action",
  "datadome_header",
  "akamai_error",
  "kasada_header",
  "sucuri_block",
  "filter_server",
  "linkedin_999",
  "cloudflare_challenge_title",
  "cloudflare_challenge_page",
  "cloudflare_block_title",
  "cloudflare_block_page",
  "vercel_checkpoint",
  "perimeterx_block",
  "ddos_guard",
  "age_redirect",
  "consent_redirect",
  "consent_return",
  "geo_heading",
  "age_words",
  "login_title",
  "login_redirect",
  "login_landing",
]);

/** What a row says of one response to the request for a link, and of what else is known. */
export const promiseOfResponse = (row: unknown): Promised => promise(ResponseFields.parse(row));

const promise = (row: ResponseFields): Promised => ({
  story: row.what,
  expected: {
    verdict: row.seen,
    rules: row.wall === undefined ? row.rules : [row.wall],
    ...Object.fromEntries(withoutMarks(row).map(({ name, expected }) => [name, expected])),
  },
  async seen() {
    const given = await caseOf(row);
    const names = row.wall !== undefined || row.rules !== undefined;
    const verdict = row.seen && (await verdictOn(given));
    const rules = names ? await rulesOn(given) : undefined;
    const others: Record<string, unknown> = {};
    for (const { name, given: less, look } of withoutMarks(row)) {
      others[name] = await look(less(given));
    }
    return { verdict, rules, ...others };
  },
});

type Look = {
  name: string;
  given: (wall: Case) => Case;
  look: (given: Case) => Promise<unknown>;
  expected: unknown;
};

/** Looks at a wall without one of its marks, when it is something else. */
export function withoutMarks({ wall, headers = {} }: ResponseFields): Look[] {
  if (wall === undefined) return [];
  const isRecognized = async (given: Case) => (await rulesOn(given)).includes(wall);
  const looks: Look[] = [];
  if (!CERTAIN.has(wall)) {
    const given = (response: Case) => ({ ...response, status: 404 });
    looks.push({ name: "verdict at a 404", given, look: verdictOn, expected: "dead http_404 C2" });
  }
  if (!WORDY.has(wall)) {
    const given = ({ html, ...rest }: Case) => ({ ...rest, html: `${html}${prose(1200)}` });
    looks.push({ name: "recognized in a long page", given, look: isRecognized, expected: false });
  }
  if (Object.keys(headers).length > 0 && !("Retry-After" in headers)) {
    const given = (response: Case) => ({ ...response, headers: {} });
    looks.push({
      name: "recognized without its headers",
      given,
      look: isRecognized,
      expected: false,
    });
  }
  return looks;
}

const LINK = "http://site.test/articles/some-story";

/** Where random addresses and the home page are. */
const PLACES: Record<string, string> = {
  sibling: "http://site.test/articles/qwertzuiopasdfgh",
  root: "http://site.test/mnbvcxylkjhgfdsa",
  home: "http://site.test/",
};

/** What a judgement is asked about. */
export async function caseOf(row: ResponseFields): Promise<Case> {
  const { what, seen, rules, wall, leads, facts = {}, url = LINK, isReregistered, ...shown } = row;
  const { names, profile, ...asked } = facts;
  const way = leads === undefined ? {} : { from: [url], at: leads };
  const made = Object.entries(asked).map(([name, fact]) => [name, factOf(fact, name, row)]);
  return {
    url,
    ...(isReregistered && { isReregistered }),
    ...responseOf({ ...shown, ...way }),
    facts: {
      ...(names !== undefined && { names }),
      ...(profile !== undefined && { profile: await profileOf(profile) }),
      ...Object.fromEntries(made),
    },
  } as Case;
}

function factOf(fact: z.infer<typeof Fact> | undefined, name: string, row: ResponseFields) {
  const { url = LINK, leads } = row;
  if (fact === "same") return { html: pageOf(row), at: PLACES[name] };
  if (fact === "led") {
    const from = [new URL(`${name === "root" ? "/" : ""}qwertzuiopasdfgh`, url).href];
    return { from, at: leads, html: pageOf(row) };
  }
  if (fact === "unasked") return undefined;
  if (fact === null || typeof fact !== "object") return fact;
  const { same, ...shown } = fact;
  return same ? { ...responseOf(shown), html: pageOf(row) } : responseOf(shown);
}

const PAGE_FIELDS = new Set(Object.keys(PageShape));

function responseOf(shown: Record<string, unknown>) {
  const html = pageOf(shown as PageFields);
  const others = Object.entries(shown).filter(([name]) => !PAGE_FIELDS.has(name));
  return { ...Object.fromEntries(others), ...(html !== undefined && { html }) };
}

type Profile = NonNullable<z.infer<typeof FactsShape>["profile"]>;

async function profileOf(profile: Profile | null) {
  if (!profile?.like) return profile;
  const html = pageOf(profile.like) ?? "";
  const answer = await answerOf({ html, at: "http://site.test/qwertzuiopasdfgh" });
  return { kind: profile.kind, fingerprint: fingerprintOf(answer) };
}
