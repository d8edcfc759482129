import * as z from "zod";
import type { ReplacementItemRow } from "../ground/db/tables.ts";
import { flag, id, lines, list, oneOf, text } from "../ground/lib/fields.ts";
import { toIso } from "../ground/lib/moments.ts";
import {
  CONFIDENCES,
  PAGE_MATCHES,
  REPLACEMENT_KINDS,
  REPLACEMENT_RESULTS,
  REPLACEMENT_STATES,
  SUGGESTION_KINDS,
  VERDICTS,
} from "../ground/lib/vocabulary.ts";
import { messageOf, type Reason } from "../judge/reasons/reasons.ts";
import { filterOf, ItemError, LinkDetail, NARROWING, toLinkDetail } from "../links/model.ts";
import type { Application } from "./apply-replacement.ts";
import { MOST_LINKS } from "./choose-replacements.ts";
import { MODES, type ReplacedLink } from "./replace.ts";
import {
  isSelected,
  type ReplacementDetail,
  type Request,
  type ShownReplacement,
  stateAt,
} from "./replacements.ts";

const merge = () =>
  flag()
    .meta({
      description:
        "`true`: a link whose new URL another link has is retired, if it stands in no source, or else keeps the URL as its `accepted_url`. Otherwise it is refused.",
    })
    .optional()
    .default(false);

export const ReplaceBody = z
  .object(
    {
      url: text(2048).meta({ format: "uri" }).optional(),
      suggestion_id: id().meta({ description: "In place of `url`." }).optional(),
      note: lines(500).nullable().optional().default(null),
      merge: merge(),
    },
    "must be a JSON object",
  )
  .refine(
    ({ url, suggestion_id: suggested }) => (url === undefined) !== (suggested === undefined),
    {
      path: ["url"],
      error: "either this or `suggestion_id` is required",
    },
  )
  .meta({ example: { url: "https://example.com/new", note: null } });
export type ReplaceBody = z.output<typeof ReplaceBody>;

export const ReplacedLinkRecord = LinkDetail.extend({
  mode: z.enum(MODES).meta({
    description:
      "`link`: the link has the new URL. `places`: it stands in sources, which are to be edited. `merged`: it is retired, since another link has the new URL.",
    example: "places",
  }),
}).meta({ id: "ReplacedLink" });

export const toReplacedLink = (
  row: ReplacedLink,
  now: number,
): z.infer<typeof ReplacedLinkRecord> => ({ ...toLinkDetail(row, now), mode: row.mode });

const hasPrefix = (given: string) => {
  const url = URL.parse(given);
  if (url === null || !/^https?:\/\//i.test(given)) return false;
  return given.endsWith("/") && !/[?#]/.test(given) && url.username + url.password === "";
};

const prefix = () =>
  text(2048).refine(hasPrefix, "must have a scheme and a host, and end with a slash");

export const ReplacementBody = z
  .object(
    {
      from: prefix().meta({ description: "What the URLs begin with." }).optional(),
      to: prefix().meta({ description: "What they begin with now." }).optional(),
      suggestions: z
        .object(
          {
            kinds: list(oneOf(SUGGESTION_KINDS), SUGGESTION_KINDS.length).optional(),
            confidence: oneOf(CONFIDENCES).optional(),
          },
          "must be a JSON object",
        )
        .meta({
          description:
            "The best of these suggestions for each link, in place of `from` and `to`. Links that are alive are among them only if `kinds` has `moved`.",
        })
        .optional(),
      filter: filterOf(NARROWING)
        .meta({ description: "As for a list of links." })
        .optional()
        .default({}),
    },
    "must be a JSON object",
  )
  .superRefine(({ from, to, suggestions }, context) => {
    const refuse = (path: string, message: string) =>
      context.addIssue({ code: "custom", path: [path], message });
    if (suggestions && (from ?? to) !== undefined)
      refuse("suggestions", "cannot be given together with `from` and `to`");
    if (suggestions) return;
    if (from === undefined) refuse("from", "is required, or `suggestions`");
    if (to === undefined) refuse("to", "is required, or `suggestions`");
  })
  .meta({
    example: {
      from: "https://docs.old.example/",
      to: "https://docs.new.example/guide/",
      filter: { status: "dead" },
    },
  });
type ReplacementBody = z.output<typeof ReplacementBody>;

export const requestIn = ({ from, to, suggestions }: ReplacementBody): Request =>
  suggestions ? { suggestions } : { rule: { from: from!, to: to! } };

export const Replacement = z
  .object({
    id: z.uuid(),
    state: z.enum(REPLACEMENT_STATES).meta({ example: "ready" }),
    from: z.string().nullable(),
    to: z.string().nullable(),
    suggestions: z
      .object({
        kinds: z.array(z.enum(SUGGESTION_KINDS)).optional(),
        confidence: z.enum(CONFIDENCES).optional(),
      })
      .nullable(),
    counts: z.object({
      total: z.int(),
      checked: z.int().meta({ description: "How many new URLs were checked." }),
      selected: z.int(),
      replaced: z.int(),
      stored: z.int(),
      merged: z.int(),
      skipped: z.int(),
      failed: z.int(),
    }),
    created_by: z.string().meta({ example: "ada@example.org" }),
    created_at: z.string(),
    expires_at: z.string(),
  })
  .meta({
    id: "Replacement",
    description: "`expired`: it was not carried out within 24 hours, and can only be read.",
    example: {
      from: "https://docs.old.example/",
      to: "https://docs.new.example/guide/",
      suggestions: null,
      counts: {
        total: 12,
        checked: 12,
        selected: 9,
        replaced: 0,
        stored: 0,
        merged: 0,
        skipped: 0,
        failed: 0,
      },
    },
  });

const ReplacementItem = z
  .object({
    link_id: z.uuid(),
    url: z.string().meta({ example: "https://docs.old.example/setup" }),
    new_url: z.string().meta({ example: "https://docs.new.example/guide/setup" }),
    kind: z.enum(REPLACEMENT_KINDS),
    verdict: z.enum(VERDICTS).nullable().meta({
      description: "What the check of the new URL has found; null until it has ended.",
      example: "active",
    }),
    reason: z.string().nullable().meta({ example: "ok" }),
    message: z.string().nullable().meta({ example: "The page is there." }),
    matches: z.enum(PAGE_MATCHES).nullable().meta({
      description: "Whether its page is the one that is remembered of the link.",
      example: "yes",
    }),
    selected: z.boolean().meta({
      description: "Whether the new URL is alive, and its page not another one.",
      example: true,
    }),
    result: z.enum(REPLACEMENT_RESULTS).nullable().meta({
      description:
        "What became of the link: its URL was `replaced`; the new one was `stored`, since it stands in sources; it was `merged` with the link that has the new URL; it was `skipped`, since there was nothing to do; or it `failed`. Null while it was not carried out.",
      example: null,
    }),
    error: ItemError.nullable(),
  })
  .meta({ id: "ReplacementItem", example: { kind: "rule", error: null } });

export const ReplacementWithItems = Replacement.extend({
  items: z.array(ReplacementItem),
}).meta({ id: "ReplacementDetail" });

export function toReplacement(row: ShownReplacement, now: number): z.infer<typeof Replacement> {
  const request: Request = JSON.parse(row.request);
  const isRule = "rule" in request;
  return {
    id: row.id,
    state: stateAt(now, row),
    from: isRule ? request.rule.from : null,
    to: isRule ? request.rule.to : null,
    suggestions: isRule ? null : (request.suggestions as never),
    counts: row.counts,
    created_by: row.createdBy,
    created_at: toIso(row.createdAt),
    expires_at: toIso(row.expiresAt),
  };
}

const errorIn = (error: string | null) => (error === null ? null : JSON.parse(error));

const toItem = (item: ReplacementItemRow): z.infer<typeof ReplacementItem> => ({
  link_id: item.linkId,
  url: item.url,
  new_url: item.newUrl,
  kind: item.kind,
  verdict: item.verdict,
  reason: item.reason,
  message: item.reason === null ? null : messageOf(item.reason as Reason, null),
  matches: item.matches,
  selected: isSelected(item),
  result: item.result,
  error: errorIn(item.error),
});

export const toReplacementWithItems = (
  row: ReplacementDetail,
  now: number,
): z.infer<typeof ReplacementWithItems> => ({
  ...toReplacement(row, now),
  items: row.items.map(toItem),
});

export const ApplyBody = z
  .object(
    {
      link_ids: list(id(), MOST_LINKS)
        .meta({ description: "These items, whatever their checks have found." })
        .optional(),
      selected: z
        .literal(true, { error: "must be true" })
        .meta({ description: "The items that are `selected`, in place of `link_ids`." })
        .optional(),
      merge: merge(),
    },
    "must be a JSON object",
  )
  .refine(({ link_ids: ids, selected }) => (ids === undefined) !== (selected === undefined), {
    path: ["link_ids"],
    error: "either this or `selected` is required",
  })
  .meta({ example: { selected: true } });

export const AppliedReplacement = Replacement.extend({
  results: z.array(
    z.object({
      link_id: z.uuid(),
      result: z.enum(REPLACEMENT_RESULTS).nullable().meta({ example: "replaced" }),
      error: ItemError.nullable().meta({ example: null }),
    }),
  ),
}).meta({ id: "AppliedReplacement" });

export const toApplied = (
  { replacement, results }: Application,
  now: number,
): z.infer<typeof AppliedReplacement> => ({
  ...toReplacement(replacement, now),
  results: results.map(({ linkId, result, error }) => ({
    link_id: linkId,
    result,
    error: errorIn(error),
  })),
});
