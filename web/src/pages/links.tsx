import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/preact-query";
import { useEffect, useRef, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { LinkFilters } from "../components/link-filters.tsx";
import { LinkList, ListTools, type Picking } from "../components/link-list.tsx";
import { ListHead, Pager } from "../components/lists.tsx";
import { Empty, Loaded } from "../components/states.tsx";
import { useDirectChange } from "../components/use-change.ts";
import { useTitle } from "../lib/browser.ts";
import { cleared, hrefOfFilter, isNarrowed, readFilter, scopeOf } from "../lib/filter.ts";
import { useGroups } from "../lib/groups.ts";
import {
  checkNow,
  conditionsOf,
  countLinks,
  LINKS,
  type Link,
  type LinkFilter,
  type LinkPage,
  listLinks,
  refreshAfter,
} from "../lib/links.ts";
import {
  isPicked,
  pickedAmong,
  type Selection,
  toggled,
  toggledPage,
  toggledTo,
  useSelection,
  without,
} from "../lib/selection.ts";
import { useCanWrite } from "../lib/session.ts";
import { DeleteLink } from "./delete-link.tsx";
import { SelectedLinks } from "./selected-links.tsx";

const COUNTS = [...LINKS, "counts"];

export function LinksPage() {
  useTitle("Links");
  const { query, route } = useLocation();
  const filter = readFilter(query);
  useSearchAtOnce("find" in query, () => route(hrefOfFilter(filter), true));
  const links = useLinks(filter);
  const counts = useCounts(filter);
  useCountsRefetch(hrefOfFilter(filter), links.data);
  const canWrite = useCanWrite();
  const [selection, select] = useSelection(scopeOf(filter));
  const [deleting, setDeleting] = useState<Link | null>(null);
  const shown = links.data?.items.map(({ id }) => id) ?? [];
  const holding = { filter, selection, select };
  return (
    <div class="links-page">
      <ListHead title="Links" adding="Add links" addAt="/links/new" />
      {!(links.data && isNew(filter, links.data)) && (
        <LinkFilters
          filter={filter}
          counts={counts}
          onChange={(next) => route(hrefOfFilter(next))}
          onType={(next) => route(hrefOfFilter(next), true)}
        />
      )}
      <Loaded query={links}>
        {(page) =>
          page.items.length > 0 ? (
            <ListedLinks
              {...holding}
              page={page}
              isOld={links.isPlaceholderData}
              onDelete={setDeleting}
            />
          ) : (
            <Nothing filter={filter} page={page} />
          )
        }
      </Loaded>
      {canWrite && (
        <SelectedLinks {...holding} shown={shown} total={links.data?.pagination.total ?? 0} />
      )}
      {deleting && (
        <DeleteLink
          link={deleting}
          onClose={() => setDeleting(null)}
          onDeleted={() => {
            select(without(selection, deleting.id));
            setDeleting(null);
          }}
        />
      )}
    </div>
  );
}

/** Focuses the search if the address asks for it, and replaces the address by that of the list. */
function useSearchAtOnce(isWanted: boolean, onDone: () => void) {
  useEffect(() => {
    if (!isWanted) return;
    document.querySelector<HTMLElement>("[data-search]")?.focus();
    onDone();
  }, [isWanted]);
}

const useLinks = (filter: LinkFilter) =>
  useQuery({
    queryKey: [...LINKS, "list", filter],
    queryFn: () => listLinks(filter),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => refreshAfter(state.data?.items),
  });

function useCounts(filter: LinkFilter) {
  const conditions = conditionsOf({ ...filter, status: undefined });
  const { data } = useQuery({
    queryKey: [...COUNTS, conditions],
    queryFn: () => countLinks(conditions),
    placeholderData: keepPreviousData,
  });
  return data;
}

/** Refetches the counts when the same list has changed. */
function useCountsRefetch(address: string, page: LinkPage | undefined) {
  const client = useQueryClient();
  const seen = useRef({ address, page });
  useEffect(() => {
    const isChanged = seen.current.page !== undefined && seen.current.address === address;
    if (isChanged && seen.current.page !== page) client.invalidateQueries({ queryKey: COUNTS });
    seen.current = { address, page };
  }, [page]);
}

/** Whether there are no links to filter. */
const isNew = (filter: LinkFilter, { pagination }: LinkPage) =>
  pagination.total === 0 && !isNarrowed(filter);

type NothingProps = { filter: LinkFilter; page: LinkPage };

function Nothing({ filter, page }: NothingProps) {
  if (page.pagination.total > 0) return <PastTheEnd filter={filter} page={page} />;
  return isNarrowed(filter) ? <NoMatch filter={filter} /> : <NoLinks />;
}

const PastTheEnd = ({ filter, page: { pagination } }: NothingProps) => (
  <Empty title={`There is no page ${filter.page.toLocaleString("en")}`}>
    <p>The list is shorter now, or the address is wrong.</p>
    <a class="button" href={hrefOfFilter({ ...filter, page: pagination.total_pages })}>
      Go to the last page
    </a>
  </Empty>
);

const NoMatch = ({ filter }: { filter: LinkFilter }) => (
  <Empty title="No link matches">
    <p>Try removing some filters.</p>
    <a class="button" href={hrefOfFilter(cleared(filter))}>
      Show all links
    </a>
  </Empty>
);

const NoLinks = () => (
  <Empty title="No links yet">
    <p>Add the URLs you care about. Each is checked at once, and then as often as you say.</p>
    {useCanWrite() && (
      <a class="button" href="/links/new">
        Add your first links
      </a>
    )}
  </Empty>
);

type ListedLinksProps = {
  filter: LinkFilter;
  page: LinkPage;
  /** Whether the previous page is still shown. */
  isOld: boolean;
  selection: Selection;
  select: (selection: Selection) => void;
  onDelete: (link: Link) => void;
};

function ListedLinks(props: ListedLinksProps) {
  const { filter, page, isOld, selection, select, onDelete } = props;
  const { route } = useLocation();
  const { data: groups = [] } = useGroups();
  const check = useCheckNow();
  const canWrite = useCanWrite();
  const shown = page.items.map(({ id }) => id);
  const picking: Picking = {
    isPicked: (id) => isPicked(selection, id),
    onPick: (id, isRange) => select((isRange ? toggledTo : toggled)(selection, shown, id)),
  };
  return (
    <div class="listed" ref={useTopOfPage(filter.page)}>
      <ListTools
        filter={filter}
        picked={canWrite ? pickedAmong(selection, shown) : null}
        onPickPage={() => select(toggledPage(selection, shown))}
        onSort={(sort) => route(hrefOfFilter({ ...filter, sort, page: 1 }))}
      />
      <LinkList
        links={page.items}
        groups={groups}
        isOld={isOld}
        picking={canWrite && !isOld ? picking : null}
        onCheck={check}
        onDelete={onDelete}
      />
      <Pager
        pagination={page.pagination}
        what="links"
        hrefOf={(number) => hrefOfFilter({ ...filter, page: number })}
      />
    </div>
  );
}

const useCheckNow = () =>
  useDirectChange({
    change: ({ id }: Link) => checkNow(id),
    said: ({ message }) => message,
    renews: [LINKS],
  }).mutate;

/** Scrolls to the top of the list when the page changes. */
function useTopOfPage(page: number) {
  const list = useRef<HTMLDivElement>(null);
  const seen = useRef(page);
  useEffect(() => {
    if (seen.current === page) return;
    seen.current = page;
    const isAbove = list.current && list.current.getBoundingClientRect().top < 0;
    if (isAbove) list.current?.scrollIntoView();
  }, [page]);
  return list;
}
