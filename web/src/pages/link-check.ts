import { useMutation, useQueryClient } from "@tanstack/preact-query";
import { useEffect, useRef } from "preact/hooks";
import { useSay } from "../components/said.tsx";
import { linkKey } from "../lib/link.ts";
import { checkNow, LINKS, type LinkDetail } from "../lib/links.ts";
import { verdictOf } from "../lib/verdict.ts";

/** Asks for a check, and tells what it found once it is over. */
export function useCheckNow(link: LinkDetail) {
  const say = useSay();
  const client = useQueryClient();
  const isAwaited = useRef(false);
  const isRunning = link.status === "checking";
  useEffect(() => {
    if (isRunning || !isAwaited.current) return;
    isAwaited.current = false;
    const { headline, why } = verdictOf(link, Date.now());
    say(["Checked.", headline, ...why].join(" "));
  }, [isRunning]);
  return useMutation({
    mutationFn: () => checkNow(link.id),
    onSuccess: () => {
      isAwaited.current = true;
      // What the answer says, so that nobody waits for it to be read back.
      client.setQueryData<LinkDetail>(
        linkKey(link.id),
        (known) => known && { ...known, status: "checking" },
      );
    },
    onError: ({ message }) => say(message),
    onSettled: () => client.invalidateQueries({ queryKey: LINKS }),
  });
}
