import type { Item } from "../../../../server/links/imports/item.ts";
import { api, ask } from "../api.ts";
import type { Frequency } from "../links.ts";
import { type Ledger, outcomeAt, partFrom, settle } from "./ledger.ts";
import type { Pace } from "./pace.ts";

/**
 * Asks of every waiting item what would become of it. Goes on where it was stopped.
 * @throws RequestFailed; what is settled until then stays so
 */
export async function judgeAll(ledger: Ledger, pace: Pace): Promise<void> {
  const total = ledger.items.length;
  for (let start = 0; start < total; ) {
    const { indexes, next } = partFrom(ledger, start, (i) => isToAsk(ledger, i));
    if (indexes.length > 0) await judgePart(ledger, indexes);
    start = next;
    await pace.rest(start / total);
  }
}

/** The server sees one part at a time: what came in an earlier one is known here. */
function isToAsk(ledger: Ledger, index: number): boolean {
  if (outcomeAt(ledger, index) !== "waiting") return false;
  const { url, problem } = ledger.items[index]!;
  if (problem) {
    settle(ledger, index, "refused", problem);
    return false;
  }
  const first = ledger.firsts.get(URL.parse(url)?.href ?? url);
  if (first !== undefined) settle(ledger, index, "twice", first);
  return first === undefined;
}

async function judgePart(ledger: Ledger, indexes: number[]) {
  const links = indexes.map((i) => toLink(ledger.items[i]!));
  const already = ledger.counts.new;
  const { results } = await ask(api.links.preview.post({ links, already }));
  for (const result of results) {
    const index = indexes[result.index]!;
    if (result.status === "failed") settleFailure(ledger, indexes, index, result.error);
    else {
      const isOther = result.url !== ledger.items[index]!.url;
      settle(ledger, index, "new", isOther ? result.url : undefined);
      ledger.firsts.set(result.url, index);
    }
  }
}

/** A frequency is sent as it was found, so that the server says what is wrong with it. */
export const toLink = ({ url, frequency }: Item) => ({
  url,
  ...(frequency && { check_frequency: frequency as Frequency }),
});

type ItemError = { message: string; details?: Record<string, unknown> | undefined };

/** @param indexes those of the part, in whose order the server counts */
export function settleFailure(
  ledger: Ledger,
  indexes: number[],
  index: number,
  { message, details = {} }: ItemError,
) {
  const { reason, existingId, firstIndex } = details;
  if (typeof existingId === "string") settle(ledger, index, "known", existingId);
  else if (typeof firstIndex === "number") settle(ledger, index, "twice", indexes[firstIndex]);
  else if (reason === "limit_reached") settle(ledger, index, "limit", message);
  else settle(ledger, index, "refused", reasonOf(message, details.fields));
}

const NAMES: Record<string, string> = {
  url: "The URL",
  check_frequency: "The frequency",
  group_id: "The group:",
};

/** The server's problems are parts of sentences that begin with the name of a field. */
function reasonOf(message: string, fields: unknown): string {
  const entries = Object.entries((fields ?? {}) as Record<string, string[]>);
  if (entries.length === 0) return message;
  return entries
    .map(([name, problems]) => `${NAMES[name] ?? name} ${problems.join(", ")}.`)
    .join(" ");
}
