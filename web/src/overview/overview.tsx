import { type UseQueryResult, useQuery } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import { ErrorBoundary, useLocation } from "preact-iso";
import { hrefOf } from "../data/changes.ts";
import { OVERVIEW, type Overview } from "../data/counts.ts";
import { many } from "../data/format.ts";
import { useUser } from "../data/session.ts";
import { useBar } from "../frame/bar.tsx";
import { lazyPage } from "../frame/missing.tsx";
import { Seg } from "../ui/button.tsx";
import { Failed, Loaded, Skeleton } from "../ui/loaded.tsx";
import { Moment } from "../ui/moment.tsx";
import { Heading } from "../ui/section.tsx";
import { NeedsAttention, NoCauses, OtherPages, Reasons } from "./causes.tsx";
import { Figures, hasPlaces, Where, Why } from "./figures.tsx";
import { ComingUp, Footing, Latest } from "./latest.tsx";
import {
  PERIODS,
  type Period,
  useBackups,
  useCauses,
  useDeadSites,
  useFirstChecks,
  useLatestChanges,
  useSeries,
  useUpcoming,
} from "./queries.ts";
import {
  type FirstDay,
  isFirstDay,
  PERIOD_NAMES,
  periodsOf,
  sentenceOf,
  uncheckedIn,
} from "./words.ts";
import "./overview.css";

/** Only for an account without links. */
const NoLinks = lazyPage(() => import("./first.tsx"));

/** Whether anything is wrong, whether it is new, and what to do first. */
export default function OverviewPage() {
  useBar({ crumbs: [{ label: "Overview" }] });
  const overview = useQuery(OVERVIEW);
  const period = readPeriod(useLocation().query);
  const parts = useParts(period);
  const isReady = overview.data?.counts.total === 0 || parts.isReady;
  return (
    <div class="pad">
      <Loaded
        query={isReady || overview.error ? overview : NOT_YET}
        skeleton={<Shape />}
        heading="Overview"
      >
        {(known) =>
          known.counts.total === 0 ? (
            <ErrorBoundary>
              <NoLinks />
            </ErrorBoundary>
          ) : (
            <Known overview={known} period={period} parts={parts} />
          )
        }
      </Loaded>
    </div>
  );
}

const NOT_YET: Pick<UseQueryResult<Overview, Error>, "data" | "error" | "refetch"> = {
  data: undefined,
  error: null,
  refetch: () => Promise.reject(),
};

const readPeriod = ({ days }: Record<string, string>): Period =>
  PERIODS.find((period) => period === days) ?? "90";

/** The queries of all parts, which are shown together, so that nothing moves; each may fail alone. */
function useParts(period: Period) {
  const [most, setMost] = useState(FEW_CAUSES);
  const series = useSeries(period);
  const causes = useCauses(most);
  const changes = useLatestChanges();
  const upcoming = useUpcoming();
  const sites = useDeadSites();
  const backups = useBackups(useUser().is_admin);
  const isFirst = isFirstDay(series.data);
  const firstChecks = useFirstChecks(isFirst);
  const all = [series, causes, changes, upcoming, sites, ...(isFirst ? [firstChecks] : [])];
  const isReady = all.every(({ isPending }) => !isPending);
  // The last verdict is the end of the first checks only until a later one differs.
  const isUnchanged = changes.data?.items.length === 0;
  const checkedInMs = (isUnchanged && firstChecks.data) || null;
  const first: FirstDay = { isFirst, checkedInMs };
  const showAll = () => setMost(100);
  return { series, causes, changes, upcoming, sites, backups, first, isReady, showAll };
}

const FEW_CAUSES = 6;

type Parts = ReturnType<typeof useParts>;
function Known({ overview, period, parts }: { overview: Overview; period: Period; parts: Parts }) {
  const { series, causes, changes, upcoming, sites, backups } = parts;
  const { counts, since } = overview;
  // Once something is handled, there is more to say than what the first checks found.
  const isFirst = parts.first.isFirst && counts.attention === counts.dead;
  const first = { ...parts.first, isFirst };
  return (
    <>
      <Lead overview={overview} period={period} first={first} periods={periodsOf(series.data)} />
      <Figures {...{ overview, period }} series={series.data} causes={causes.data} />
      {series.error && !series.data && <Failed error={series.error} onRetry={series.refetch} />}
      <div class="cols">
        <div>
          <Loaded query={causes}>
            {(known) =>
              known.items.length === 0 ? (
                <NoCauses changes={changes.data?.items} isDone={uncheckedIn(overview) === 0} />
              ) : isFirst ? (
                <Reasons dead={overview.dead} unknown={overview.unknown} />
              ) : (
                <NeedsAttention causes={known} count={counts.attention} onAll={parts.showAll} />
              )
            }
          </Loaded>
          <OtherPages pages={overview.pages} />
          {counts.dead + counts.unknown > 0 && !isFirst && (
            <div class="halves">
              {hasPlaces(sites.data, overview) && (
                <Where sites={sites} groups={overview.groups.items} />
              )}
              <Why overview={overview} />
            </div>
          )}
        </div>
        <aside>
          <Loaded query={changes}>
            {({ items }) => <Latest entries={items} lastVisit={since?.at ?? null} />}
          </Loaded>
          <Loaded query={upcoming}>{(known) => <ComingUp upcoming={known} />}</Loaded>
        </aside>
      </div>
      <Footing overview={overview} backups={backups.data} />
    </>
  );
}

type LeadProps = { overview: Overview; period: Period; first: FirstDay; periods: Period[] };

function Lead({ overview, period, first, periods }: LeadProps) {
  const { route } = useLocation();
  const unchecked = uncheckedIn(overview);
  const title = sentenceOf(overview, first);
  const choice = periods.length > 1 && (
    <Seg
      label="Time"
      value={periods.includes(period) ? period : periods.at(-1)!}
      onChange={(days) => route(hrefOf("/", { days: days === "90" ? null : days }), true)}
      options={periods.map((value) => ({ value, label: PERIOD_NAMES[value] }))}
    />
  );
  const isChecking = unchecked > 0 && !title.startsWith("Checking");
  return (
    <Heading title={title} action={choice}>
      {(overview.since || isChecking) && (
        <>
          <Since since={overview.since} />
          {isChecking &&
            ` ${many(unchecked)} new ${unchecked === 1 ? "link is" : "links are"} being checked.`}
        </>
      )}
    </Heading>
  );
}

/** Each number leads to these changes. */
function Since({ since }: Pick<Overview, "since">) {
  if (!since) return null;
  const { at, died, came_back, became_unknown } = since;
  const parts = [
    { kind: "died", text: "died", count: died },
    { kind: "came_back", text: "came back", count: came_back },
    { kind: "became_unknown", text: "became unknown", count: became_unknown },
  ].filter(({ count }) => count > 0);
  const visit = (
    <>
      your last visit, <Moment at={at} clock />
    </>
  );
  if (parts.length === 0) return <>No changes since {visit}.</>;
  return (
    <>
      Since {visit}:{" "}
      {parts.map(({ kind, text, count }, n) => (
        <>
          {n > 0 && ", "}
          <a href={hrefOf("/changes", { kind })}>
            {many(count)} {text}
          </a>
        </>
      ))}
      .
    </>
  );
}

/** The shape of the page while it loads. */
const Shape = () => (
  <>
    <Skeleton lines={2} />
    <div class="panel hero shape" />
    <Skeleton />
  </>
);
