import { useState } from "preact/hooks";

/** Selected links, or all that match the filter. */
export type Selection =
  | {
      kind: "some";
      ids: ReadonlySet<string>;
      /** Start of a range: the link selected last. */
      last: string | null;
    }
  | { kind: "all" };

export const NOTHING: Selection = { kind: "some", ids: new Set(), last: null };

/** The selection, until the scope (the filter) changes. */
export function useSelection(scope: string) {
  const [held, setHeld] = useState({ scope, selection: NOTHING });
  const selection = held.scope === scope ? held.selection : NOTHING;
  return [selection, (next: Selection) => setHeld({ scope, selection: next })] as const;
}

export const isPicked = (selection: Selection, id: string) =>
  selection.kind === "all" || selection.ids.has(id);

/** Toggles one link. With "all" selected, the visible links stay selected without this one. */
export function toggled(selection: Selection, shown: string[], id: string): Selection {
  const ids = new Set(selection.kind === "all" ? shown : selection.ids);
  if (!ids.delete(id)) ids.add(id);
  return { kind: "some", ids, last: id };
}

/** Toggles a range, from the last selected link to this one. */
export function toggledTo(selection: Selection, shown: string[], id: string): Selection {
  const one = toggled(selection, shown, id);
  const from = selection.kind === "some" && selection.last ? shown.indexOf(selection.last) : -1;
  if (one.kind === "all" || from < 0) return one;
  const to = shown.indexOf(id);
  const between = shown.slice(Math.min(from, to), Math.max(from, to) + 1);
  return { kind: "some", ids: withAll(one.ids, between, one.ids.has(id)), last: id };
}

/** Toggles all visible links. */
export function toggledPage(selection: Selection, shown: string[]): Selection {
  if (selection.kind === "all") return NOTHING;
  const arePicked = pickedAmong(selection, shown) === "all";
  return { kind: "some", ids: withAll(selection.ids, shown, !arePicked), last: null };
}

/** How many of the visible links are selected. */
export function pickedAmong(selection: Selection, shown: string[]): "none" | "some" | "all" {
  const picked = shown.filter((id) => isPicked(selection, id)).length;
  if (picked === 0) return "none";
  return picked === shown.length ? "all" : "some";
}

export function without(selection: Selection, id: string): Selection {
  return selection.kind === "some" && selection.ids.has(id)
    ? { ...selection, ids: withAll(selection.ids, [id], false) }
    : selection;
}

function withAll(ids: ReadonlySet<string>, those: string[], isIn: boolean): ReadonlySet<string> {
  const all = new Set(ids);
  for (const id of those) {
    if (isIn) all.add(id);
    else all.delete(id);
  }
  return all;
}
