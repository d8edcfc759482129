import { onTestFinished } from "bun:test";
import type { Clock } from "../../server/ground/lib/clock.ts";
import type { Outbound } from "../../server/ground/net/request.ts";
import type { Checker } from "../../server/judge/confirm.ts";
import { createControls } from "../../server/judge/control.ts";
import { createCheck } from "../../server/judge/create-check.ts";
import { createOnline } from "../../server/judge/online/online.ts";
import { createPoliteness } from "../../server/judge/politeness/politeness.ts";
import { createRobots } from "../../server/judge/robots.ts";
import { createServices } from "../../server/judge/services/ask.ts";
import { catalogueWith } from "../../server/judge/services/records/built-in.ts";
import { createHostProfiles } from "../../server/judge/surroundings.ts";
import { movableClock } from "../clock.ts";
import { labOutbound } from "../outbound/lab.ts";

/** For requests to servers that answer at once, also on a machine that is busy with other things. */
export const AMPLE_MS = 30_000;
/** More would take longer to reserve than a check takes. */
const HOSTS = 100;

/** The site, which stops when the test has ended. */
export function untilTheEnd<S extends { stop(): Promise<void> }>(site: S): S {
  onTestFinished(site.stop);
  return site;
}

/** Shared, since its index takes longer to make than a check takes. */
const BUILT_IN = catalogueWith([]);

/** Whole checks as the program makes them, with nothing known of hosts, and with no one to ask whether it is online. */
export const labCheck = (options: Pick<CheckOptions, "config" | "clock"> & Partial<CheckOptions>) =>
  createCheck({
    outbound: labOutbound(options),
    online: createOnline({ clock: options.clock, sentinels: [], ask: async () => true }),
    lag: { worstSince: () => 0 },
    profiles: createHostProfiles(options),
    catalogue: BUILT_IN,
    random: Math.random,
    ...options,
  });

type CheckOptions = Parameters<typeof createCheck>[0];

/** A checker on a clock that moves on its own whenever it waits. */
export function labChecker(
  options: Partial<Checker> = {},
  outboundWith: (options: { clock: Clock }) => Outbound = labOutbound,
) {
  const clock = movableClock("2030-01-01T00:00:00Z", { autoMove: true });
  const checker: Checker = {
    clock,
    outbound: outboundWith({ clock }),
    politeness: createPoliteness({ clock, hostConcurrency: 2, hostGapMs: 0 }),
    userAgent: "Stillup/test",
    checkTimeoutMs: 3000,
    confirmDelaysMs: [0, 3000, 12_000],
    services: createServices(clock, BUILT_IN),
    hostProfiles: createHostProfiles({ clock, most: HOSTS }),
    robots: createRobots(),
    controls: createControls(HOSTS),
    rules: "of the test",
    randomName: () => "qzkxvbnmwrtplkjh",
    online: createOnline({ clock, sentinels: [], ask: async () => true }),
    lag: { worstSince: () => 0 },
    longChecks: { count: 0, most: 50 },
    ...options,
  };
  return { clock, checker };
}
