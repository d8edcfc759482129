import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/preact-query";
import { useEffect, useRef, useState } from "preact/hooks";
import { useLocation, useRoute } from "preact-iso";
import { EvidenceDetails, EvidencePanel } from "../components/evidence.tsx";
import { CheckProgress, LinkFacts, LinkHead } from "../components/link-head.tsx";
import { BackLink } from "../components/lists.tsx";
import { Loaded } from "../components/states.tsx";
import { statusText } from "../components/status.tsx";
import { useToast } from "../components/toast.tsx";
import { useDirectChange } from "../components/use-change.ts";
import { useTitle } from "../lib/browser.ts";
import { GROUPS, useGroups } from "../lib/groups.ts";
import { changeGroup, findUptime, keyOfLastCheck, linkKey } from "../lib/link.ts";
import { readView } from "../lib/link-view.ts";
import {
  changeFrequency,
  checkNow,
  type Frequency,
  findLink,
  LINKS,
  type LinkDetail,
} from "../lib/links.ts";
import { useCanWrite } from "../lib/session.ts";
import { verdictOf } from "../lib/verdict.ts";
import { DeleteLink } from "./delete-link.tsx";
import { LinkDays, LinkEvents, LinkHistory, LinkTimes } from "./link-history.tsx";

/** Changes arrive as live updates; this is a fallback. */
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
      <BackLink href="/links">All links</BackLink>
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

/** The evidence of the last change, unless the last check shows the same. */
function LastChange({ link: { last_change: change, last_check: last } }: { link: LinkDetail }) {
  if (!change?.evidence || change.checked_at === last?.checked_at) return null;
  return (
    <details class="card">
      <summary>What was seen when it became {statusText(change.status)}</summary>
      <p>{change.message}</p>
      <EvidenceDetails evidence={change.evidence} />
    </details>
  );
}

/** Starts a check and announces its result. */
function useCheckNow(link: LinkDetail) {
  const toast = useToast();
  const client = useQueryClient();
  const isAwaited = useRef(false);
  const isRunning = link.status === "checking";
  useEffect(() => {
    if (isRunning || !isAwaited.current) return;
    isAwaited.current = false;
    const { headline, why } = verdictOf(link, Date.now());
    toast(["Checked.", headline, ...why].join(" "));
  }, [isRunning]);
  return useMutation({
    mutationFn: () => checkNow(link.id),
    onSuccess: () => {
      isAwaited.current = true;
      // Shows the new status without waiting for a refetch.
      client.setQueryData<LinkDetail>(
        linkKey(link.id),
        (known) => known && { ...known, status: "checking" },
      );
    },
    onError: ({ message }) => toast(message),
    onSettled: () => client.invalidateQueries({ queryKey: LINKS }),
  });
}

function LinkAtAGlance({ link }: { link: LinkDetail }) {
  const { data: groups = [] } = useGroups();
  const nameOf = (id: string) => groups.find((group) => group.id === id)?.name ?? id;
  const { group, frequency } = useChanges(link.id, nameOf);
  const uptime = useQuery({
    queryKey: keyOfLastCheck(link.id, link.last_check?.checked_at ?? null, "uptime"),
    queryFn: () => findUptime(link.id),
    placeholderData: keepPreviousData,
  });
  // Shows the new value while it is being saved.
  const shown = {
    ...link,
    ...(group.isPending && { group_id: group.variables || null }),
    ...(frequency.isPending && { check_frequency: frequency.variables }),
  };
  return (
    <LinkFacts
      link={shown}
      groupName={link.group_id && nameOf(link.group_id)}
      uptimePercent={uptime.data?.uptimePercent}
      canWrite={useCanWrite()}
      onFrequency={frequency.mutate}
      onGroup={group.mutate}
    />
  );
}

function useChanges(id: string, nameOf: (groupId: string) => string) {
  const frequency = useDirectChange({
    change: (chosen: Frequency) => changeFrequency(id, chosen),
    said: ({ check_frequency: chosen }) => `Checked ${chosen} from now on.`,
    renews: [LINKS, GROUPS],
  });
  const group = useDirectChange({
    change: (groupId: string) => changeGroup(id, groupId || null),
    said: ({ group_id: groupId }) =>
      groupId ? `Moved to “${nameOf(groupId)}”.` : "Removed from its group.",
    renews: [LINKS, GROUPS],
  });
  return { group, frequency };
}
