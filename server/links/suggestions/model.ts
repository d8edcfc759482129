import * as z from "zod";
import type { LookupRow, SuggestionRow } from "../../ground/db/tables.ts";
import { toIso, toIsoOrNull } from "../../ground/lib/moments.ts";
import {
  CONFIDENCES,
  LOOKUP_STATES,
  PAGE_MATCHES,
  SUGGESTION_KINDS,
} from "../../ground/lib/vocabulary.ts";

const moment = () => z.string().meta({ format: "date-time" });

/** The best suggestion for a dead link, as lists and events show it. */
export const BestSuggestion = z
  .object({
    kind: z.enum(SUGGESTION_KINDS),
    url: z.string().meta({ example: "https://docs.example.org/guide/setup" }),
    confidence: z.enum(CONFIDENCES).meta({ example: "likely" }),
    captured_at: moment().nullable().meta({ example: null }),
  })
  .meta({ id: "BestSuggestion", example: { kind: "moved" } });
export type BestSuggestion = z.infer<typeof BestSuggestion>;

/** An address that could stand in the place of a link, which was requested and found alive. */
export const Suggestion = z
  .object({
    id: z.string().meta({ format: "uuid" }),
    ...BestSuggestion.shape,
    matches: z.enum(PAGE_MATCHES).meta({
      description: "Whether the page is the one that is remembered of the link.",
      example: "yes",
    }),
    title: z.string().nullable().meta({
      description: "Of the page that it leads to.",
      example: "Set-up: Example docs",
    }),
    checked_at: moment(),
    evidence: z
      .array(z.string())
      .meta({ example: ["The link redirected there permanently since 3 May 2026."] }),
  })
  .meta({ id: "Suggestion", example: { kind: "moved" } });

export const Lookup = z
  .object({
    state: z.enum(LOOKUP_STATES),
    retry_at: moment().nullable().meta({ example: null }),
    reasons: z.array(
      z.object({
        reason: z.string().meta({ example: "parked" }),
        captured_at: moment().nullable(),
      }),
    ),
  })
  .meta({
    id: "Lookup",
    description:
      "The search for suggestions. `waiting`: it has not begun; `looking`: an archive is still to be asked; `not_asked`: the archive was not, since the URL may be private; `unavailable`: it is asked again at `retry_at`. `reasons`: why archived copies are not suggested.",
    example: { state: "done", reasons: [] },
  });

export const Suggestions = z.object({
  items: z.array(Suggestion),
  lookup: Lookup.nullable().meta({ description: "Null for a link that is not dead." }),
});

export const toSuggestion = (row: SuggestionRow): z.infer<typeof Suggestion> => ({
  id: row.id,
  kind: row.kind,
  url: row.url,
  confidence: row.confidence,
  matches: row.matches,
  title: row.title,
  captured_at: toIsoOrNull(row.capturedAt),
  checked_at: toIso(row.checkedAt),
  evidence: JSON.parse(row.evidence),
});

/** Why an archived copy is not suggested: the reason of a verdict, or one of the archive. */
export type LookupReason = { reason: string; captured_at: number | null };

export const toLookup = ({ state, dueAt, reasons }: LookupRow): z.infer<typeof Lookup> => ({
  state,
  retry_at: state === "unavailable" ? toIsoOrNull(dueAt) : null,
  reasons: ((JSON.parse(reasons ?? "[]") as LookupReason[]) ?? []).map(
    ({ reason, captured_at: at }) => ({ reason, captured_at: toIsoOrNull(at) }),
  ),
});

/** A rule by which the addresses of a site changed. */
export const Pattern = z
  .object({
    id: z.string().meta({ format: "uuid" }),
    from: z.string().meta({ example: "https://docs.old.example/" }),
    to: z.string().meta({ example: "https://docs.new.example/guide/" }),
    pairs: z.int().meta({ description: "How many links of the account moved like this." }),
    tried: z.int().meta({ description: "How many addresses of this form were requested." }),
    failed: z.int().meta({ description: "How many of these were not the page." }),
    rests_until: moment().nullable().meta({ example: null }),
    learned_at: moment(),
  })
  .meta({ id: "Pattern", example: { pairs: 28, tried: 12, failed: 3 } });
