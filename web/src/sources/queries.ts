import { keepPreviousData, useQuery } from "@tanstack/preact-query";
import { api, asSent, complete, type DataOf, unwrap } from "../data/api.ts";
import { usePages } from "../data/query-client.ts";
import { refreshWhile, SOURCES, type Source } from "../data/sources.ts";

export type SourceKind = Source["kind"];
export type Run = NonNullable<Source["run"]>;

export const useSource = (id: string) =>
  useQuery({
    queryKey: [...SOURCES, "one", id],
    queryFn: () => unwrap(api.sources({ id }).get()),
    refetchInterval: ({ state }) => refreshWhile(state.data && [state.data]),
  });

/** What is sent when a source is created or changed. */
export type SourceInput = {
  name: string;
  kind: SourceKind;
  url: string;
  settings: Record<string, unknown>;
  credential: { type: string; user?: string; value: string } | null;
  group_id: string | null;
  check_frequency: Source["check_frequency"];
  schedule: string | null;
  time_zone: string;
  paused: boolean;
};

/** Reads the beginning of a source, and keeps nothing. Without a kind, the server finds it. */
export const previewSource = (input: Partial<SourceInput>) =>
  unwrap(api.sources.preview.post(asSent(input)));

/** What a source would bring. */
export type Preview = Awaited<ReturnType<typeof previewSource>>;

export const createSource = (input: Partial<SourceInput>) =>
  unwrap(api.sources.post(asSent(input)));

export const changeSource = (id: string, change: Partial<SourceInput>) =>
  unwrap(api.sources({ id }).patch(asSent(change)));

export const deleteSource = (id: string, links: "keep" | "retire") =>
  complete(api.sources({ id }).delete(undefined, { query: asSent({ links }) }));

export const runSource = (id: string, acceptsShrink = false) =>
  unwrap(api.sources({ id }).run.post(asSent({ accept_shrink: acceptsShrink })));

export const cancelRun = (id: string) => unwrap(api.sources({ id }).cancel.post());

const RUNS_PER_PAGE = 10;

export const useRuns = ({ id }: Source) =>
  usePages({
    queryKey: [...SOURCES, "runs", id],
    read: (page) =>
      unwrap(api.sources({ id }).runs.get({ query: asSent({ page, per_page: RUNS_PER_PAGE }) })),
  });

export type Which = "dead" | "failed" | "fragments" | "all";

const CONDITIONS: Record<Which, object> = {
  dead: { has: "dead" },
  failed: { state: "failed" },
  fragments: { has: "fragments" },
  all: {},
};

const PAGES_PER_PAGE = 25;

/** The pages of a source, read again with each run. */
export const useSourcePages = (source: Source, which: Which, search: string) =>
  usePages({
    queryKey: [...SOURCES, "pages", source.id, which, search],
    read: (page) =>
      unwrap(
        api.sources({ id: source.id }).pages.get({
          query: asSent({
            page,
            per_page: PAGES_PER_PAGE,
            ...CONDITIONS[which],
            ...(search && { search }),
          }),
        }),
      ),
    refetchInterval: refreshWhile([source]),
  });
export type SourcePage = DataOf<typeof useSourcePages>["items"][number];

const PAGE_MS = 10_000;

/**
 * A page with its links. They may be thousands, so it is not read again with each live update, but after a while.
 * @param version changes with what is known of the page
 */
export const usePageOf = (source: string, page: string, version?: unknown) =>
  useQuery({
    queryKey: ["page-of-source", source, page, version],
    queryFn: () => unwrap(api.sources({ id: source }).pages({ page_id: page }).get()),
    placeholderData: keepPreviousData,
    refetchInterval: version === undefined && PAGE_MS,
  });
