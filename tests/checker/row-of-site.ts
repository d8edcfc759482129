import { z } from "zod";
import { NEVER_CHECKED } from "../../server/judge/attempt.ts";
import { checkUrl } from "../../server/judge/confirm.ts";
import type { Conclusion } from "../../server/judge/probe/conclusion.ts";
import type { KnownReading } from "../../server/judge/unchanged.ts";
import type { Promised } from "../each-row.ts";
import { plainOutbound } from "../outbound/lab.ts";
import { type Says, startSite } from "../site.ts";
import { ARTICLE, below, belowSections, HOME, moved, say, sends } from "./barrier-sites.ts";
import { PageShape, pageOf } from "./pages.ts";
import { AMPLE_MS, labChecker } from "./prober.ts";

/** A status, a page, a body of another type, or a redirect. */
const Answer = z.union([
  z.number(),
  z.strictObject({
    ...PageShape,
    status: z.number().optional(),
    to: z.string().optional(),
    sent: PageShape.html,
    type: z.string().optional(),
  }),
]);
type Answer = z.infer<typeof Answer>;

/** Where a redirect leads, and the page that is there. */
const Way = z.strictObject({ to: z.string(), page: z.strictObject(PageShape).optional() });
type Way = z.infer<typeof Way>;

const SiteFields = z.strictObject({
  what: z.string(),
  /** Of the link. */
  path: z.string().default("/articles/some-story"),
  /** At each address. */
  everywhere: Answer.optional(),
  /** At the root; the home page of a shop unless the row says otherwise. */
  home: Answer.optional(),
  /** At the link's own address. */
  here: Answer.optional(),
  /** At all other addresses, and at the link's own if nothing is said of it. */
  elsewhere: Answer.default(404),
  /** Where every address leads; to the home page unless the row says otherwise. */
  sends: Way.optional(),
  /** Where the link alone leads; to an article unless the row says otherwise. */
  moved: Way.optional(),
  /** Whether the pages are there to which the menu of the home page leads. */
  sections: z.boolean().default(false),
  /** A page at another address, which is alive. */
  there: Answer.optional(),
  /** The verdict and its reason; a regular expression is in slashes. */
  seen: z.string(),
});
type SiteFields = z.infer<typeof SiteFields>;

export const isSite = (row: object) =>
  ["everywhere", "home", "here", "elsewhere", "sends", "moved"].some((name) => name in row);

/** What a row says of a whole site, checked from the request to the verdict. The link was alive before. */
export function promiseOfSite(fields: unknown): Promised {
  const row = SiteFields.parse(fields);
  return {
    story: row.what,
    expected: { verdict: row.seen, ...(row.there && { "verdict there": "active ok" }) },
    async seen() {
      const says = siteOf(row);
      const verdict = await sameTwice(says, row.path);
      return {
        verdict: fits(verdict, row.seen) ? row.seen : verdict,
        ...(row.there && { "verdict there": await sameTwice(says, THERE) }),
      };
    },
  };
}

const THERE = "/there";

function fits(verdict: string, wanted: string): boolean {
  const [, pattern] = /^\/(.*)\/$/.exec(wanted) ?? [];
  return pattern === undefined ? verdict === wanted : new RegExp(pattern).test(verdict);
}

/** The verdict on a link to a site, which is started for it alone. */
export const verdictAt = async (says: Says, path: string): Promise<string> =>
  (await verdictsAt(says, path, 1))[0]!;

/** The verdicts of checks in a row. */
async function verdictsAt(says: Says, path: string, checks = 2): Promise<string[]> {
  const { url, stop } = startSite({}, { otherwise: (request) => say(says, request) });
  try {
    const { checker } = labChecker({ checkTimeoutMs: AMPLE_MS }, plainOutbound);
    const link = { ...NEVER_CHECKED, lastDecided: "active", url: url + path } as const;
    const verdicts: string[] = [];
    let known: KnownReading | null = null;
    for (let n = 0; n < checks; n++) {
      const found = await checkUrl(checker, { ...link, known });
      verdicts.push(`${found.status} ${found.reason}`);
      known = knownAfter(found);
    }
    return verdicts;
  } finally {
    await stop();
  }
}

/** The verdict, or all of them if they are not the same. */
const sameTwice = async (says: Says, path: string): Promise<string> =>
  [...new Set(await verdictsAt(says, path))].join(", then ");

/** What the next scheduled check may rely on. */
const knownAfter = ({ reading, reason, statusCode }: Conclusion): KnownReading | null =>
  reading ? { reading, reason, statusCode, asks: "yes" } : null;

/** The site that a row describes. */
export function siteOf(row: SiteFields): Says {
  const { everywhere, sections } = row;
  if (everywhere !== undefined) return saysOf(everywhere);
  if (row.sends) return sendsAll(row.sends);
  if (row.moved) return moved(addressOf(row.moved.to), pageOf(row.moved.page ?? {}) ?? ARTICLE);
  const home = row.home === undefined ? HOME : saysOf(row.home);
  const elsewhere = saysOf(row.elsewhere);
  const [own] = row.path.split("?");
  const pages: Record<string, Says> = {
    [own!]: row.here === undefined ? elsewhere : saysOf(row.here),
    ...(row.there && { [THERE]: saysOf(row.there) }),
  };
  const deep: Says = (request) => say(pages[new URL(request.url).pathname] ?? elsewhere, request);
  return sections ? belowSections(deep) : below(deep, home);
}

function sendsAll({ to, page = {} }: Way): Says {
  const [at] = /^[^?#;]*/.exec(to)!;
  return sends(at, addressOf(to.slice(at.length)), pageOf(page) ?? HOME);
}

/** What may become of an address that is carried along. */
const CHANGES: Record<string, (text: string) => string> = {
  encoded: encodeURIComponent,
  base64: (text) => Buffer.from(text).toString("base64url"),
  padded: (text) => encodeURIComponent(Buffer.from(text).toString("base64")),
  upper: (text) => text.toUpperCase(),
  unrooted: (text) => text.slice(1),
  unclosed: (text) => text.slice(0, -1),
};

const addressOf =
  (template: string) =>
  ({ pathname: path, search: query, href: url }: URL): string =>
    template.replace(/\{(path|query|url)((?:\|\w+)*)\}/g, (_, name: string, changes: string) => {
      const carried = { path, query, url }[name]!;
      return changes
        .split("|")
        .slice(1)
        .reduce((text, change) => CHANGES[change]!(text), carried);
    });

function saysOf(answer: Answer): Says {
  if (typeof answer === "number") return answer;
  const { to, sent, type = "text/html; charset=utf-8", status = 200, ...page } = answer;
  if (to !== undefined) return () => new Response(null, { status: 302, headers: { Location: to } });
  const body = pageOf(sent === undefined ? page : { html: sent });
  return () => new Response(body ?? "", { status, headers: { "Content-Type": type } });
}
