import { Archive, RefreshCw, ShieldAlert, Trash2 } from "lucide-preact";
import { useEffect, useState } from "preact/hooks";
import { followable } from "../lib/browser.ts";
import { absoluteTime, lengthText } from "../lib/format.ts";
import { type Frequency, type LinkDetail, useServiceName } from "../lib/links.ts";
import { archivedCopyOf, certificateWarning, verdictOf } from "../lib/verdict.ts";
import { Fact, Moment } from "./elements.tsx";
import { FrequencySelect, GroupSelect } from "./link-selects.tsx";
import { OutsideLink } from "./outside-link.tsx";
import { Status, statusText } from "./status.tsx";

type LinkHeadProps = {
  link: LinkDetail;
  canWrite: boolean;
  isAsking: boolean;
  onCheck: () => void;
  onDelete: () => void;
};

export function LinkHead({ link, ...deeds }: LinkHeadProps) {
  const { status, headline, why, reason } = verdictOf(link, Date.now());
  return (
    <header class="link-head">
      <h1>
        <OutsideLink url={link.url} />
      </h1>
      <div class="verdict">
        <Status of={status} />
        {reason && <code>{reason}</code>}
        <p>
          <strong title={absoluteTime(link.status_changed_at)}>{headline}</strong> {why.join(" ")}
        </p>
      </div>
      <Warning expiresAt={link.evidence?.tls_expires_at ?? null} />
      <Deeds link={link} isDead={status === "dead"} {...deeds} />
    </header>
  );
}

function Warning({ expiresAt }: { expiresAt: string | null }) {
  const warning = certificateWarning(expiresAt, Date.now());
  if (!warning) return null;
  return (
    <p class="notice notice-warn">
      <ShieldAlert aria-hidden="true" />
      {warning}
    </p>
  );
}

type DeedsProps = LinkHeadProps & { isDead: boolean };

function Deeds({ link, canWrite, isDead, isAsking, onCheck, onDelete }: DeedsProps) {
  const hasCopy = isDead && followable(link.url) !== null;
  if (!canWrite && !hasCopy) return null;
  return (
    <div class="deeds">
      {canWrite && (
        <button
          type="button"
          class="primary"
          disabled={isAsking || link.status === "checking"}
          onClick={onCheck}
        >
          <RefreshCw aria-hidden="true" />
          Check now
        </button>
      )}
      {hasCopy && (
        <a
          class="button"
          href={archivedCopyOf(link.url)}
          target="_blank"
          rel="noopener noreferrer nofollow"
        >
          <Archive aria-hidden="true" />
          Newest archived copy
          <span class="unseen">, opens in a new tab</span>
        </a>
      )}
      {canWrite && (
        <button type="button" onClick={onDelete}>
          <Trash2 aria-hidden="true" />
          Delete
        </button>
      )}
    </div>
  );
}

const TICK_MS = 1000;
/** Typical duration of a check with its confirmations. */
const USUAL_S = 30;

/** Keeps its height while no check runs, so that nothing below moves. */
export const CheckProgress = ({ isRunning }: { isRunning: boolean }) => (
  <div class="check-progress">{isRunning && <Running />}</div>
);

function Running() {
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    const began = performance.now();
    const look = () => setSeconds(Math.floor((performance.now() - began) / 1000));
    const timer = setInterval(look, TICK_MS);
    return () => clearInterval(timer);
  }, []);
  return (
    <>
      <progress aria-label="Check under way" />
      <p>
        <span role="status">Checking</span>
        <span>
          : asked {seconds === 0 ? "just now" : `${lengthText(seconds * 1000)} ago`};{" "}
          {seconds < USUAL_S
            ? "up to three attempts"
            : "it takes longer if other checks are queued or the site limits requests"}
        </span>
      </p>
    </>
  );
}

type LinkFactsProps = {
  link: LinkDetail;
  /** Null for none. */
  groupName: string | null;
  /** Of the last 90 days; undefined until loaded, null without conclusive checks. */
  uptimePercent: number | null | undefined;
  canWrite: boolean;
  onFrequency: (frequency: Frequency) => void;
  /** Empty for none. */
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
        {change && <span class="changed">was {statusText(change.previous_status)}</span>}
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

/** A no-break space keeps the place until it is loaded. */
const uptimeText = (percent: number | null | undefined) =>
  percent === undefined ? "\u00a0" : percent === null ? "–" : `${percent} %`;
