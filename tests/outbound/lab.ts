import { systemClock } from "../../server/ground/lib/clock.ts";
import type { OutboundOptions } from "../../server/ground/net/exchange.ts";
import { parseHostList } from "../../server/ground/net/policy.ts";
import { createOutbound } from "../../server/ground/net/request.ts";
import type { Resolution, Resolver } from "../../server/ground/net/resolve.ts";
import { TEST_CA } from "../site.ts";

/** A name service that knows the given names; every other name does not exist. */
export function playedResolver(
  names: Record<string, string[] | (Resolution & { ok: false })["reason"]>,
): Resolver {
  const resolve = async (name: string): Promise<Resolution> => {
    const known = names[name] ?? "dns_nxdomain";
    return typeof known === "string"
      ? { ok: false, reason: known }
      : { ok: true, addresses: known };
  };
  return {
    resolve,
    askEach: async (name) => [await resolve(name)],
    isChosen: false,
    namesOf: async () => null,
    answersFor: async (all) => all.some((name) => typeof names[name] === "object"),
  };
}

/** Outbound requests that may reach this machine and trust the tests' authority. `site.test` leads here. */
export const labOutbound = (options: Partial<OutboundOptions> = {}) =>
  createOutbound({
    clock: systemClock,
    resolver: playedResolver({ "site.test": ["127.0.0.1"], "other.test": ["127.0.0.1"] }),
    policy: { allowed: parseHostList("external,loopback"), blocked: parseHostList("") },
    allowedHostsSetting: "STILLUP_CHECK_ALLOWED_HOSTS",
    extraCa: TEST_CA,
    ...options,
  });

/** The same for sites without TLS only, since to read all authorities takes longer than a check. */
export const plainOutbound = ({ clock }: Pick<OutboundOptions, "clock">) =>
  labOutbound({ clock, extraCa: undefined });
