import { RefreshCw, Trash2 } from "lucide-preact";
import type { ComponentChildren } from "preact";
import { explain, type Frequency, type LinkDetail } from "../lib/links.ts";
import { useServiceName } from "../lib/services.ts";
import { EvidenceDetails } from "./evidence.tsx";
import { FrequencySelect } from "./frequency-select.tsx";
import { Moment } from "./moment.tsx";
import { OutsideLink } from "./outside-link.tsx";
import { Status } from "./status.tsx";

type LinkHeadProps = {
  link: LinkDetail;
  canWrite: boolean;
  onCheck: () => void;
  onDelete: () => void;
};

export const LinkHead = ({ link, canWrite, onCheck, onDelete }: LinkHeadProps) => (
  <header class="link-head">
    <h1>
      <OutsideLink url={link.url} />
    </h1>
    <div class="verdict">
      <Status of={link.status} />
      <p>{explain(link)}</p>
    </div>
    {canWrite && (
      <div class="deeds">
        <button type="button" disabled={link.status === "checking"} onClick={onCheck}>
          <RefreshCw aria-hidden="true" />
          Check now
        </button>
        <button type="button" onClick={onDelete}>
          <Trash2 aria-hidden="true" />
          Delete
        </button>
      </div>
    )}
  </header>
);

type LinkFactsProps = {
  link: LinkDetail;
  canWrite: boolean;
  onFrequency: (frequency: Frequency) => void;
};

export const LinkFacts = (props: LinkFactsProps) => (
  <>
    <Facts {...props} />
    <LastChange link={props.link} />
  </>
);

/** Why the link has its status, where the last check does not tell. */
function LastChange({ link: { last_change: change, last_check: last } }: { link: LinkDetail }) {
  if (!change?.evidence || change.checked_at === last?.checked_at) return null;
  return (
    <details class="card">
      <summary>What was seen when it became {change.status}</summary>
      <p>{change.message}</p>
      <EvidenceDetails evidence={change.evidence} />
    </details>
  );
}

function Facts({ link, canWrite, onFrequency }: LinkFactsProps) {
  const { last_check: last, last_change: change } = link;
  return (
    <dl class="facts card">
      <Fact name="Last check">{last ? <Moment at={last.checked_at} /> : "none yet"}</Fact>
      <Fact name="Next check">
        {link.status === "checking" ? "now" : <Moment at={link.next_check_at} />}
      </Fact>
      <Fact name="Status since">
        <Moment at={link.status_changed_at} />
        {change && <span class="changed">was {change.previous_status}</span>}
      </Fact>
      <Fact name="Answer">{last?.status_code ?? "–"}</Fact>
      <Fact name="Answered in">
        {last && last.response_time_ms !== null ? `${last.response_time_ms} ms` : "–"}
      </Fact>
      <Fact name="Reason">{link.reason ? <code>{link.reason}</code> : "–"}</Fact>
      <Fact name="Service">{useServiceName(link.service)}</Fact>
      <Fact name="Frequency">
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
    </dl>
  );
}

const Fact = ({ name, children }: { name: string; children: ComponentChildren }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);
