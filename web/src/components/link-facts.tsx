import type { ComponentChildren } from "preact";
import type { Frequency, LinkDetail } from "../lib/links.ts";
import { useServiceName } from "../lib/services.ts";
import { FrequencySelect } from "./frequency-select.tsx";
import { GroupSelect } from "./group-select.tsx";
import { Moment } from "./moment.tsx";

type LinkFactsProps = {
  link: LinkDetail;
  /** The name of the link's group; null where it has none. */
  groupName: string | null;
  /** Of the last 90 days; undefined while it is not known, null when no check could tell. */
  uptimePercent: number | null | undefined;
  canWrite: boolean;
  onFrequency: (frequency: Frequency) => void;
  /** An id; empty for none. */
  onGroup: (groupId: string) => void;
};

export function LinkFacts({ link, uptimePercent, ...changes }: LinkFactsProps) {
  const { last_check: last, last_change: change } = link;
  return (
    <dl class="facts card">
      <Fact name="Last check">{last ? <Moment at={last.checked_at} /> : "none yet"}</Fact>
      <Fact name="Next check">
        <NextCheck link={link} />
      </Fact>
      <Fact name="Status since">
        <Moment at={link.status_changed_at} />
        {change && <span class="changed">was {change.previous_status}</span>}
      </Fact>
      <Fact name="Uptime, 90 days">{uptimeText(uptimePercent)}</Fact>
      <Fact name="Answer">{last?.status_code ?? "–"}</Fact>
      <Fact name="Answered in">
        {last && last.response_time_ms !== null ? `${last.response_time_ms} ms` : "–"}
      </Fact>
      <Fact name="Service">{useServiceName(link.service)}</Fact>
      <Fact name="Added">
        <Moment at={link.created_at} />
      </Fact>
      <Choices link={link} {...changes} />
    </dl>
  );
}

function NextCheck({ link }: { link: LinkDetail }) {
  if (link.status === "checking") return "now";
  const isDue = Date.parse(link.next_check_at) <= Date.now();
  return isDue ? "due now" : <Moment at={link.next_check_at} />;
}

type ChoicesProps = Pick<
  LinkFactsProps,
  "link" | "groupName" | "canWrite" | "onFrequency" | "onGroup"
>;

const Choices = ({ link, groupName, canWrite, onFrequency, onGroup }: ChoicesProps) => (
  <>
    <Fact name="Group">
      {canWrite ? (
        <GroupSelect
          aria-label="Group"
          none="No group"
          chosen={link.group_id ?? ""}
          onChange={(event) => onGroup(event.currentTarget.value)}
        />
      ) : (
        (groupName ?? "none")
      )}
    </Fact>
    <Fact name="Checked">
      {canWrite ? (
        <FrequencySelect
          aria-label="Check frequency"
          chosen={link.check_frequency}
          onChange={(event) => onFrequency(event.currentTarget.value as Frequency)}
        />
      ) : (
        link.check_frequency
      )}
    </Fact>
  </>
);

/** While it is not known a blank keeps its place. */
const uptimeText = (percent: number | null | undefined) =>
  percent === undefined ? "\u00a0" : percent === null ? "–" : `${percent} %`;

const Fact = ({ name, children }: { name: string; children: ComponentChildren }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);
