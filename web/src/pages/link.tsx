import { useMutation, useQuery, useQueryClient } from "@tanstack/preact-query";
import { ChevronLeft } from "lucide-preact";
import { useState } from "preact/hooks";
import { useLocation, useRoute } from "preact-iso";
import { EvidencePanel } from "../components/evidence.tsx";
import { LinkFacts, LinkHead } from "../components/link-facts.tsx";
import { useSay } from "../components/said.tsx";
import { Loaded } from "../components/states.tsx";
import {
  changeFrequency,
  checkNow,
  type Frequency,
  findLink,
  LINKS,
  type LinkDetail,
  refreshAfter,
} from "../lib/links.ts";
import { useCanWrite } from "../lib/session.ts";
import { useTitle } from "../lib/title.ts";
import { DeleteLink } from "./delete-link.tsx";
import { LinkHistory } from "./link-history.tsx";

export function LinkPage() {
  const { id = "" } = useRoute().params;
  const link = useQuery({
    queryKey: [...LINKS, "one", id],
    queryFn: () => findLink(id),
    refetchInterval: ({ state }) => refreshAfter(state.data && [state.data]),
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
      <Loaded query={link}>{(found) => <LinkDetails link={found} />}</Loaded>
    </>
  );
}

function LinkDetails({ link }: { link: LinkDetail }) {
  const { route } = useLocation();
  const canWrite = useCanWrite();
  const [deleting, setDeleting] = useState(false);
  const { check, change } = useChanges(link.id);
  return (
    <article>
      <LinkHead
        link={link}
        canWrite={canWrite}
        onCheck={check.mutate}
        onDelete={() => setDeleting(true)}
      />
      <LinkFacts link={link} canWrite={canWrite} onFrequency={change.mutate} />
      {link.evidence && <EvidencePanel evidence={link.evidence} />}
      <LinkHistory id={link.id} lastCheckAt={link.last_check?.checked_at ?? null} />
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

function useChanges(id: string) {
  const say = useSay();
  const client = useQueryClient();
  const after = {
    onError: ({ message }: Error) => say(message),
    onSettled: () => client.invalidateQueries({ queryKey: LINKS }),
  };
  const check = useMutation({
    ...after,
    mutationFn: () => checkNow(id),
    onSuccess: ({ message }) => say(message),
  });
  const change = useMutation({
    ...after,
    mutationFn: (frequency: Frequency) => changeFrequency(id, frequency),
    onSuccess: ({ check_frequency: frequency }) => say(`Checked ${frequency} from now on.`),
  });
  return { check, change };
}
