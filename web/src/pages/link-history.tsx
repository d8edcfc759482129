import { keepPreviousData, useQuery } from "@tanstack/preact-query";
import { useLocation } from "preact-iso";
import { HistoryTable } from "../components/history-table.tsx";
import { Pager } from "../components/pager.tsx";
import { Loaded } from "../components/states.tsx";
import { pageIn } from "../lib/filter.ts";
import { LINKS, listChecks } from "../lib/links.ts";

/** @param lastCheckAt makes the list look again when the link has been checked */
export function LinkHistory({ id, lastCheckAt }: { id: string; lastCheckAt: string | null }) {
  const page = pageIn(useLocation().query);
  const checks = useQuery({
    queryKey: [...LINKS, "checks", id, page, lastCheckAt],
    queryFn: () => listChecks(id, page),
    placeholderData: keepPreviousData,
  });
  return (
    <section>
      <h2>History</h2>
      <Loaded query={checks}>
        {({ items, pagination }) =>
          pagination.total === 0 ? (
            <p class="hint">Every check will be listed here. There was none yet.</p>
          ) : (
            <>
              <HistoryTable checks={items} />
              <Pager
                pagination={pagination}
                what="checks"
                hrefOf={(next) => `/links/${id}${next > 1 ? `?page=${next}` : ""}`}
              />
            </>
          )
        }
      </Loaded>
    </section>
  );
}
