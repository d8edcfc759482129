import type { Config } from "../config.ts";
import type { Clock } from "../lib/clock.ts";
import type { Outbound } from "../outbound/request.ts";
import { checkUrl } from "./confirm.ts";
import { type CheckLink, coalesced } from "./manners/coalesce.ts";
import { unlessResting } from "./manners/defer.ts";
import { createManners } from "./manners/manners.ts";
import type { OwnState } from "./online/own-fault.ts";
import { type Catalogue, gapsOf } from "./services/catalogue.ts";
import { createServices } from "./services/services.ts";
import type { HostProfiles } from "./surroundings/host-profiles.ts";
import { createRobots } from "./surroundings/robots.ts";

type CheckOptions = OwnState & {
  config: Pick<
    Config,
    | "checkConcurrency"
    | "hostConcurrency"
    | "hostGapMs"
    | "checkTimeoutMs"
    | "confirmDelaysMs"
    | "checkUserAgent"
  >;
  clock: Clock;
  outbound: Outbound;
  profiles: HostProfiles;
  catalogue: Catalogue;
  /** Between 0 and 1, like `Math.random`. */
  random: () => number;
};

/** Of all the checks at once: the links of a large site may all change all the time. */
const PATIENT_SHARE = 1 / 4;

/** What checks one link, as configured. Manners hold across all the checks of one such function. */
export function createCheck(options: CheckOptions): CheckLink {
  const { config, clock, outbound, online, lag, profiles, catalogue, random } = options;
  const { hostConcurrency, hostGapMs, checkTimeoutMs, confirmDelaysMs, checkUserAgent } = config;
  const manners = createManners({ clock, hostConcurrency, hostGapMs }, gapsOf(catalogue));
  const checker = {
    clock,
    outbound,
    manners,
    userAgent: checkUserAgent,
    services: createServices(clock, catalogue),
    hostProfiles: profiles,
    robots: createRobots(),
    randomName: () => nameFrom(random),
    online,
    lag,
    checkTimeoutMs,
    confirmDelaysMs,
    patients: { count: 0, most: Math.ceil(config.checkConcurrency * PATIENT_SHARE) },
  };
  const check: CheckLink = (link, signal) =>
    unlessResting({ manners, random }, link, () => checkUrl({ ...checker, signal }, link));
  return coalesced({ clock, catalogue, check });
}

const LETTERS = "abcdefghijklmnopqrstuvwxyz";
const NAME_LENGTH = 16;

/** Sixteen letters that name nothing anywhere. */
const nameFrom = (random: () => number) =>
  Array.from({ length: NAME_LENGTH }, () => LETTERS[Math.floor(random() * LETTERS.length)]).join(
    "",
  );
