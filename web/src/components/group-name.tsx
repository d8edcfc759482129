import type { Group } from "../lib/groups.ts";

/** A group as people tell it from others: its colour and its name. */
export const GroupName = ({ group: { name, color } }: { group: Pick<Group, "name" | "color"> }) => (
  <span class="group-name" title={name}>
    <span class="dot" style={{ background: color }} />
    <span>{name}</span>
  </span>
);
