import type { KnownState, Online, OnlineState } from "../../server/judge/online/online.ts";

/** A guard that says what a test tells it, once it was asked; null has no one to ask. */
export function playedOnline(answer: OnlineState | null, since = 0) {
  let known: KnownState = { state: "unknown" };
  let asked = 0;
  let said = answer;
  const online: Online = {
    confirm: async () => {
      asked += 1;
      if (said === null) return null;
      const report = { state: said, asked_at: "2030-01-01T00:00:00.000Z", sentinels: [] };
      known = { state: said, since, report };
      return report;
    },
    speaksFor: () => true,
    known: () => known,
    noteAnswer: () => {},
    clockIsOff: () => false,
  };
  const says = (next: OnlineState) => {
    said = next;
  };
  return { online, says, asked: () => asked };
}
