import { Columns2, FileText, ShieldAlert } from "lucide-preact";
import { useState } from "preact/hooks";
import { resultOf, type Seen, seenOf, settledStatus } from "../data/evidence.ts";
import { lengthText } from "../data/format.ts";
import type { LinkDetail } from "../data/links.ts";
import { lazyPage } from "../frame/missing.tsx";
import { Button, Seg } from "../ui/button.tsx";
import { Moment } from "../ui/moment.tsx";
import { Sheet } from "../ui/overlay.tsx";
import { Report } from "../ui/report.tsx";
import { State } from "../ui/state.tsx";
import { Url } from "../ui/url.tsx";
import type { Raw } from "./queries.ts";
import { headlineOf, sentencesOf } from "./verdict.ts";

/** With the library that compares words, which few people need. */
const Comparison = lazyPage(() => import("./comparison.tsx"));

/** The verdict with its evidence; one quiet line for a link that is alive, and nothing invented for a new one. */
export function VerdictCard({ link, raw }: { link: LinkDetail; raw: Raw | undefined }) {
  const status = settledStatus(link);
  const seen = seenOf(link);
  if (!link.last_check) return <New link={link} />;
  return (
    <section class={`panel proofcard is-${status}`} aria-labelledby="verdict">
      <div class="stamp">
        <State status={status} />
        <div>
          <h2 id="verdict">{headlineOf(link, Date.now())}</h2>
          {status === "active" ? (
            <Quiet link={link} seen={seen} />
          ) : (
            <p>{sentencesOf(link).filter(Boolean).join(" ")}</p>
          )}
          <Warning expiresAt={link.evidence?.tls_expires_at ?? null} />
        </div>
      </div>
      {seen && status !== "active" && <EvidenceHead link={link} seen={seen} />}
      {seen && <Report seen={seen} title="Evidence" />}
      <Foot raw={raw} isDead={status === "dead"} />
    </section>
  );
}

const New = ({ link }: { link: LinkDetail }) => (
  <section class="panel proofcard is-new" aria-labelledby="verdict">
    <div class="stamp">
      <State status={link.status === "checking" ? "checking" : "waiting"} hidden />
      <div>
        <h2 id="verdict">{headlineOf(link, Date.now())}</h2>
        <p>The result appears here.</p>
      </div>
    </div>
  </section>
);

function Quiet({ link, seen }: { link: LinkDetail; seen: Seen | null }) {
  const last = link.last_check!;
  const isConclusive = last.status === "active";
  return (
    <p>
      Last checked <Moment at={last.checked_at} />
      {isConclusive ? `, ${seen ? resultOf(seen) : last.message}` : ". "}
      {!isConclusive && `The last check was inconclusive: ${last.message}`}
    </p>
  );
}

const WARNED_MS = 14 * 86_400_000;

/** Null unless the certificate expires soon or has expired. */
function certificateWarning(expiresAt: string | null, now: number): string | null {
  // Evidence of any version may contain other text.
  const left = Date.parse(expiresAt ?? "") - now;
  if (Number.isNaN(left) || left > WARNED_MS) return null;
  return left <= 0
    ? "The certificate has expired."
    : `The certificate expires in ${lengthText(left)}.`;
}

function Warning({ expiresAt }: { expiresAt: string | null }) {
  const warning = certificateWarning(expiresAt, Date.now());
  return warning ? (
    <p class="warning">
      <ShieldAlert class="i" aria-hidden="true" /> {warning}
    </p>
  ) : null;
}

const EvidenceHead = ({ link, seen }: { link: LinkDetail; seen: Seen }) => (
  <div class="rep-head">
    <h3>Evidence</h3>
    <Moment at={seen.checkedAt} clock />
    <span class="gap" />
    {link.status === "checking" ? (
      <State status="checking" word />
    ) : (
      <NextCheck at={link.next_check_at} />
    )}
  </div>
);

const NextCheck = ({ at }: { at: string }) =>
  Date.parse(at) <= Date.now() ? (
    <span>Next check is due</span>
  ) : (
    <span>
      Next check <Moment at={at} clock />
    </span>
  );

function Foot({ raw, isDead }: { raw: Raw | undefined; isDead: boolean }) {
  const [open, setOpen] = useState<"raw" | "comparison" | null>(null);
  if (!raw?.alive && !raw?.dead) return null;
  const close = () => setOpen(null);
  return (
    <div class="rep-foot">
      <Button quiet icon={FileText} onClick={() => setOpen("raw")}>
        Raw response
      </Button>
      {isDead && raw.alive && raw.dead && (
        <Button quiet icon={Columns2} onClick={() => setOpen("comparison")}>
          Compare with last alive check
        </Button>
      )}
      {open === "raw" && <RawResponses raw={raw} isDead={isDead} onClose={close} />}
      {open === "comparison" && raw.alive && raw.dead && (
        <Comparison alive={raw.alive} dead={raw.dead} onClose={close} />
      )}
    </div>
  );
}

type Response = NonNullable<Raw["alive"]>;
type RawProps = { raw: Raw; isDead: boolean; onClose: () => void };

const WHICH = [
  { value: "dead", label: "Last dead check" },
  { value: "alive", label: "Last alive check" },
] as const;

/** What the server sent when the link was last dead, and last alive. */
function RawResponses({ raw, isDead, onClose }: RawProps) {
  const [chosen, setChosen] = useState<"dead" | "alive">(isDead ? "dead" : "alive");
  const which = raw[chosen] ? chosen : chosen === "dead" ? "alive" : "dead";
  const response = raw[which];
  return (
    <Sheet title="Raw response" onClose={onClose}>
      {raw.dead && raw.alive && (
        <Seg label="Check" value={which} onChange={setChosen} options={WHICH} />
      )}
      {response && <RawResponse response={response} />}
    </Sheet>
  );
}

const RawResponse = ({ response }: { response: Response }) => (
  <div class="raw">
    <p class="hint">
      <code>{response.status_code}</code> from <Url url={response.final_url} whole />,{" "}
      <Moment at={response.checked_at} clock />
      {response.not_modified && (
        <>
          . Not modified at the check of <Moment at={response.not_modified} clock />
        </>
      )}
    </p>
    <h3>Headers</h3>
    <dl class="headers">
      {response.headers.map(({ name, value }, index) => (
        <div key={index}>
          <dt>{name}</dt>
          <dd>{value ?? <span class="soft">not stored</span>}</dd>
        </div>
      ))}
    </dl>
    {response.text !== null && (
      <>
        <h3>Text</h3>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls */}
        <pre tabIndex={0}>{response.text}</pre>
        {response.truncated && <p class="hint">Only the beginning is stored.</p>}
      </>
    )}
  </div>
);
