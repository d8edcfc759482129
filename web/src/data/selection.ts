import { useState } from "preact/hooks";
import type { ListedLink } from "./link-rows.ts";

/** Links by their ids, with what is needed to undo a change of them; or all that match the filter. */
export type Selection =
  | {
      kind: "some";
      links: ReadonlyMap<string, ListedLink>;
      /** Where a range begins: the index of the link selected last. */
      last: number | null;
    }
  | { kind: "all" };

export const NOTHING: Selection = { kind: "some", links: new Map(), last: null };

/** Above it, links are selected by the filter only. */
export const MOST_NAMED = 1000;

/** The selection, until the scope (the filter) changes. */
export function useSelection(scope: string) {
  const [held, setHeld] = useState({ scope, selection: NOTHING });
  const selection = held.scope === scope ? held.selection : NOTHING;
  return [selection, (next: Selection) => setHeld({ scope, selection: next })] as const;
}

export const isPicked = (selection: Selection, id: string) =>
  selection.kind === "all" || selection.links.has(id);

export const sizeOf = (selection: Selection, total: number) =>
  selection.kind === "all" ? total : selection.links.size;

/** Toggles one link. With all selected, only this one stays selected. */
export function toggled(selection: Selection, link: ListedLink, index: number): Selection {
  const links = new Map(selection.kind === "all" ? [] : selection.links);
  if (!links.delete(link.id)) links.set(link.id, link);
  return { kind: "some", links, last: index };
}

/** Selects a range, in addition. */
export function withRange(selection: Selection, range: ListedLink[], last: number): Selection {
  const links = new Map(selection.kind === "all" ? [] : selection.links);
  for (const link of range) links.set(link.id, link);
  return { kind: "some", links, last };
}

/** Without links that are gone. */
export function without(selection: Selection, ids: readonly string[]): Selection {
  if (selection.kind === "all") return selection;
  const links = new Map(selection.links);
  for (const id of ids) links.delete(id);
  return { ...selection, links };
}
