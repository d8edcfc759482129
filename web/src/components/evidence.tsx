import { type Attempt, readEvidence } from "../lib/evidence.ts";
import { Moment } from "./moment.tsx";
import { OutsideLink } from "./outside-link.tsx";

/** Why the last check came to its verdict, so that anyone can judge it. */
export function EvidencePanel({ evidence }: { evidence: Record<string, unknown> }) {
  const { attempts, redirects, facts } = readEvidence(evidence);
  return (
    <section>
      <h2>What the last check saw</h2>
      <div class="card evidence">
        {attempts.length > 0 && <Attempts attempts={attempts} />}
        {redirects.length > 0 && <Redirects redirects={redirects} />}
        {facts.length > 0 && (
          <dl>
            {facts.map(({ name, value }) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{readable(value)}</dd>
              </div>
            ))}
          </dl>
        )}
      </div>
    </section>
  );
}

const Attempts = ({ attempts }: { attempts: Attempt[] }) => (
  <>
    <h3>{attempts.length === 1 ? "One attempt" : `${attempts.length} attempts`}</h3>
    <ol>
      {attempts.map(({ at, outcome, detail, elapsedMs, address }, index) => (
        <li key={index}>
          <code>{outcome}</code>
          <span>
            {elapsedMs !== null && `after ${elapsedMs} ms`}
            {address && ` from ${address}`}
            {at && (
              <>
                , <Moment at={at} />
              </>
            )}
          </span>
          {detail && <p class="hint">{detail}</p>}
        </li>
      ))}
    </ol>
  </>
);

const Redirects = ({ redirects }: { redirects: { url: string; status: number | null }[] }) => (
  <>
    <h3>Redirects</h3>
    <ol>
      {redirects.map(({ url, status }, index) => (
        <li key={index}>
          {status !== null && <code>{status}</code>} <OutsideLink url={url} />
        </li>
      ))}
    </ol>
  </>
);

const ISO = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

function readable(value: string) {
  if (ISO.test(value)) return <Moment at={value} />;
  return /^https?:/i.test(value) ? <OutsideLink url={value} /> : value;
}
