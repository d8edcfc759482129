import { useLocation } from "preact-iso";
import { ActivityFilters, ActivityList } from "../components/activity.tsx";
import { NoMatch, Pager } from "../components/lists.tsx";
import { Empty, Loaded } from "../components/states.tsx";
import {
  type ActivityFilter,
  hrefOfActivity,
  isNarrowed,
  readActivityFilter,
  useActivity,
} from "../lib/activity.ts";
import { useTitle } from "../lib/browser.ts";
import { useUser } from "../lib/session.ts";

export function ActivityPage() {
  useTitle("Activity");
  const { query, route } = useLocation();
  const { is_admin: canSeeAll } = useUser();
  const given = readActivityFilter(query);
  const filter = { ...given, all: given.all && canSeeAll };
  const entries = useActivity(filter);
  const [first] = entries.data?.items ?? [];
  return (
    <>
      <header class="page-head">
        <h1>Activity</h1>
      </header>
      <p class="lead">
        Who changed what, and from where. Entries are kept for a year and cannot be changed.
      </p>
      <ActivityFilters
        filter={filter}
        canSeeAll={canSeeAll}
        actorName={first && first.actor.id === filter.actor ? first.actor.name : null}
        onChange={(next) => route(hrefOfActivity(next), true)}
      />
      <Loaded query={entries}>
        {({ items, pagination }) => (
          <>
            {items.length > 0 ? (
              <ActivityList
                entries={items}
                hrefOfActor={(actor) => hrefOfActivity({ ...filter, actor, page: 1 })}
              />
            ) : (
              <Nothing filter={filter} />
            )}
            {pagination.total > 0 && (
              <Pager
                pagination={pagination}
                what="changes"
                hrefOf={(page) => hrefOfActivity({ ...filter, page })}
              />
            )}
          </>
        )}
      </Loaded>
    </>
  );
}

function Nothing({ filter }: { filter: ActivityFilter }) {
  if (!isNarrowed(filter) && filter.page === 1) {
    return (
      <Empty title="No changes yet">
        <p>Every change is listed here, whether made in the dashboard or with an API key.</p>
      </Empty>
    );
  }
  return (
    <NoMatch
      title="No entry matches"
      href={filter.all ? "/activity?all=true" : "/activity"}
      showAll="Show all activity"
    />
  );
}
