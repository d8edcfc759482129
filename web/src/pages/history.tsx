import { keepPreviousData, useQuery } from "@tanstack/preact-query";
import { Download } from "lucide-preact";
import { useLocation } from "preact-iso";
import { ChecksFilters, ChecksTable, ChecksTiles, OneLink } from "../components/checks.tsx";
import { NoMatch, Pager } from "../components/lists.tsx";
import { Empty, Loaded } from "../components/states.tsx";
import { useTitle } from "../lib/browser.ts";
import {
  findHistory,
  findHistoryStats,
  HISTORY,
  type HistoryFilter,
  hrefOfHistory,
  hrefOfHistoryExport,
  readHistoryFilter,
} from "../lib/history.ts";
import { findLink, LINKS } from "../lib/links.ts";

export function HistoryPage() {
  useTitle("History");
  const { query, route } = useLocation();
  const filter = readHistoryFilter(query);
  const checks = useChecks(filter);
  return (
    <>
      <header class="page-head">
        <h1>History</h1>
        <a class="button" href={hrefOfHistoryExport(filter)} download>
          <Download aria-hidden="true" />
          Export CSV
        </a>
      </header>
      <div class="checks-filters">
        {filter.linkId && <NamedLink filter={filter} />}
        <ChecksFilters filter={filter} onChange={(next) => route(hrefOfHistory(next), true)} />
      </div>
      <ChecksTiles stats={useStats(filter).data} />
      <Loaded query={checks}>
        {({ items, pagination }) => (
          <>
            {items.length > 0 ? <ChecksTable checks={items} /> : <Nothing filter={filter} />}
            {pagination.total > 0 && (
              <Pager
                pagination={pagination}
                what="checks"
                hrefOf={(page) => hrefOfHistory({ ...filter, page })}
              />
            )}
          </>
        )}
      </Loaded>
    </>
  );
}

const useChecks = (filter: HistoryFilter) =>
  useQuery({
    queryKey: [...HISTORY, "list", filter],
    queryFn: () => findHistory(filter),
    placeholderData: keepPreviousData,
  });

const useStats = ({ from, to, linkId }: HistoryFilter) =>
  useQuery({
    queryKey: [...HISTORY, "stats", from, to, linkId],
    queryFn: () => findHistoryStats({ from, to, linkId }),
    placeholderData: keepPreviousData,
  });

/** A deleted link has only an id. */
function NamedLink({ filter }: { filter: HistoryFilter }) {
  const { linkId } = filter;
  const link = useQuery({ queryKey: [...LINKS, "name", linkId], queryFn: () => findLink(linkId) });
  return <OneLink id={linkId} url={link.data?.url} filter={filter} />;
}

function Nothing({ filter }: { filter: HistoryFilter }) {
  if (hrefOfHistory(filter) === "/history") {
    return (
      <Empty title="No checks yet">
        <p>Every check of every link will be listed here, with what it found and why.</p>
      </Empty>
    );
  }
  return <NoMatch title="No check matches" href="/history" showAll="Show all checks" />;
}
