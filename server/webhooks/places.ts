/** Attempts under way at once in one process, … */
export const AT_ONCE = 64;
/** … and for one webhook, so that a receiver which never answers holds up only its own deliveries. */
export const AT_ONCE_PER_WEBHOOK = 4;

/**
 * The places for a webhook of which others hold so many deliveries. One is left in any case: what is held may
 * be what a crash left, and its leases take a minute to run out.
 */
export const shareBeside = (heldElsewhere: number): number =>
  Math.max(1, AT_ONCE_PER_WEBHOOK - heldElsewhere);
