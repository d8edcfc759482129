import type { Store } from "../../ground/db/store.ts";

/** An address that a learned rule proposes for a dead link. It is to be requested before it is suggested. */
export type Candidate = {
  url: string;
  patternId: string;
  /** How many links of the account moved like this. */
  pairs: number;
  /** The rule: what the old and the new addresses begin with. */
  from: string;
  to: string;
};

/** Returns what learned rules propose for a dead link, the most specific rule first. */
export async function candidatesOf(
  _store: Store,
  _link: { accountNo: number; url: string; now: number },
): Promise<Candidate[]> {
  return [];
}

/** Counts an address that a rule proposed and that was requested. A rule that only proposes wrong ones rests. */
export async function countTried(
  _tx: Store,
  _tried: { patternId: string; isRight: boolean; now: number },
): Promise<void> {}

/** Has the patterns of a link's site computed, in the transaction in which the link dies. */
export async function notePatternDeath(
  _tx: Store,
  _link: { accountNo: number; url: string; now: number },
): Promise<void> {}

/** Has the patterns of a site computed, since a person put another address in the place of a link. */
export async function noteAccepted(
  _tx: Store,
  _replaced: { accountNo: number; from: string; to: string; now: number },
): Promise<void> {}
