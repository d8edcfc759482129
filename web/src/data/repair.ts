import { queryOptions } from "@tanstack/preact-query";
import { api, complete, unwrap } from "./api.ts";
import { counted } from "./format.ts";
import { LINKS } from "./links.ts";

/** Kinds of suggestions, the best first, as a list calls them. */
export const SUGGESTION_KINDS = {
  moved: "Moved",
  pattern: "Moved like its neighbours",
  same_title: "Same title elsewhere",
  variant: "Another spelling",
  archive: "Archived copy",
} as const;
export type SuggestionKind = keyof typeof SUGGESTION_KINDS;

/** What lists of links can be narrowed to. */
export const SUGGESTIONS = { any: "Any", ...SUGGESTION_KINDS, none: "None" } as const;
export type SuggestionFilter = keyof typeof SUGGESTIONS;

// What the server answers, until its routes are there.
export type Suggestion = {
  id: string;
  kind: SuggestionKind;
  url: string;
  confidence: "safe" | "likely" | "copy";
  matches: "yes" | "no" | "unknown";
  captured_at: string | null;
  checked_at: string;
  evidence: Record<string, unknown>;
};
type Lookup = { state: string; retry_at: string | null; reasons: string[] };
type Replaced = { mode: "link" | "places"; places?: number };
type PreviewItem = {
  link_id: string;
  url: string;
  new_url: string;
  verdict: "active" | "dead" | "unknown" | null;
  reason: string | null;
  matches: string | null;
  selected: boolean;
  state: string | null;
  error?: { message: string };
};
type Preview = { id: string; state: string; counts: Record<string, number>; items: PreviewItem[] };
type Pattern = { id: string; from: string; to: string; pairs: number };
type Answer<T> = Promise<{ data: { data: T } | null; error: { value: unknown } | null; status: number }>;
type Soon = {
  links: ((of: { id: string }) => {
    suggestions: {
      get(): Answer<{ items: Suggestion[]; lookup: Lookup }>;
      post(body: { archive?: boolean }): Answer<unknown>;
    };
    replace: { post(body: object): Answer<Replaced>; delete(): Answer<unknown> };
  }) & { get(input: object): Answer<{ pagination: { total: number } }> };
  patterns: ((of: { id: string }) => { delete(): Answer<unknown> }) & {
    get(): Answer<{ items: Pattern[] }>;
  };
  replacements: ((of: { id: string }) => {
    get(): Answer<Preview>;
    apply: { post(body: object): Answer<Preview> };
  }) & { post(body: object): Answer<Preview> };
};
const server = api as unknown as Soon;

const take = <T>(answer: Answer<T>): Promise<T> => unwrap(answer as Promise<never>);

/** What could stand in place of a link, the best first, and how far the search for it is. */
export const suggestionsOptions = (id: string) =>
  queryOptions({
    queryKey: [...LINKS, "one", id, "suggestions"],
    queryFn: () => take(server.links({ id }).suggestions.get()),
  });
export type Suggestions = { items: Suggestion[]; lookup: Lookup };

/** Looks again. @param archive also where the archive would learn a private URL */
export const lookAgain = (id: string, archive = false) =>
  take(server.links({ id }).suggestions.post(archive ? { archive } : {}));

type Replacement = { suggestion_id: string } | { url: string };

/** Replaces the URL, or stores the new one where sources still have the old one. */
export const replaceLink = (id: string, by: Replacement, merge = false) =>
  take(server.links({ id }).replace.post({ ...by, ...(merge && { merge }) }));

/** Takes a stored replacement back. */
export const takeBack = (id: string) => complete(server.links({ id }).replace.delete() as never);

export type SuggestionCounts = Record<SuggestionKind | "none" | "total", number>;

/** How many links of a filter have a suggestion of each kind as their best one. */
export const countsOptions = (filter: Record<string, string>) =>
  queryOptions({
    queryKey: [...LINKS, "suggested", filter],
    queryFn: async (): Promise<SuggestionCounts> => {
      const kinds = [...Object.keys(SUGGESTION_KINDS), "none"];
      const count = async (suggestion: object) => {
        const query = { ...filter, ...suggestion, page: 1, per_page: 1 };
        return (await take(server.links.get({ query }))).pagination.total;
      };
      const found = kinds.map(async (suggestion) => [suggestion, await count({ suggestion })]);
      const total = count({});
      return { ...Object.fromEntries(await Promise.all(found)), total: await total };
    },
  });

/** Rules learned from links that moved. */
export const PATTERNS = queryOptions({
  queryKey: [...LINKS, "patterns"],
  queryFn: () => take(server.patterns.get()),
});
export type { Pattern };

export const forgetPattern = (id: string) => complete(server.patterns({ id }).delete() as never);

/** What is to be replaced: links under a prefix, or those with suggestions of these kinds. */
export type Wanted = (
  | { from: string; to: string }
  | { suggestions: { kinds: SuggestionKind[] } }
) & { filter: Record<string, string> };

export const startPreview = (wanted: Wanted) => take(server.replacements.post(wanted));

const SOON_MS = 1_000;
const isBusy = (state: string | undefined) => state === "checking" || state === "applying";

/** Read again while its URLs are checked, or it is carried out. */
export const previewOptions = (id: string) =>
  queryOptions({
    queryKey: ["replacements", id],
    queryFn: () => take(server.replacements({ id }).get()),
    refetchInterval: ({ state }) => (isBusy(state.data?.state) ? SOON_MS : false),
  });
export type { Preview, PreviewItem };

export const applyPreview = (id: string, ids: string[]) =>
  take(server.replacements({ id }).apply.post({ link_ids: ids }));

const PLACES_EXPORT = "/dashboard/api/exports/replacements?format=csv";

/** The places that still have old URLs, for those who edit them. */
export const hrefOfPlaces = (source = "") =>
  source ? `${PLACES_EXPORT}&source_id=${source}` : PLACES_EXPORT;

/** "Stored. Still in 14 places." */
export const replacedText = ({ mode, places = 0 }: Replaced): string =>
  mode === "link" ? "The URL was replaced." : `Stored. Still in ${counted(places, "place")}.`;

type ArchiveSettings = { archive_lookup: boolean; archive_save: boolean };
const account = api.account as unknown as {
  get(): Answer<ArchiveSettings>;
  patch(change: Partial<ArchiveSettings>): Answer<unknown>;
};

/** Whether archives are asked about dead links, and pages are saved there. */
export const ARCHIVE = queryOptions({
  queryKey: ["account", "archive"],
  queryFn: () => take(account.get()).then((found) => ({ ...found, isForbidden: false })),
});

/** Only owners may. */
export const setArchive = (change: Partial<ArchiveSettings>) => take(account.patch(change));

/** What an archive learns. */
export const REVEALED =
  "When a link dies, the Wayback Machine is asked for a copy of its URL, and so learns that you have it. Private hosts and URLs that may contain a secret are never sent.";
