import type { Checker } from "../../server/checker/confirm.ts";
import { createManners } from "../../server/checker/manners/manners.ts";
import { createOnline } from "../../server/checker/online/online.ts";
import { catalogueWith } from "../../server/checker/services/built-in.ts";
import { createServices } from "../../server/checker/services/services.ts";
import { createHostProfiles } from "../../server/checker/surroundings/host-profiles.ts";
import { createRobots } from "../../server/checker/surroundings/robots.ts";
import { movableClock } from "../clock.ts";
import { labOutbound } from "../outbound/lab.ts";

/** A checker on a clock that moves by itself whenever it waits. */
export function labChecker(options: Partial<Checker> = {}) {
  const clock = movableClock("2030-01-01T00:00:00Z", { autoMove: true });
  const checker: Checker = {
    clock,
    outbound: labOutbound({ clock }),
    manners: createManners({ clock, hostConcurrency: 2, hostGapMs: 0 }),
    userAgent: "Stillup/test",
    checkTimeoutMs: 3000,
    confirmDelaysMs: [0, 3000, 12_000],
    services: createServices(clock, catalogueWith([])),
    hostProfiles: createHostProfiles({ clock }),
    robots: createRobots(),
    randomName: () => "qzkxvbnmwrtplkjh",
    online: createOnline({ clock, sentinels: [], ask: async () => true }),
    lag: { worstSince: () => 0 },
    patients: { count: 0, most: 50 },
    ...options,
  };
  return { clock, checker };
}
