import { keepPreviousData, useQuery } from "@tanstack/preact-query";
import { useLocation } from "preact-iso";
import { HistoryFilters } from "../components/history-filters.tsx";
import { HistoryTable } from "../components/history-table.tsx";
import { Pager } from "../components/pager.tsx";
import { Loaded } from "../components/states.tsx";
import { keyOfLastCheck, listChecks } from "../lib/link.ts";
import { hrefOfView, isNarrowed, type LinkView } from "../lib/link-view.ts";

/** `lastCheckAt` makes a part look again when the link has been checked. */
export type LinkPartProps = { id: string; lastCheckAt: string | null; view: LinkView };

/** The id of the place on the page. */
export const HISTORY = "history";

export function LinkHistory({ id, lastCheckAt, view }: LinkPartProps) {
  const { route } = useLocation();
  const { status, changed, from, to, page } = view;
  const checks = useQuery({
    queryKey: keyOfLastCheck(id, lastCheckAt, "checks", { status, changed, from, to, page }),
    queryFn: () => listChecks(id, view),
    placeholderData: keepPreviousData,
  });
  return (
    <section id={HISTORY}>
      <h2>History</h2>
      <HistoryFilters
        view={view}
        hrefOf={(next) => hrefOfView(id, next)}
        onChange={(next) => route(hrefOfView(id, next), true)}
      />
      <Loaded query={checks}>
        {({ items, pagination }) =>
          pagination.total === 0 ? (
            <Nothing view={view} all={hrefOfView(id, { ...view, ...EVERYTHING })} />
          ) : (
            <>
              <HistoryTable checks={items} />
              <Pager
                pagination={pagination}
                what="checks"
                hrefOf={(next) => hrefOfView(id, { ...view, page: next })}
              />
            </>
          )
        }
      </Loaded>
    </section>
  );
}

const EVERYTHING = { status: undefined, changed: false, from: "", to: "", page: 1 };

const Nothing = ({ view, all }: { view: LinkView; all: string }) =>
  isNarrowed(view) ? (
    <p class="hint">
      No check fits. <a href={all}>Show all checks</a>
    </p>
  ) : (
    <p class="hint">Every check will be listed here. There was none yet.</p>
  );
