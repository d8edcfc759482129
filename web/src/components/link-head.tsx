import { Archive, RefreshCw, ShieldAlert, Trash2 } from "lucide-preact";
import type { LinkDetail } from "../lib/links.ts";
import { followable } from "../lib/outside.ts";
import { absoluteTime } from "../lib/time.ts";
import { archivedCopyOf, certificateWarning, verdictOf } from "../lib/verdict.ts";
import { OutsideLink } from "./outside-link.tsx";
import { Status } from "./status.tsx";

type LinkHeadProps = {
  link: LinkDetail;
  canWrite: boolean;
  isAsking: boolean;
  onCheck: () => void;
  onDelete: () => void;
};

/** What the link is and why, and what can be done about it. */
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
