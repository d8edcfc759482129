import { useQueryClient } from "@tanstack/preact-query";
import { changeRows, type ListedLink } from "../data/link-rows.ts";
import { LINKS } from "../data/links.ts";
import { type Replacement, replacedText, replaceLink, undoReplacement } from "../data/repair.ts";
import { useUser } from "../data/session.ts";
import { useToast } from "../frame/toast.tsx";
import { watchSince } from "./since.ts";

/** Puts another URL in the place of a link's, says what happened, and takes it back by the opposite request. */
export function useReplacement({ id, url: old }: Pick<ListedLink, "id" | "url">) {
  const client = useQueryClient();
  const toast = useToast();
  const { email } = useUser();
  const show = (url: string) => {
    changeRows(client, [id], { url });
    watchSince({ client, email, say: toast }, [id], () => ({ url }));
  };
  const renew = () => {
    for (const queryKey of [LINKS, ["overview"], ["of-link", id]])
      void client.invalidateQueries({ queryKey });
  };
  return async (by: Replacement) => {
    const done = await replaceLink(id, by).finally(renew);
    const mode = done.mode === "link" ? "link" : "places";
    if (mode === "link") show(done.url);
    const back = () => undoReplacement(id, mode, old).then(() => mode === "link" && show(old));
    toast(replacedText(done), () => back().finally(renew));
  };
}
