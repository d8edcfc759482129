import { and, eq, inArray, type SQL, sql } from "drizzle-orm";
import { links, suggestions } from "../ground/db/tables.ts";
import { invalid } from "../ground/lib/errors.ts";
import { siteOfUrl } from "../ground/lib/site.ts";
import type { Confidence, ReplacementKind, SuggestionKind } from "../ground/lib/vocabulary.ts";
import type { Caller } from "../http/caller.ts";
import { readUrl } from "../links/change-url.ts";
import { type LinkFilter, matching, ownFilter } from "../links/links.ts";
import type { Deps } from "../work/deps.ts";

/** A link with the URL that could stand in its place. */
export type Chosen = { linkId: string; url: string; newUrl: string; kind: ReplacementKind };

/** The rule by which URLs have changed: what they began with, and what they begin with now. */
export type Rule = { from: string; to: string };

/** The suggestions that are wanted: those of all kinds, or of any confidence, where nothing is said. */
export type WantedSuggestions = {
  kinds?: SuggestionKind[] | undefined;
  confidence?: Confidence | undefined;
};

export const MOST_LINKS = 1000;

/**
 * Finds the account's links that begin as the rule says, with their new URLs.
 * @throws VALIDATION_ERROR if these cannot be checked, and for no links, or too many
 */
export async function chooseByRule(
  deps: Deps,
  caller: Caller,
  rule: Rule,
  filter: LinkFilter,
): Promise<Chosen[]> {
  const from = new URL(rule.from).href;
  const to = readUrl(deps, rule.to, "to").href;
  if (to === from) throw invalid({ to: ["must differ from `from`"] });
  const isOld = and(
    eq(links.site, siteOfUrl(from)),
    sql`substr(${links.url}, 1, ${from.length}) = ${from}`,
  );
  const newUrl = sql`${to} || substr(${links.url}, ${from.length + 1})`;
  const ofRule = { newUrl, kind: sql`'rule'`, isWanted: isOld };
  const chosen = await readChosen(deps, caller, filter, [ofRule], "from");
  return chosen.map((each) => ({ ...each, newUrl: readUrl(deps, each.newUrl, "to").href }));
}

/**
 * Finds the best wanted suggestion of each of the account's links. Links that are alive are among them only where the
 * kind `moved` is wanted, by name.
 * @throws VALIDATION_ERROR for no links, or too many
 */
export function chooseBySuggestions(
  deps: Deps,
  caller: Caller,
  wanted: WantedSuggestions,
  filter: LinkFilter,
): Promise<Chosen[]> {
  const { kinds, confidence } = wanted;
  const isWanted = (table: string) =>
    and(
      kinds && inArray(sql.raw(`${table}.kind`), kinds),
      confidence && sql`${sql.raw(`${table}.confidence`)} = ${confidence}`,
    ) ?? sql`true`;
  const ofDead = {
    newUrl: sql`${suggestions.url}`,
    kind: sql`${suggestions.kind}`,
    from: sql`join suggestions on suggestions.link_no = links.no`,
    isWanted: sql`${links.status} <> 'active' and ${isWanted("suggestions")} and not exists (
      select 1 from suggestions better where better.link_no = links.no and ${isWanted("better")}
        and (better.rank, better.id) < (suggestions.rank, suggestions.id))`,
  };
  const ofLiving = {
    newUrl: sql`memory.way`,
    kind: sql`'moved'`,
    from: sql`join page_memories memory on memory.link_no = links.no`,
    isWanted: and(
      sql`${links.status} = 'active' and memory.account_no = ${caller.accountNo}
        and memory.moved is not null and memory.way is not null`,
      confidence && sql`memory.moved = ${confidence}`,
    ),
  };
  const parts = kinds?.includes("moved") ? [ofDead, ofLiving] : [ofDead];
  return readChosen(deps, caller, filter, parts, "suggestions");
}

type Part = {
  newUrl: SQL;
  kind: SQL;
  /** What is joined. */
  from?: SQL;
  isWanted: SQL | undefined;
};

/** @param field by whose name too many or no links are refused */
async function readChosen(
  deps: Deps,
  caller: Caller,
  given: LinkFilter,
  parts: Part[],
  field: string,
): Promise<Chosen[]> {
  const matches = matching(caller, ownFilter(caller, given), deps.clock.now());
  const { readPool } = deps.store;
  const rowsOf = ({ from = sql``, isWanted }: Part) =>
    sql`from watched_links as links ${from} where ${and(isWanted, matches)}`;
  const pages = await Promise.all(
    parts.map((part) =>
      readPool.all<[string, string, string, ReplacementKind]>(sql`
        select ${links.id}, ${links.url}, ${part.newUrl}, ${part.kind} ${rowsOf(part)} limit ${MOST_LINKS + 1}`),
    ),
  );
  const chosen = pages.flat().map(([linkId, url, newUrl, kind]) => ({ linkId, url, newUrl, kind }));
  if (chosen.length === 0) throw invalid({ [field]: ["No links match."] });
  if (chosen.length <= MOST_LINKS) return chosen;
  const counts = await Promise.all(
    parts.map((part) => readPool.all<[number]>(sql`select count(*) ${rowsOf(part)}`)),
  );
  const total = counts.flat(2).reduce((sum, count) => sum + Number(count), 0);
  const problem = `${total.toLocaleString("en-US")} links match; narrow the filter.`;
  throw invalid({ [field]: [problem] });
}
