import type { Store } from "../db/store.ts";
import type { Clock } from "../lib/clock.ts";
import type { Outbound } from "../net/request.ts";
import { type CheckLink, coalesced } from "./coalesce.ts";
import { checkUrl } from "./confirm.ts";
import type { HostProfiles } from "./context/host-profiles.ts";
import { createRobots } from "./context/robots.ts";
import { unlessCoolingDown } from "./defer.ts";
import type { OwnState } from "./own-fault.ts";
import { createPoliteness, type Politeness } from "./politeness/politeness.ts";
import { type Catalogue, createServices, gapsOf } from "./services/catalogue.ts";

type CheckOptions = OwnState & {
  config: {
    checkConcurrency: number;
    hostConcurrency: number;
    hostGapMs: number;
    checkTimeoutMs: number;
    confirmDelaysMs: number[];
    checkUserAgent: string;
  };
  clock: Clock;
  outbound: Outbound;
  profiles: HostProfiles;
  catalogue: Catalogue;
  /** Keeps what is known of services; without one it lives as long as the program. */
  store?: Store;
  /** Between 0 and 1, like `Math.random`. */
  random: () => number;
  /** Such as others know as well; if not given, they are made. */
  politeness?: Politeness;
};

/** Of all the checks at once: the links of a large site may all change all the time. */
const PATIENT_SHARE = 1 / 4;

/** How much sites are asked, as configured. */
export const createPolitenessFor = ({
  config: { hostConcurrency, hostGapMs },
  clock,
  catalogue,
}: Pick<CheckOptions, "config" | "clock" | "catalogue">): Politeness =>
  createPoliteness({ clock, hostConcurrency, hostGapMs }, gapsOf(catalogue));

/** What checks one link, as configured. Politeness hold across all the checks of one such function. */
export function createCheck(options: CheckOptions): CheckLink {
  const { config, clock, outbound, online, lag, profiles, catalogue, store, random } = options;
  const { checkTimeoutMs, confirmDelaysMs, checkUserAgent } = config;
  const { politeness = createPolitenessFor(options) } = options;
  const checker = {
    clock,
    outbound,
    politeness,
    userAgent: checkUserAgent,
    services: createServices(clock, catalogue, store),
    hostProfiles: profiles,
    robots: createRobots(),
    randomName: () => randomName(random),
    online,
    lag,
    checkTimeoutMs,
    confirmDelaysMs,
    longChecks: { count: 0, most: Math.ceil(config.checkConcurrency * PATIENT_SHARE) },
  };
  const checkLink: CheckLink = (link, signal) =>
    unlessCoolingDown({ politeness, random }, link, () => checkUrl({ ...checker, signal }, link));
  return coalesced({ clock, catalogue, checkLink });
}

const LETTERS = "abcdefghijklmnopqrstuvwxyz";
const NAME_LENGTH = 16;

/** Sixteen letters that name nothing anywhere. */
const randomName = (random: () => number) =>
  Array.from({ length: NAME_LENGTH }, () => LETTERS[Math.floor(random() * LETTERS.length)]).join(
    "",
  );
