import { sql } from "drizzle-orm";
import { oneOf } from "../../ground/lib/fields.ts";
import { toIsoOrNull } from "../../ground/lib/moments.ts";
import {
  type Confidence,
  SUGGESTION_KINDS,
  type SuggestionKind,
} from "../../ground/lib/vocabulary.ts";
import { BestSuggestion } from "../suggestions/model.ts";
import { field } from "./field.ts";

type Part = {
  /** What could best stand in the place of the link; null while it is alive. */
  suggestion: {
    kind: SuggestionKind;
    url: string;
    confidence: Confidence;
    capturedAt: number | null;
  } | null;
};

/** The URL comes last, since it may contain anything. */
const BEST = `case when links.status <> 'active' then (
  select kind || ' ' || confidence || ' ' || coalesce(cast(captured_at as text), '') || ' ' || url
  from suggestions where link_no = links.no order by rank, id limit 1) end`;

function bestIn(cell: string | number | null | undefined): Part["suggestion"] {
  if (typeof cell !== "string") return null;
  const [, kind, confidence, capturedAt, url] = /^(\S+) (\S+) (\d*) (.*)$/s.exec(cell)!;
  return {
    kind: kind as SuggestionKind,
    url: url!,
    confidence: confidence as Confidence,
    capturedAt: capturedAt === "" ? null : Number(capturedAt),
  };
}

const FILTERS = ["any", "none", ...SUGGESTION_KINDS] as const;

/** Found by lookups while the link is dead. */
export const suggestion = field({
  columns: {},
  joined: { suggestion: BEST },
  read: ({ suggestion }): Part => ({ suggestion: bestIn(suggestion) }),
  write: () => ({}),
  isListed: true,
  shown: {
    suggestion: BestSuggestion.nullable().meta({
      description:
        "What could best stand in the place of the link; null while it is alive. `GET /api/v1/links/{id}/suggestions` has all.",
    }),
  },
  example: { suggestion: null },
  show: ({ suggestion }) => ({
    suggestion: suggestion && {
      kind: suggestion.kind,
      url: suggestion.url,
      confidence: suggestion.confidence,
      captured_at: toIsoOrNull(suggestion.capturedAt),
    },
  }),
  exported: {
    suggestion: { cell: ({ suggestion }) => suggestion?.url ?? null, example: "" },
    suggestion_kind: { cell: ({ suggestion }) => suggestion?.kind ?? null, example: "" },
  },
  filters: {
    suggestion: oneOf(FILTERS)
      .meta({
        description:
          "Only links whose `suggestion` is of this kind, or `any`; `moved` also finds links that are alive and have moved for good. `none`: only dead links without one.",
      })
      .optional(),
  },
  condition: ({ suggestion }, { accountNo }) => {
    if (!suggestion) return undefined;
    if (suggestion === "none")
      return sql`links.status = 'dead' and not exists (select 1 from suggestions where link_no = links.no)`;
    const ofKind =
      suggestion === "any"
        ? sql`1 = 1`
        : sql`kind = ${suggestion} and not exists (
            select 1 from suggestions better where better.link_no = found.link_no and better.rank < found.rank)`;
    const found = sql`select found.link_no from suggestions found join links of_found on of_found.no = found.link_no
      where found.account_no = ${accountNo} and of_found.status <> 'active' and ${ofKind}`;
    const advised = sql`select memory.link_no from page_memories memory join links of_memory on of_memory.no = memory.link_no
      where memory.account_no = ${accountNo} and memory.moved is not null and of_memory.status = 'active'`;
    return suggestion === "moved"
      ? sql`links.no in (${found} union all ${advised})`
      : sql`links.no in (${found})`;
  },
  isFew: ({ suggestion }) => suggestion !== undefined && suggestion !== "none",
});
