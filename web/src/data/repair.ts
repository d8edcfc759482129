import { queryOptions } from "@tanstack/preact-query";
import type { SuggestionKind } from "../../../server/ground/lib/vocabulary.ts";
import { api, asSent, complete, unwrap } from "./api.ts";
import { counted } from "./format.ts";
import { LINKS } from "./links.ts";

export type { SuggestionKind };

const findSuggestions = (id: string) => unwrap(api.links({ id }).suggestions.get());
export type Suggestions = Awaited<ReturnType<typeof findSuggestions>>;
export type Suggestion = Suggestions["items"][number];

/** What could stand in the place of a link, the best first, and how far the search for it is. */
export const suggestionsOptions = (id: string) =>
  queryOptions({
    queryKey: [...LINKS, "one", id, "suggestions"],
    queryFn: () => findSuggestions(id),
  });

/** Looks again. @param archive also where the archive would learn a private URL */
export const lookAgain = (id: string, archive = false) =>
  unwrap(api.links({ id }).suggestions.post(asSent({ archive })));

export type Replacement = { suggestion_id: string } | { url: string };

/**
 * Replaces the URL of a link, or stores the new one where sources still have the old one.
 * @param merge what to do if another link has the new URL
 */
export const replaceLink = (id: string, by: Replacement, merge = false) =>
  unwrap(api.links({ id }).replace.post(asSent({ ...by, merge })));
type Replaced = Awaited<ReturnType<typeof replaceLink>>;

/** Takes a stored replacement back. */
export const takeBack = (id: string) => complete(api.links({ id }).replace.delete());

/** Gives a link another URL, whatever its sources have. */
export const changeUrl = (id: string, url: string, note: string | null = null) =>
  unwrap(api.links({ id }).url.post({ url, note }));

/** Takes a replacement back by the opposite request. @param url what the link had before */
export const undoReplacement = (id: string, mode: "link" | "places", url: string) =>
  mode === "link" ? changeUrl(id, url).then(() => {}) : takeBack(id);

/** "Stored. Still in 14 places." */
export const replacedText = ({ mode, places }: Pick<Replaced, "mode" | "places">): string =>
  mode === "places"
    ? `Stored. Still in ${counted(places, "place")}.`
    : mode === "merged"
      ? "The links were merged."
      : "The URL was replaced.";

type Filter = Record<string, string>;

/** How many links match. */
const countOf = async (filter: Filter) => {
  const query = asSent<object>({ ...filter, page: 1, per_page: 1 });
  return (await unwrap(api.links.get({ query: query as never }))).pagination.total;
};

export const DEAD = { status: "dead" };
/** Links that are alive and have moved for good. */
export const REDIRECTS = { status: "active", suggestion: "moved" };

const MOST_ADVICE = 50;

/** Where the latest of these links lead. */
export const ADVICE = queryOptions({
  queryKey: [...LINKS, "repair", "advice"],
  queryFn: async () => {
    const query = asSent<object>({ ...REDIRECTS, per_page: MOST_ADVICE });
    const { items } = await unwrap(api.links.get({ query: query as never }));
    if (items.length === 0) return [];
    const urls = items.map(({ url }) => url);
    const { results } = await unwrap(api.links.suggestions.post({ urls }));
    return results.flatMap(({ link_id: id, url: from, suggestion }) =>
      id && suggestion
        ? [
            {
              id,
              from,
              to: suggestion.url,
              evidence: suggestion.evidence.join(" "),
              isSafe: suggestion.confidence === "safe",
            },
          ]
        : [],
    );
  },
});

/** How many links match each of the filters. */
export const countsOptions = (filters: Filter[]) =>
  queryOptions({
    queryKey: [...LINKS, "repair", filters],
    queryFn: () => Promise.all(filters.map(countOf)),
  });

const MOST_PATTERNS = 20;

const listPatterns = () => unwrap(api.patterns.get({ query: asSent({ per_page: MOST_PATTERNS }) }));

/** Rules learned from links that moved, those with the most links first. */
export const PATTERNS = queryOptions({ queryKey: [...LINKS, "patterns"], queryFn: listPatterns });
export type Pattern = Awaited<ReturnType<typeof listPatterns>>["items"][number];

export const forgetPattern = (id: string) => complete(api.patterns({ id }).delete());

/** What is to be replaced: links under a prefix, or those with suggestions. */
export type Wanted = { filter: Filter } & (
  | { from: string; to: string }
  | { suggestions: { kinds: SuggestionKind[]; confidence?: "safe" } }
);

export const startPreview = (wanted: Wanted) => unwrap(api.replacements.post(asSent(wanted)));

const REPLACEMENTS = ["replacements"];
const SOON_MS = 1_000;
const BUSY = ["checking", "applying"];

const findPreview = (id: string) => unwrap(api.replacements({ id }).get());
export type Preview = Awaited<ReturnType<typeof findPreview>>;
export type PreviewItem = Preview["items"][number];

/** Read again while its URLs are checked, or it is carried out. */
export const previewOptions = (id: string) =>
  queryOptions({
    queryKey: [...REPLACEMENTS, id],
    queryFn: () => findPreview(id),
    refetchInterval: ({ state }) => BUSY.includes(state.data?.state ?? "") && SOON_MS,
  });

/** Previews that were not carried out, of which an account has few at a time. */
export const OPEN_PREVIEWS = queryOptions({
  queryKey: [...REPLACEMENTS, "open"],
  queryFn: async () => {
    const { items } = await unwrap(api.replacements.get({ query: asSent({}) }));
    return items.filter(({ state }) => state === "checking" || state === "ready");
  },
});

export const discardPreview = (id: string) => complete(api.replacements({ id }).delete());

export const applyPreview = (id: string, ids: string[]) =>
  unwrap(api.replacements({ id }).apply.post(asSent({ link_ids: ids })));

const EXPORT = "/dashboard/api/exports/replacements?format=csv";

/** The places that still have old URLs, for those who edit them. */
export const placesHref = (source = "") => (source ? `${EXPORT}&source_id=${source}` : EXPORT);

const findAccount = () => unwrap(api.account.get());
type Account = Awaited<ReturnType<typeof findAccount>>;
/** Whether an archive is used, or `forbidden` by the operator. */
export type ArchiveUse = Account["archive_lookup"];

/** Also of the profile. */
export const OWN_ACCOUNT = queryOptions({ queryKey: ["account", "own"], queryFn: findAccount });

/** Only owners may. */
export const setArchive = (change: { archive_lookup?: boolean; archive_save?: boolean }) =>
  unwrap(api.account.patch(asSent(change)));
