import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/preact-query";
import { LinkFacts } from "../components/link-facts.tsx";
import { useSay } from "../components/said.tsx";
import { GROUPS, useGroups } from "../lib/groups.ts";
import { changeGroup, findUptime, keyOfLastCheck } from "../lib/link.ts";
import { changeFrequency, type Frequency, LINKS, type LinkDetail } from "../lib/links.ts";
import { useCanWrite } from "../lib/session.ts";

/** The facts of a link, of which group and frequency can be changed where they stand. */
export function LinkAtAGlance({ link }: { link: LinkDetail }) {
  const { data: groups = [] } = useGroups();
  const nameOf = (id: string) => groups.find((group) => group.id === id)?.name ?? id;
  const { group, frequency } = useChanges(link.id, nameOf);
  const uptime = useQuery({
    queryKey: keyOfLastCheck(link.id, link.last_check?.checked_at ?? null, "uptime"),
    queryFn: () => findUptime(link.id),
    placeholderData: keepPreviousData,
  });
  // What was chosen stays chosen while it is written down.
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
  const say = useSay();
  const client = useQueryClient();
  const after = {
    onError: ({ message }: Error) => say(message),
    onSettled: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: LINKS }),
        client.invalidateQueries({ queryKey: GROUPS }),
      ]),
  };
  const frequency = useMutation({
    ...after,
    mutationFn: (chosen: Frequency) => changeFrequency(id, chosen),
    onSuccess: ({ check_frequency: chosen }) => say(`Checked ${chosen} from now on.`),
  });
  const group = useMutation({
    ...after,
    mutationFn: (groupId: string) => changeGroup(id, groupId || null),
    onSuccess: ({ group_id: groupId }) =>
      say(groupId ? `Moved to “${nameOf(groupId)}”.` : "It is in no group now."),
  });
  return { group, frequency };
}
