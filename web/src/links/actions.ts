import { useQueryClient } from "@tanstack/preact-query";
import { type Change, changeNamed, checkingText, sentenceOf, startChecks } from "../data/bulk.ts";
import { counted } from "../data/format.ts";
import { changeRows, type ListedLink } from "../data/link-rows.ts";
import { checkNow } from "../data/links.ts";
import { useUser } from "../data/session.ts";
import type { TriageChange } from "../data/triage.ts";
import { useHold, useToast } from "../frame/toast.tsx";

type Updated = { ids: string[]; change: Change };

/** What can be done with named links. Each is done at once, and can be taken back where that is possible. */
export function useLinkActions() {
  const client = useQueryClient();
  const toast = useToast();
  const hold = useHold();
  const { email } = useUser();
  const complain = ({ message }: Error) => toast(message);
  /** Queries of groups and counts; rows are patched. */
  const renew = (ids: string[]) => {
    for (const topic of ["groups", "overview"])
      void client.invalidateQueries({ queryKey: [topic] });
    for (const id of ids) void client.invalidateQueries({ queryKey: ["links", "one", id] });
  };
  // Not part of the first view.
  const watch = async (ids: string[], { after }: TriageChange) => {
    const at = Date.now();
    const { watchSince } = await import("../triage/since.ts");
    watchSince({ client, email, say: toast }, ids, after, at);
  };
  const apply = async ({ ids, change }: Updated) => {
    const step = await changeNamed(change, ids);
    changeRows(client, ids, rowChangeOf(change));
    if (change.kind === "triage" && step.failed === 0) void watch(ids, change);
    renew(ids);
    if (change.kind === "triage" && change.decision.add_tags)
      void client.invalidateQueries({ queryKey: ["links", "tags"] });
    return step;
  };
  return {
    async check(links: ListedLink[]) {
      const ids = links.map(({ id }) => id);
      const start =
        ids.length === 1
          ? checkNow(ids[0]!).then(() => [])
          : startChecks({ kind: "ids", ids }).then(({ failures }) => failures);
      const putBack = (some: ListedLink[]) => {
        for (const { id, status } of some) changeRows(client, [id], { status });
      };
      changeRows(client, ids, { status: "checking" });
      await start.then(
        (failures) => {
          putBack(links.filter((link) => failures.some(({ id }) => id === link.id)));
          toast(checkingText(links.length, failures));
        },
        (error: Error) => {
          putBack(links);
          complain(error);
        },
      );
      renew(ids);
    },
    async change(links: ListedLink[], change: Exclude<Change, { kind: "delete" }>) {
      const ids = links.map(({ id }) => id);
      const undo = async () => Promise.all((await opposites(links, change)).map(apply));
      await apply({ ids, change }).then(({ done, unchanged, failed, reasons }) => {
        const also =
          failed > 0 ? ` ${counted(failed, "link")} could not be changed: ${reasons[0]}` : "";
        if (done === 0 && failed === 0) toast(`${counted(unchanged, "link")} needed no change.`);
        else toast(sentenceOf(change, done) + also, undo);
      }, complain);
    },
    remove(links: ListedLink[]) {
      const ids = links.map(({ id }) => id);
      const send = () =>
        changeNamed({ kind: "delete" }, ids).then(({ failed, reasons }) => {
          changeRows(client, ids, { isGone: true });
          renew([]);
          if (failed > 0) toast(`${counted(failed, "link")} could not be deleted: ${reasons[0]}`);
        }, complain);
      hold(ids, sentenceOf({ kind: "delete" }, ids.length), send);
    },
  };
}

function rowChangeOf(change: Change) {
  if (change.kind === "triage") return change.after;
  if (change.kind === "move") return { group_id: change.group?.id ?? null };
  return change.kind === "frequency" ? { check_frequency: change.frequency } : { isGone: true };
}

/** Requests that bring back what each link had before. */
async function opposites(links: ListedLink[], change: Change): Promise<Updated[]> {
  // Not part of the first view.
  if (change.kind === "triage")
    return (await import("../triage/decisions.ts")).oppositesOf(links, change);
  if (change.kind === "move") {
    const byGroup = Map.groupBy(links, ({ group_id }) => group_id);
    return [...byGroup].map(([id, some]) => ({
      ids: some.map((link) => link.id),
      change: { kind: "move", group: id === null ? null : { id, name: "" } },
    }));
  }
  const byFrequency = Map.groupBy(links, ({ check_frequency }) => check_frequency);
  return [...byFrequency].map(([frequency, some]) => ({
    ids: some.map((link) => link.id),
    change: { kind: "frequency", frequency },
  }));
}
