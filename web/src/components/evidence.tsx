import { ExternalLink } from "lucide-preact";
import type { ComponentChildren } from "preact";
import { followable } from "../lib/browser.ts";
import {
  type Attempt,
  delaysOf,
  type Evidence,
  extraReasonOf,
  type Fact,
  factsOf,
  isMoment,
  outcomeOf,
  type Probe,
  placeOf,
  type Redirect,
  remarksOf,
  type Stop,
  stopsOf,
} from "../lib/evidence.ts";
import { Moment } from "./elements.tsx";
import { Fold } from "./lists.tsx";
import { OutsideLink } from "./outside-link.tsx";

const SHOWN = 5;

export const EvidencePanel = ({ evidence }: { evidence: Evidence }) => (
  <section>
    <h2>What the last check saw</h2>
    <div class="card">
      <EvidenceDetails evidence={evidence} />
    </div>
  </section>
);

/** The signals behind the verdict first, then how they were found. */
export function EvidenceDetails({ evidence }: { evidence: Evidence }) {
  const { attempts, redirects, signals, probes } = evidence;
  const remarks = remarksOf(evidence);
  const facts = factsOf(evidence);
  return (
    <div class="evidence">
      {signals.length > 0 && (
        <Part title="Signals">
          <ul>
            <Fold items={signals} most={SHOWN}>
              {({ rule, text }, index) => (
                <li key={index}>
                  {text} <code class="hint">{rule}</code>
                </li>
              )}
            </Fold>
          </ul>
        </Part>
      )}
      {attempts.length > 0 && <Attempts attempts={attempts} />}
      {redirects.length > 0 && (
        <Part title={redirects.length === 1 ? "One redirect" : `${redirects.length} redirects`}>
          <RedirectChain redirects={redirects} finalUrl={evidence.final_url} />
        </Part>
      )}
      {probes.length > 0 && <Probes probes={probes} />}
      {remarks.length > 0 && (
        <Part title="Remarks">
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

/** A timeline. Answers are filled dots, failures hollow ones. */
function Attempts({ attempts }: { attempts: Attempt[] }) {
  const delays = delaysOf(attempts);
  return (
    <Part title={attempts.length === 1 ? "One attempt" : `${attempts.length} attempts`}>
      <ol class="timeline">
        <Fold items={attempts} most={SHOWN}>
          {(attempt, index) => (
            <li key={index} class={`attempt-${attempt.outcome}`}>
              {delays[index] && <span class="delay">{delays[index]}</span>}
              <code>{outcomeOf(attempt)}</code> after {attempt.elapsed_ms} ms
              {attempt.address && ` from ${attempt.address}`}
              {attempt.profile === "B" && ", asked as a browser"}
              {!delays[index] && isMoment(attempt.at) && (
                <>
                  , <Moment at={attempt.at} />
                </>
              )}
              {extraReasonOf(attempt) && <code class="hint"> {extraReasonOf(attempt)}</code>}
              {attempt.detail && <p class="hint">{attempt.detail}</p>}
            </li>
          )}
        </Fold>
      </ol>
    </Part>
  );
}

const Probes = ({ probes }: { probes: Probe[] }) => (
  <Part title="Related requests">
    <ul>
      <Fold items={probes} most={SHOWN}>
        {(probe, index) => (
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
        )}
      </Fold>
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

type RedirectChainProps = { redirects: Redirect[]; finalUrl: string | null };

const STOPS_SHOWN = 5;

function RedirectChain({ redirects, finalUrl }: RedirectChainProps) {
  const urls = [...redirects.map(({ url }) => url), ...(finalUrl === null ? [] : [finalUrl])];
  const stops = stopsOf(urls).map((stop, index) => ({
    stop,
    url: urls[index]!,
    redirect: redirects[index],
  }));
  return (
    <ol class="chain">
      <Fold items={stops} most={STOPS_SHOWN}>
        {({ stop, url, redirect }, index) => (
          <li key={index}>
            <code>{redirect ? redirect.status : "end"}</code>
            <div>
              <StopLink url={url} stop={stop} />
              <p class="hint">
                {[
                  ...(stop.changes ? [stop.changes] : []),
                  ...(redirect?.via === "refresh" ? ["a page that sent on"] : []),
                ].join("; ")}
              </p>
            </div>
          </li>
        )}
      </Fold>
    </ol>
  );
}

function StopLink({ url, stop }: { url: string; stop: Stop }) {
  const href = followable(url);
  const text = stop.pieces.map(({ text, differs }, index) =>
    differs ? <mark key={index}>{text}</mark> : text,
  );
  if (!href) return <span class="url">{text}</span>;
  return (
    <a class="url" href={href} target="_blank" rel="noopener noreferrer nofollow">
      {text}
      <ExternalLink aria-label="opens in a new tab" />
    </a>
  );
}
