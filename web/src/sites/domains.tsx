import { useLocation } from "preact-iso";
import { useIsPhone } from "../data/browser.ts";
import { hrefOf } from "../data/changes.ts";
import { counted, many } from "../data/format.ts";
import { useBar } from "../frame/bar.tsx";
import { useRowKeys } from "../frame/row-keys.ts";
import { Seg } from "../ui/button.tsx";
import { Empty, Failed, Loading, Skeleton } from "../ui/loaded.tsx";
import { Moment } from "../ui/moment.tsx";
import { Heads, Rows } from "../ui/rows.tsx";
import { SearchField } from "../ui/search-field.tsx";
import {
  type Domain,
  type DomainFilter,
  EXPIRING_DAYS,
  hrefOfDomains,
  readDomainFilter,
  useDomainCount,
  useDomains,
} from "./queries.ts";
import "./sites.css";

/** When the domains of links were registered, and when they expire. */
export default function DomainsPage() {
  useBar({ crumbs: [{ label: "Sites", href: "/sites" }, { label: "Domains" }] });
  const { query, route } = useLocation();
  const filter = readDomainFilter(query);
  const show = (change: Partial<DomainFilter>) =>
    route(hrefOfDomains({ ...filter, ...change }), true);
  return (
    <div class="list">
      <div class="list-in">
        <div class="tools">
          <h1 class="unseen">Domains</h1>
          <Seg<"all" | "expiring">
            label="Which"
            value={filter.isExpiring ? "expiring" : "all"}
            onChange={(which) => show({ isExpiring: which === "expiring" })}
            options={[
              { value: "all", label: "All", count: useCountOf(filter, false) },
              {
                value: "expiring",
                label: `Expiring in ${EXPIRING_DAYS} days`,
                count: useCountOf(filter, true),
              },
            ]}
          />
          <span class="gap" />
          <SearchField
            label="Search domains"
            value={filter.search}
            isMain
            onSearch={(text) => show({ search: text.trim() })}
          />
        </div>
        <DomainRows key={JSON.stringify(filter)} filter={filter} />
      </div>
    </div>
  );
}

const useCountOf = (filter: DomainFilter, isExpiring: boolean) =>
  useDomainCount({ ...filter, isExpiring });

/** All domains of the filter; each leads to its links. */
function DomainRows({ filter }: { filter: DomainFilter }) {
  const { route } = useLocation();
  const { total, failed, itemAt, show } = useDomains(filter);
  const open = (index: number) => {
    const domain = itemAt(index);
    if (domain) route(hrefOfLinks(domain));
  };
  const keys = useRowKeys(total ?? 1, open);
  const height = useIsPhone() ? 64 : 44;
  if (failed && total === null) return <Failed error={failed.error} onRetry={failed.retry} />;
  if (total === null) {
    return (
      <Loading>
        <Skeleton lines={12} />
      </Loading>
    );
  }
  if (total === 0) return <None filter={filter} />;
  return (
    <>
      <Rows<Domain>
        class="domains"
        label="Domains"
        runs={[{ count: total, height }]}
        head={<Heads names={["Domain", "Expires", "Registered", "Links"]} times={[]} />}
        itemAt={itemAt}
        onShow={show}
        {...keys}
        attributes={(_, index) => ({ onClick: () => open(index) })}
      >
        {(domain) => <Cells domain={domain} />}
      </Rows>
      <p class="listfoot">
        <span>{counted(total, "domain")}</span>
        <span>Their registries are asked once a week.</span>
      </p>
    </>
  );
}

const hrefOfLinks = ({ name }: Domain) => hrefOf("/links", { search: name });

const STATES = {
  unasked: "Not asked yet",
  known: "Date unknown",
  absent: "Not registered",
  not_available: "Registry cannot be asked",
};

const Cells = ({ domain }: { domain: Domain }) => (
  <>
    <span role="cell" class="s-site">
      <span class="mono-sq" aria-hidden="true">
        {domain.name.charAt(0).toUpperCase()}
      </span>
      <a href={hrefOfLinks(domain)} tabIndex={-1}>
        {domain.name}
      </a>
    </span>
    <span role="cell">
      {domain.expires_at ? (
        <>
          <span class="phone-only">Expires </span>
          <Moment at={domain.expires_at} day />
        </>
      ) : (
        <span class="soft">{STATES[domain.state]}</span>
      )}
    </span>
    <span role="cell">{domain.registered_at ? <Moment at={domain.registered_at} day /> : "–"}</span>
    <span role="cell">{many(domain.links)}</span>
  </>
);

const None = ({ filter: { search, isExpiring } }: { filter: DomainFilter }) =>
  search || isExpiring ? (
    <Empty title="No matching domains">
      <p>
        <a href="/domains">Show all domains</a>
      </p>
    </Empty>
  ) : (
    <Empty title="No domains yet">
      <p>The domains of links that are alive appear here.</p>
    </Empty>
  );
