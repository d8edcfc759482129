/** How long a check may take before it counts as died: its link is due again, and no longer "checking". */
export const LEASE_MS = 120_000;
