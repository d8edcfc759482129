import { counted, many } from "./counted.ts";
import type { Overview } from "./overview.ts";

type Told = Pick<Overview, "counts" | "dead" | "unknown">;

/** How the links are: what matters first, and then the rest. */
type Headline = { state: "good" | "bad" | "unsure"; title: string; rest: string };

export function headlineOf({ counts, dead, unknown }: Told): Headline {
  const unchecked = unknown.items.find(({ reason }) => reason === null)?.count ?? 0;
  const unclear = Math.max(counts.unknown - unchecked, 0);
  const others = unknown.isWhole
    ? othersOf(unclear, unchecked)
    : `${many(counts.unknown)} are unknown or wait for their first check.`;
  if (dead.total > 0) {
    const title = `${counted(dead.total, "link")} ${dead.total === 1 ? "is" : "are"} dead`;
    const rest = others || (dead.total === counts.total ? "" : "Everything else answers.");
    return { state: "bad", title, rest: joined(newlyDead(dead), rest) };
  }
  if (unclear > 0) return { state: "unsure", title: "No link is dead", rest: others };
  if (unchecked > 0) {
    const title = unchecked === counts.total ? "The first checks are under way" : "No link is dead";
    return { state: "unsure", title, rest: others };
  }
  return { state: "good", title: "All is well", rest: allAnswer(counts.total) };
}

const allAnswer = (total: number) =>
  total === 1 ? "Your link answers." : `All ${many(total)} links answer.`;

/** Which of them nobody may have seen yet. */
function newlyDead({ total, newInDay }: Overview["dead"]): string {
  if (newInDay === 0) return "";
  if (newInDay >= total)
    return total === 1 ? "It died today." : "All of them died within 24 hours.";
  return `${many(newInDay)} of them died within 24 hours.`;
}

function othersOf(unclear: number, unchecked: number): string {
  const isOne = unclear === 1;
  return joined(
    unclear > 0 &&
      `${many(unclear)} ${isOne ? "is" : "are"} unknown: ${isOne ? "it" : "they"} may be alive or dead.`,
    unchecked > 0 &&
      `${many(unchecked)} ${unchecked === 1 ? "waits for its" : "wait for their"} first check.`,
  );
}

const joined = (...sentences: (string | false)[]) => sentences.filter(Boolean).join(" ");
