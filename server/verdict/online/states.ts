export const ONLINE_STATES = ["online", "degraded", "offline"] as const;

/** Whether this monitor can reach the internet, as far as its sentinels know. */
export type OnlineState = (typeof ONLINE_STATES)[number];

/** `unknown` before there was any reason to ask, and where nobody is to be asked. */
export const MONITOR_STATES = [...ONLINE_STATES, "unknown"] as const;
