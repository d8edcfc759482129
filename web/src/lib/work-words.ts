import type { Deed } from "./bulk.ts";
import { reachedOf, type Work } from "./bulk-work.ts";
import { counted } from "./counted.ts";

/** "Deleting links", while it goes on. */
export function doingWords(deed: Deed): string {
  if (deed.kind === "delete") return "Deleting links";
  if (deed.kind === "frequency") return `Changing links to ${deed.frequency} checks`;
  return deed.group ? `Moving links to ${deed.group.name}` : "Taking links out of their groups";
}

/** "2,100 links were deleted.", and what is to be known besides. */
export function doneWords(work: Work): string {
  const { reached, total } = reachedOf(work);
  const done = `${counted(work.done, "link")} ${work.done === 1 ? "was" : "were"} ${didWords(work.deed)}.`;
  return [
    done,
    work.unchanged > 0 && `${counted(work.unchanged, "link")} needed no change.`,
    work.failed > 0 && `${counted(work.failed, "link")} could not be changed.`,
    work.state !== "finished" && `${(total - reached).toLocaleString("en")} are as they were.`,
  ]
    .filter(Boolean)
    .join(" ");
}

function didWords(deed: Deed): string {
  if (deed.kind === "delete") return "deleted";
  if (deed.kind === "frequency") return `set to ${deed.frequency} checks`;
  return deed.group ? `moved to ${deed.group.name}` : "taken out of their groups";
}
