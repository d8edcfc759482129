/** A link as the program said that it is. */
type KnownLink = { url: string; frequency: string };

/** What was asked and not answered: it may have been done or not. */
type InDoubt =
  | { did: "create"; url: string; idempotencyKey: string }
  | { did: "upsert"; items: { external_id: string; url: string }[] }
  | { did: "change"; id: string; frequency: string }
  | { did: "delete"; id: string };

/**
 * What clients learned, which has to be true whatever happens to the program afterwards, and what they
 * asked for without getting an answer.
 */
export type Ledger = {
  links: Map<string, KnownLink>;
  gone: Set<string>;
  inDoubt: Set<InDoubt>;
  acknowledged: number;
};

export const newLedger = (): Ledger => ({
  links: new Map(),
  gone: new Set(),
  inDoubt: new Set(),
  acknowledged: 0,
});

/** Links as they are kept, by their id. */
export type KeptLinks = Map<string, KnownLink>;

/** Every way in which what is kept contradicts what clients learned; none if all is well. */
export function contradictions(ledger: Ledger, kept: KeptLinks): string[] {
  const doubted = new Map(
    [...ledger.inDoubt].flatMap((each) => ("id" in each ? [[each.id, each]] : [])),
  );
  const found: string[] = [];
  for (const [id, { url, frequency }] of ledger.links) {
    const [link, doubt] = [kept.get(id), doubted.get(id)];
    if (!link) {
      if (doubt?.did !== "delete") found.push(`${url} is lost`);
    } else if (link.frequency !== frequency) {
      const isAsAsked = doubt?.did === "change" && link.frequency === doubt.frequency;
      if (!isAsAsked) found.push(`${url} is ${link.frequency} instead of ${frequency}`);
    }
  }
  for (const id of ledger.gone) if (kept.has(id)) found.push(`${id} is back`);
  return found;
}

/** Takes what is kept for what clients learned, where they got no answer. */
export function settleDoubts(ledger: Ledger, kept: KeptLinks): void {
  for (const each of ledger.inDoubt) {
    if (each.did === "create" || each.did === "upsert") continue;
    ledger.inDoubt.delete(each);
    const link = kept.get(each.id);
    if (link) ledger.links.set(each.id, link);
    else {
      ledger.links.delete(each.id);
      ledger.gone.add(each.id);
    }
  }
}
