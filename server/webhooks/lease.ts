/** How long an attempt may take before it counts as interrupted, and its delivery is due again. */
export const LEASE_MS = 60_000;
