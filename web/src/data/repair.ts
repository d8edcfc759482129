import { queryOptions } from "@tanstack/preact-query";
import type {
  LookupState,
  PageMatch,
  SuggestionKind,
  Verdict,
} from "../../../server/ground/lib/vocabulary.ts";
import { api, asSent, complete, unwrap } from "./api.ts";
import { counted } from "./format.ts";
import { LINKS } from "./links.ts";

export type { SuggestionKind };

// What the server answers, until its routes are there.
export type Suggestion = {
  id: string;
  kind: SuggestionKind;
  url: string;
  confidence: "safe" | "likely" | "copy";
  matches: PageMatch;
  captured_at: string | null;
  checked_at: string;
  evidence: string[];
  /** Of the page that it leads to. */
  title?: string | null;
};
type Lookup = {
  state: LookupState;
  retry_at: string | null;
  reasons: { reason: string; captured_at: string | null }[];
};
export type PreviewItem = {
  link_id: string;
  url: string;
  new_url: string;
  verdict: Verdict | null;
  reason: string | null;
  matches: PageMatch | null;
  selected: boolean;
  result: string | null;
  error?: { message: string } | null;
};
export type Preview = { id: string; state: string; items: PreviewItem[] };
type Answer<T> = Promise<{
  data: { data: T } | null;
  error: { value: unknown } | null;
  status: number;
}>;
type Soon = {
  links: (of: { id: string }) => {
    suggestions: {
      get(): Answer<{ items: Suggestion[]; lookup: Lookup | null }>;
      post(body: { archive?: boolean }): Answer<unknown>;
    };
  };
  replacements: ((of: { id: string }) => {
    get(): Answer<Preview>;
    apply: { post(body: object): Answer<Preview> };
  }) & { post(body: object): Answer<Preview> };
};
const server = api as unknown as Soon;
const take = <T>(answer: Answer<T>): Promise<T> => unwrap(answer as Promise<never>);

/** What could stand in the place of a link, the best first, and how far the search for it is. */
export const suggestionsOptions = (id: string) =>
  queryOptions({
    queryKey: [...LINKS, "one", id, "suggestions"],
    queryFn: () => take(server.links({ id }).suggestions.get()),
  });
export type Suggestions = { items: Suggestion[]; lookup: Lookup | null };

/** Looks again. @param archive also where the archive would learn a private URL */
export const lookAgain = (id: string, archive = false) =>
  take(server.links({ id }).suggestions.post(archive ? { archive } : {}));

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

export const startPreview = (wanted: Wanted) => take(server.replacements.post(wanted));

const SOON_MS = 1_000;
const BUSY = ["checking", "applying"];

/** Read again while its URLs are checked, or it is carried out. */
export const previewOptions = (id: string) =>
  queryOptions({
    queryKey: ["replacements", id],
    queryFn: () => take(server.replacements({ id }).get()),
    refetchInterval: ({ state }) => BUSY.includes(state.data?.state ?? "") && SOON_MS,
  });

export const applyPreview = (id: string, ids: string[]) =>
  take(server.replacements({ id }).apply.post({ link_ids: ids }));

const EXPORT = "/dashboard/api/exports/replacements?format=csv";

/** The places that still have old URLs, for those who edit them. */
export const placesHref = (source = "") => (source ? `${EXPORT}&source_id=${source}` : EXPORT);

/** `forbidden` by the operator. */
export type ArchiveSetting = "on" | "off" | "forbidden";
type ArchiveSettings = Record<"archive_lookup" | "archive_save", ArchiveSetting>;
const account = api.account as unknown as {
  get(): Answer<ArchiveSettings>;
  patch(change: { archive_lookup?: boolean; archive_save?: boolean }): Answer<unknown>;
};

/** Whether archives are asked about dead links, and pages are saved there. */
export const ARCHIVE = queryOptions({
  queryKey: ["account", "archive"],
  queryFn: () => take(account.get()),
});

/** Only owners may. */
export const setArchive = (change: { archive_lookup?: boolean; archive_save?: boolean }) =>
  take(account.patch(change));
