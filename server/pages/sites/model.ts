import * as z from "zod";
import { cursorPaging, oneOf, optionalText, paging } from "../../ground/lib/fields.ts";
import { STAGES } from "../../judge/reasons/reasons.ts";
import { MUTE_SHOWN, MUTED_UNTIL } from "../../links/groups/model.ts";

export const SITE_SORTS = ["-dead", "-links", "site"] as const;
export type SiteSort = (typeof SITE_SORTS)[number];

/** Days that a site shows. */
export const DAYS = 30;

const moment = () => z.string().meta({ format: "date-time" });

const REASON = {
  reason: z.string().meta({ example: "http_404" }),
  message: z.string().meta({ example: "The server returned 404: there is no such page." }),
  cause: z.string().nullable(),
  stage: z.enum(STAGES).nullable().meta({ example: "response" }),
};

export const Site = z
  .object({
    site: z.string().meta({ example: "example.com" }),
    hosts: z.int(),
    links: z.int(),
    active: z.int(),
    dead: z.int(),
    unknown: z.int(),
    open: z.int(),
    top_reason: z.object({ ...REASON, links: z.int() }).nullable(),
    days: z.array(z.int().nullable()).meta({ example: [null, 0, 3] }),
    response_ms: z.int().nullable().meta({ example: 182 }),
    expires_at: moment().nullable(),
    ...MUTE_SHOWN,
  })
  .meta({ id: "Site", example: { muted_until: null, muted_by: null } });
export type Site = z.infer<typeof Site>;

export const SiteChange = z.object(
  { muted_until: MUTED_UNTIL.optional() },
  "must be a JSON object",
);

export const SiteMute = z
  .object({ site: z.string().meta({ example: "example.com" }), ...MUTE_SHOWN })
  .meta({ id: "SiteMute", example: { muted_until: null, muted_by: null } });

/** Where a list of sites continues: after this site, and its value of what the list is sorted by. */
export type SiteCursor = { value: number; site: string };

function readCursor(text: string): SiteCursor | null {
  const [, value, site] = /^(\d{1,12}) (.+)$/.exec(decoded(text)) ?? [];
  return value === undefined || site === undefined ? null : { value: Number(value), site };
}

const decoded = (text: string) => Buffer.from(text, "base64url").toString();

export const toCursor = ({ value, site }: SiteCursor): string =>
  Buffer.from(`${value} ${site}`).toString("base64url");

export const SiteQuery = z.object({
  status: oneOf(["dead", "unknown"])
    .meta({ description: "Only sites that have links with this status." })
    .optional(),
  search: optionalText(255)
    .meta({ description: "Only sites whose name contains this text, ignoring case." })
    .optional(),
  sort: oneOf(SITE_SORTS)
    .meta({ description: "By dead links, by links, or by name. Default: most dead links first." })
    .optional()
    .default("-dead"),
  ...cursorPaging(readCursor),
  ...paging(50),
});
export type SiteQuery = z.output<typeof SiteQuery>;

export const GROUPINGS = ["cause", "page", "site"] as const;

export const AttentionQuery = z.object({
  by: oneOf(GROUPINGS)
    .meta({
      description:
        "`cause`: links of a site that are dead for the same reason; `site`: all dead links of a site; `page`: nothing yet.",
    })
    .optional()
    .default("cause"),
  ...paging(20),
});
export type AttentionQuery = z.output<typeof AttentionQuery>;

export const Cause = z
  .object({
    site: z.string().meta({ example: "example.com" }),
    host: z.string().meta({ example: "docs.example.com" }).nullable(),
    ...REASON,
    reasons: z.int(),
    count: z.int(),
    since: moment(),
    latest: moment(),
    links: z.array(
      z.object({ id: z.uuid(), url: z.string().meta({ example: "https://docs.example.com/a" }) }),
    ),
  })
  .meta({ id: "Cause" });
export type Cause = z.infer<typeof Cause>;
