import { useQueryClient } from "@tanstack/preact-query";
import { changeNamed, sentenceOf } from "../data/bulk.ts";
import { changeRows, type ListedLink } from "../data/link-rows.ts";
import { LINKS } from "../data/links.ts";
import { useUser } from "../data/session.ts";
import type { TriageChange } from "../data/triage.ts";
import { useToast } from "../frame/toast.tsx";
import { oppositesOf } from "./decisions.ts";
import { watchSince } from "./since.ts";

/** Carries a decision about one link out at once, says so, and takes it back by the opposite one. */
export function useTriage(link: ListedLink) {
  const client = useQueryClient();
  const toast = useToast();
  const { email } = useUser();
  const apply = async (change: TriageChange) => {
    await changeNamed(change, [link.id]);
    changeRows(client, [link.id], change.after);
    watchSince({ client, email, say: toast }, [link.id], change.after);
    await client.invalidateQueries({ queryKey: LINKS });
    void client.invalidateQueries({ queryKey: ["overview"] });
    void client.invalidateQueries({ queryKey: ["of-link", link.id] });
  };
  const undo = (change: TriageChange) => () =>
    Promise.all(oppositesOf([link], change).map((back) => apply(back.change)));
  return (change: TriageChange) =>
    apply(change).then(
      () => toast(sentenceOf(change, 1), undo(change)),
      ({ message }: Error) => toast(message),
    );
}
