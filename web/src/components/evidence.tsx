import type { ComponentChildren } from "preact";
import {
  type Attempt,
  type Evidence,
  type Fact,
  factsOf,
  isMoment,
  outcomeOf,
  type Probe,
  placeOf,
  type Redirect,
  remarksOf,
} from "../lib/evidence.ts";
import { Moment } from "./moment.tsx";
import { OutsideLink } from "./outside-link.tsx";

/** Why the last check came to its verdict, so that anyone can judge it. */
export const EvidencePanel = ({ evidence }: { evidence: Evidence }) => (
  <section>
    <h2>What the last check saw</h2>
    <div class="card">
      <EvidenceDetails evidence={evidence} />
    </div>
  </section>
);

/** What one check saw: what spoke for its verdict first, then how it was found. */
export function EvidenceDetails({ evidence }: { evidence: Evidence }) {
  const { attempts, redirects, signals, probes } = evidence;
  const remarks = remarksOf(evidence);
  const facts = factsOf(evidence);
  return (
    <div class="evidence">
      {signals.length > 0 && (
        <Part title="What spoke for it">
          <ul>
            {signals.map(({ rule, text }, index) => (
              <li key={index}>
                {text} <code class="hint">{rule}</code>
              </li>
            ))}
          </ul>
        </Part>
      )}
      {attempts.length > 0 && <Attempts attempts={attempts} />}
      {redirects.length > 0 && <Redirects redirects={redirects} />}
      {probes.length > 0 && <Probes probes={probes} />}
      {remarks.length > 0 && (
        <Part title="Good to know">
          <ul>
            {remarks.map((remark, index) => (
              <li key={index}>{remark}</li>
            ))}
          </ul>
        </Part>
      )}
      {facts.length > 0 && <Facts facts={facts} />}
    </div>
  );
}

const Part = ({ title, children }: { title: string; children: ComponentChildren }) => (
  <>
    <h3>{title}</h3>
    {children}
  </>
);

const Attempts = ({ attempts }: { attempts: Attempt[] }) => (
  <Part title={attempts.length === 1 ? "One attempt" : `${attempts.length} attempts`}>
    <ol>
      {attempts.map((attempt, index) => (
        <li key={index}>
          <code>{outcomeOf(attempt)}</code> after {attempt.elapsed_ms} ms
          {attempt.address && ` from ${attempt.address}`}
          {attempt.profile === "B" && ", asked as a browser"}
          {isMoment(attempt.at) && (
            <>
              , <Moment at={attempt.at} />
            </>
          )}
          {attempt.detail && <p class="hint">{attempt.detail}</p>}
        </li>
      ))}
    </ol>
  </Part>
);

const Redirects = ({ redirects }: { redirects: Redirect[] }) => (
  <Part title="Redirects">
    <ol>
      {redirects.map(({ url, status, via }, index) => (
        <li key={index}>
          <code>{status}</code> <OutsideLink url={url} />
          {via === "refresh" && <span class="hint">, a page that sent on</span>}
        </li>
      ))}
    </ol>
  </Part>
);

const Probes = ({ probes }: { probes: Probe[] }) => (
  <Part title="Asked around it">
    <ul>
      {probes.map((probe, index) => (
        <li key={index}>
          {placeOf(probe)}: <code>{probe.status ?? probe.reason}</code>
          {probe.final_url ? (
            <>
              , which led to <OutsideLink url={probe.final_url} />
            </>
          ) : (
            <p class="hint url">{probe.url}</p>
          )}
        </li>
      ))}
    </ul>
  </Part>
);

const Facts = ({ facts }: { facts: Fact[] }) => (
  <dl>
    {facts.map((fact) => (
      <div key={fact.name}>
        <dt>{fact.name}</dt>
        <dd>{shown(fact)}</dd>
      </div>
    ))}
  </dl>
);

function shown({ kind, value }: Fact) {
  if (kind === "moment") return <Moment at={value} />;
  if (kind === "url") return <OutsideLink url={value} />;
  return kind === "code" ? <code>{value}</code> : value;
}
