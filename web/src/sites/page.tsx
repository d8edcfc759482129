import { ArrowDownUp, ShieldAlert } from "lucide-preact";
import { useLocation } from "preact-iso";
import { Spark } from "../chart/bars.tsx";
import { useIsPhone } from "../data/browser.ts";
import { hrefOf } from "../data/changes.ts";
import { shownHost } from "../data/display-url.ts";
import { counted, lengthText, many, milliseconds } from "../data/format.ts";
import { useCanWrite } from "../data/session.ts";
import { useBar } from "../frame/bar.tsx";
import { useRowKeys } from "../frame/row-keys.ts";
import { useMuteAll } from "../triage/mute-all.tsx";
import { Button, Seg } from "../ui/button.tsx";
import { Empty, Failed, Loading, Skeleton } from "../ui/loaded.tsx";
import { choices, Menu } from "../ui/menu.tsx";
import { Moment } from "../ui/moment.tsx";
import { Heads, Rows } from "../ui/rows.tsx";
import { SearchField } from "../ui/search-field.tsx";
import { State } from "../ui/state.tsx";
import { Proof } from "../ui/trace.tsx";
import {
  type Filter,
  hrefOfSites,
  muteSite,
  readFilter,
  type Site,
  SORTS,
  type Sort,
  useCount,
  useShown,
  useSites,
  type Which,
} from "./queries.ts";
import "./sites.css";

/** Whether one page has died or a whole site. */
export default function SitesPage() {
  useBar({ crumbs: [{ label: "Sites" }] });
  const { query, route } = useLocation();
  const filter = readFilter(query);
  const shown = useShown(filter);
  const show = (change: Partial<Filter>) => route(hrefOfSites({ ...filter, ...change }), true);
  return (
    <div class="list">
      <div class="list-in">
        <Tools filter={filter} onChange={show} />
        <SiteRows key={JSON.stringify(shown)} filter={shown} onSort={(sort) => show({ sort })} />
      </div>
    </div>
  );
}

type ToolsProps = { filter: Filter; onChange: (change: Partial<Filter>) => void };

function Tools({ filter, onChange }: ToolsProps) {
  const all = useCount({ ...filter, which: "all" });
  const dead = useCount({ ...filter, which: "dead" });
  const unknown = useCount({ ...filter, which: "unknown" });
  return (
    <div class="tools">
      <h1 class="unseen">Sites</h1>
      <Seg<Which>
        label="Which"
        value={filter.which}
        onChange={(which) => onChange({ which })}
        options={[
          { value: "all", label: "All", count: all },
          {
            value: "dead",
            label: "With dead links",
            count: dead,
            mark: <State status="dead" hidden />,
          },
          {
            value: "unknown",
            label: "With unknown links",
            count: unknown,
            mark: <State status="unknown" hidden />,
          },
        ]}
      />
      <span class="gap" />
      <SearchField
        label="Search sites"
        value={filter.search}
        isMain
        onSearch={(text) => onChange({ search: text.trim() })}
      />
      <Menu
        label="Sort"
        icon={ArrowDownUp}
        button={<span class="tx">{SORTS[filter.sort]}</span>}
        items={choices(SORTS, filter.sort, (sort) => onChange({ sort }))}
      />
      <Button href="/domains">Domains</Button>
    </div>
  );
}

/** All sites of the filter; each leads to its links. */
function SiteRows({ filter, onSort }: { filter: Filter; onSort: (sort: Sort) => void }) {
  const { route } = useLocation();
  const { total, failed, itemAt, show } = useSites(filter);
  const open = (index: number) => {
    const site = itemAt(index);
    if (site) route(hrefOfSite(site));
  };
  const keys = useRowKeys(total ?? 1, open);
  const canWrite = useCanWrite();
  const mute = useMuteAll(({ site }: Named, until) => muteSite(site, until));
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
      <Rows<Site>
        class="sites"
        label="Sites"
        runs={[{ count: total, height }]}
        head={
          <Heads<Sort>
            names={HEADS}
            times={["Response"]}
            sorts={{ Site: ["site"], Dead: ["-dead"], Links: ["-links"] }}
            sort={filter.sort}
            onSort={onSort}
          />
        }
        itemAt={itemAt}
        onShow={show}
        {...keys}
        attributes={(site, index) => ({
          class: site.dead > 0 ? "r-dead" : "",
          onClick: () => open(index),
        })}
      >
        {(site, index, isHovered) => (
          <>
            <Cells site={site} />
            {canWrite && (isHovered || index === keys.current) && (
              // Around it, the row leads to the site's links.
              // biome-ignore lint/a11y/useKeyWithClickEvents: only keeps a press of the menu from the row
              <span class="acts" role="cell" onClick={(event) => event.stopPropagation()}>
                <Menu
                  label={`More for ${site.site}`}
                  items={mute.items({ ...site, name: site.site })}
                />
              </span>
            )}
          </>
        )}
      </Rows>
      {mute.dialog}
      <p class="listfoot">
        <span>{counted(total, "site")}</span>
        <span>
          A site is a registrable domain. <kbd>Enter</kbd> shows its links.
        </span>
      </p>
    </>
  );
}

type Named = Site & { name: string };

const hrefOfSite = ({ site, dead }: Site) =>
  hrefOf("/links", { site, status: dead > 0 ? "dead" : null });

const HEADS = ["Site", "Dead", "Links", "Most common reason", "Dead links, 30 days"];

const Cells = ({ site: { days, response_ms: ms, ...site } }: { site: Site }) => (
  <>
    <span role="cell" class="s-site">
      <span class="mono-sq" aria-hidden="true">
        {shownHost(site.site).charAt(0).toUpperCase()}
      </span>
      <a href={hrefOfSite(site as Site)} tabIndex={-1}>
        <b title={site.site}>{shownHost(site.site)}</b>
      </a>
      {site.hosts > 1 && <span class="soft">{many(site.hosts)} hosts</span>}
      {site.muted_until && (
        <span class="tagq">
          muted until <Moment at={site.muted_until} day />
        </span>
      )}
      {site.dead > 1 && site.dead === site.links && <span class="tagq d">whole site</span>}
    </span>
    <span role="cell" class="s-dead">
      {site.dead > 0 ? (
        <b>{many(site.dead)}</b>
      ) : (
        site.unknown > 0 && `${many(site.unknown)} unknown`
      )}
    </span>
    <span role="cell" class="s-share">
      <Share {...site} />
      <span>{many(site.links)}</span>
    </span>
    <span role="cell">
      <Reason site={site} />
    </span>
    <span role="cell">
      <Spark values={days} label={sparkText(days)} />
    </span>
    <span role="cell" class="c-t">
      {ms === null ? "–" : milliseconds(ms)}
    </span>
  </>
);

function sparkText(days: (number | null)[]): string {
  const most = Math.max(0, ...days.map((day) => day ?? 0));
  return most === 0
    ? "No dead links in 30 days"
    : `At most ${counted(most, "dead link")} in 30 days`;
}

/** A small share is still visible. */
const LEAST_SHARE = 3;

function Share({ dead, unknown, links }: Pick<Site, "active" | "dead" | "unknown" | "links">) {
  const widthOf = (count: number) =>
    count === 0 ? 0 : Math.max((count / Math.max(links, 1)) * 100, LEAST_SHARE);
  const [red, amber] = [widthOf(dead), widthOf(unknown)];
  const green = Math.max(100 - red - amber, 0);
  return (
    <svg class="share" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
      {green > 0 && <rect class="d-alive" x="0" y="3" width={green} height="2" />}
      {amber > 0 && <rect class="d-unknown" x={green} y="2" width={amber} height="4" />}
      {red > 0 && <rect class="d-dead" x={100 - red} y="0" width={red} height="8" />}
    </svg>
  );
}

const SOON_MS = 30 * 86_400_000;

type ReasonProps = { site: Pick<Site, "top_reason" | "dead" | "expires_at"> };

/** Why links of the site are not alive, or that its certificate expires soon. */
function Reason({ site: { top_reason: top, dead, expires_at: at } }: ReasonProps) {
  if (top) {
    const { reason, cause, stage } = top;
    return <Proof {...{ reason, cause, stage }} status={dead > 0 ? "dead" : "unknown"} />;
  }
  const left = at === null ? Number.POSITIVE_INFINITY : Date.parse(at) - Date.now();
  if (left > SOON_MS) return null;
  return (
    <span class="tagq w">
      <ShieldAlert class="i" aria-hidden="true" />
      {left > 0 ? `Certificate expires in ${lengthText(left)}` : "Certificate has expired"}
    </span>
  );
}

function None({ filter: { search, which } }: { filter: Filter }) {
  if (search || which !== "all") {
    return (
      <Empty title="No matching sites">
        <p>
          <a href="/sites">Show all sites</a>
        </p>
      </Empty>
    );
  }
  return (
    <Empty title="No sites yet">
      <p>The sites of your links appear here.</p>
    </Empty>
  );
}
