import {
  keepPreviousData,
  MutationCache,
  notifyManager,
  type Query,
  QueryCache,
  QueryClient,
  type QueryKey,
  type RefetchOptions,
  type RefetchQueryFilters,
  useInfiniteQuery,
} from "@tanstack/preact-query";
import { RequestFailed } from "./api.ts";
import { givenSession, SESSION, VISIT } from "./session.ts";

const MOST_RETRIES = 2;

/** Any 401 refetches the session. */
export function createQueryClient(): QueryClient {
  // Synchronous, so that a button is disabled before the second click of a double click.
  notifyManager.setScheduler(queueMicrotask);
  const onError = (error: Error) => {
    if (error instanceof RequestFailed && error.status === 401) {
      client.invalidateQueries({ queryKey: SESSION });
    }
  };
  const client: QueryClient = new RestartingClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      // A self-hosted server is often reachable while the browser reports to be offline.
      queries: { networkMode: "always", retry: shouldRetry },
      mutations: { networkMode: "always" },
    },
  });
  const { session, visit } = givenSession();
  client.setQueryData(SESSION, session);
  client.setQueryData(VISIT, visit);
  return client;
}

/**
 * Changes during a fetch make its result outdated. Such a fetch is restarted, which the library does only if
 * there is data already. With `cancelRefetch: false` another one follows it instead, so that data which changes
 * faster than it can be fetched is still shown.
 */
class RestartingClient extends QueryClient {
  override async refetchQueries(filters?: RefetchQueryFilters, options: RefetchOptions = {}) {
    const begun = this.getQueryCache()
      .findAll({ ...filters, fetchStatus: "fetching" })
      .filter((query) => !query.isDisabled());
    const isFollowed = options.cancelRefetch === false;
    if (!isFollowed) for (const query of begun) void query.cancel({ silent: true });
    const again = async (query: Query) => {
      await query.promise?.catch(() => {});
      await super.refetchQueries({ type: "active", predicate: (each) => each === query }, options);
    };
    const followed = isFollowed ? begun.map(again) : [];
    await Promise.all([super.refetchQueries(filters, options), ...followed]);
  }
}

/** Retries network and server errors, but not rejections. */
function shouldRetry(failures: number, error: Error): boolean {
  const isRefusal = error instanceof RequestFailed && error.status >= 400 && error.status < 500;
  return failures < MOST_RETRIES && !isRefusal;
}

type Page<Item> = {
  items: Item[];
  pagination: { page: number; total_pages: number; total: number };
};

type Pages<Item> = {
  queryKey: QueryKey;
  read: (page: number) => Promise<Page<Item>>;
  refetchInterval?: number | false;
};

/** A list that is read page by page, those that were read as one list. */
export const usePages = <Item>({ read, ...options }: Pages<Item>) =>
  useInfiniteQuery({
    ...options,
    queryFn: ({ pageParam }) => read(pageParam),
    initialPageParam: 1,
    getNextPageParam: ({ pagination: { page, total_pages: last } }) =>
      page < last ? page + 1 : undefined,
    placeholderData: keepPreviousData,
    select: ({ pages }) => ({
      items: pages.flatMap(({ items }) => items),
      total: pages[0]!.pagination.total,
    }),
  });
