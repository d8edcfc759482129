import { Plus } from "lucide-preact";
import { useLocation } from "preact-iso";
import { Charts, CheckerState, GroupBars, ServiceBars } from "../components/overview-figures.tsx";
import {
  Attention,
  BackupNotice,
  OverviewHead,
  SwitchedOff,
} from "../components/overview-summary.tsx";
import { Empty, Loaded } from "../components/states.tsx";
import { useBackups } from "../lib/admin.ts";
import { useTitle } from "../lib/browser.ts";
import {
  type Overview,
  readSpan,
  useOverview,
  useSeries,
  useServiceCounts,
} from "../lib/overview.ts";
import { useCanWrite, useUser } from "../lib/session.ts";

export function OverviewPage() {
  useTitle("Overview");
  const overview = useOverview();
  return (
    <Loaded query={overview}>
      {(known) => (known.counts.total === 0 ? <NoLinks /> : <Known overview={known} />)}
    </Loaded>
  );
}

function Known({ overview }: { overview: Overview }) {
  const span = readSpan(useLocation().query);
  const series = useSeries(span);
  const services = useServiceCounts();
  return (
    <div class="overview">
      <OverviewHead overview={overview} />
      <Backups />
      <SwitchedOff webhooks={overview.webhooks} />
      <Attention overview={overview} />
      <Charts span={span} series={series} />
      <div class="overview-shares">
        <ServiceBars query={services} />
        <GroupBars groups={overview.groups} />
      </div>
      <CheckerState checker={overview.checker} webhooks={overview.webhooks} />
    </div>
  );
}

/** Administrators see here that backups fail. */
function Backups() {
  const { data } = useBackups(useUser().is_admin);
  return data?.problem ? <BackupNotice problem={data.problem} /> : null;
}

const NoLinks = () => (
  <>
    <h1>Overview</h1>
    <Empty title="Nothing is monitored yet">
      <p>
        Add the URLs you care about, one or thousands. Stillup checks each of them at once, and then
        as often as you say. Here you will see what is dead, and why.
      </p>
      {useCanWrite() && (
        <a class="button primary" href="/links/new">
          <Plus aria-hidden="true" />
          Add links
        </a>
      )}
    </Empty>
  </>
);
