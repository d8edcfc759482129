import { type SQL, sql } from "drizzle-orm";
import { oneOf } from "../../ground/lib/fields.ts";
import { toIsoOrNull } from "../../ground/lib/moments.ts";
import {
  type Confidence,
  SUGGESTION_KINDS,
  type SuggestionKind,
} from "../../ground/lib/vocabulary.ts";
import { BestSuggestion } from "../suggestions/model.ts";
import { field, type Owner } from "./field.ts";

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

/** The numbers of links with a suggestion, or with one of a kind as their best, in the order of an index. */
function numbersOf(suggestion: SuggestionKind | "any", { accountNo }: Owner): SQL {
  const ofKind = suggestion === "any" ? undefined : sql`and found.kind = ${suggestion}`;
  const found = sql`
    select found.link_no as no from suggestions found join links of_found on of_found.no = found.link_no
    where found.account_no = ${accountNo} ${ofKind} and of_found.status <> 'active' and not exists (
      select 1 from suggestions better where better.link_no = found.link_no
        and (better.rank < found.rank or (better.rank = found.rank and better.id < found.id)))`;
  if (suggestion !== "moved") return found;
  return sql`${found} union all
    select memory.link_no from page_memories memory join links of_memory on of_memory.no = memory.link_no
    where memory.account_no = ${accountNo} and memory.moved is not null and of_memory.status = 'active'`;
}

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
  condition: ({ suggestion }, owner) => {
    if (!suggestion) return undefined;
    return suggestion === "none"
      ? sql`links.status = 'dead' and not exists (select 1 from suggestions where link_no = links.no)`
      : sql`links.no in (${numbersOf(suggestion, owner)})`;
  },
  leading: ({ suggestion }, owner) =>
    suggestion && suggestion !== "none" ? numbersOf(suggestion, owner) : undefined,
  isFew: ({ suggestion }) => suggestion !== undefined && suggestion !== "none",
});
