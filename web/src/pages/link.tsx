import { useQuery } from "@tanstack/preact-query";
import { ChevronLeft } from "lucide-preact";
import { useState } from "preact/hooks";
import { useLocation, useRoute } from "preact-iso";
import { CheckProgress } from "../components/check-progress.tsx";
import { EvidenceDetails, EvidencePanel } from "../components/evidence.tsx";
import { LinkHead } from "../components/link-head.tsx";
import { Loaded } from "../components/states.tsx";
import { linkKey } from "../lib/link.ts";
import { readView } from "../lib/link-view.ts";
import { findLink, type LinkDetail } from "../lib/links.ts";
import { useCanWrite } from "../lib/session.ts";
import { useTitle } from "../lib/title.ts";
import { DeleteLink } from "./delete-link.tsx";
import { useCheckNow } from "./link-check.ts";
import { LinkDays } from "./link-days.tsx";
import { LinkEvents } from "./link-events.tsx";
import { LinkAtAGlance } from "./link-facts.tsx";
import { LinkHistory } from "./link-history.tsx";
import { LinkTimes } from "./link-times.tsx";

/** What happens is told at once; now and then it is looked whether that was missed. */
const PENDING_MS = 10_000;
const OTHERWISE_MS = 60_000;

export function LinkPage() {
  const { id = "" } = useRoute().params;
  const link = useQuery({
    queryKey: linkKey(id),
    queryFn: () => findLink(id),
    refetchInterval: ({ state }) => (state.data?.status === "checking" ? PENDING_MS : OTHERWISE_MS),
  });
  useTitle(link.data?.url ?? "Link");
  return (
    <>
      <p class="back">
        <a href="/links">
          <ChevronLeft aria-hidden="true" />
          All links
        </a>
      </p>
      <Loaded query={link} heading="Link">
        {(found) => <LinkDetails key={found.id} link={found} />}
      </Loaded>
    </>
  );
}

function LinkDetails({ link }: { link: LinkDetail }) {
  const { query, route } = useLocation();
  const canWrite = useCanWrite();
  const [deleting, setDeleting] = useState(false);
  const check = useCheckNow(link);
  const part = {
    id: link.id,
    lastCheckAt: link.last_check?.checked_at ?? null,
    view: readView(query),
  };
  return (
    <article class="link-page">
      <LinkHead
        link={link}
        canWrite={canWrite}
        isAsking={check.isPending}
        onCheck={check.mutate}
        onDelete={() => setDeleting(true)}
      />
      <CheckProgress isRunning={link.status === "checking"} />
      <LinkAtAGlance link={link} />
      <LinkDays {...part} />
      {link.evidence && <EvidencePanel evidence={link.evidence} />}
      <LastChange link={link} />
      <LinkTimes {...part} frequency={link.check_frequency} />
      <LinkHistory {...part} />
      <LinkEvents {...part} />
      {deleting && (
        <DeleteLink
          link={link}
          onClose={() => setDeleting(false)}
          onDeleted={() => route("/links", true)}
        />
      )}
    </article>
  );
}

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
