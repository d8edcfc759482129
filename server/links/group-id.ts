import { parseId } from "../lib/ids.ts";

/** The group that an input names, even if the rest of it is wrong. */
export function groupIdIn(input: unknown): string | null {
  const id = (input as { group_id?: unknown } | null)?.group_id;
  return typeof id === "string" ? parseId(id) : null;
}
