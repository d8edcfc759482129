import type { Clock } from "../lib/clock.ts";
import { parseHostList } from "../net/policy.ts";
import { createOutbound, type Outbound } from "../net/request.ts";
import { createResolver } from "../net/resolve.ts";
import type { Config } from "./config.ts";

/** The settings of all outbound requests. */
type OutboundConfig = Pick<
  Config,
  "dnsServers" | "outboundProxy" | "outboundProxyResolves" | "extraCa"
>;

/** Outbound requests of checks: any user's URL, under the policy for checks. */
export const checkOutbound = (
  config: OutboundConfig & Pick<Config, "checkAllowedHosts" | "checkBlockedHosts">,
  clock: Clock,
): Outbound =>
  createOutbound({
    ...sharedOptions(config, clock),
    policy: { allowed: config.checkAllowedHosts, blocked: config.checkBlockedHosts },
    allowedHostsSetting: "STILLUP_CHECK_ALLOWED_HOSTS",
  });

/** Outbound requests of deliveries, under their own policy. */
export const webhookOutbound = (config: Config, clock: Clock): Outbound =>
  createOutbound({
    ...sharedOptions(config, clock),
    policy: { allowed: config.webhookAllowedHosts, blocked: config.webhookBlockedHosts },
    allowedHostsSetting: "STILLUP_WEBHOOK_ALLOWED_HOSTS",
  });

/** Outbound requests of the heartbeat: the operator chose its URL, so any host is allowed. */
export const heartbeatOutbound = (config: Config, clock: Clock): Outbound =>
  createOutbound({
    ...sharedOptions(config, clock),
    policy: { allowed: parseHostList("external,private,loopback"), blocked: parseHostList("") },
    allowedHostsSetting: "STILLUP_HEARTBEAT_URL",
  });

/** Outbound requests to the OpenID provider: the operator chose its issuer, so any host is allowed. */
export const oidcOutbound = (config: OutboundConfig, clock: Clock): Outbound =>
  createOutbound({
    ...sharedOptions(config, clock),
    policy: { allowed: parseHostList("external,private,loopback"), blocked: parseHostList("") },
    allowedHostsSetting: "STILLUP_OIDC_ISSUER",
  });

/**
 * Outbound requests to the registries of domains, over the internet; to those of a list that the operator chose, to any
 * host.
 */
export const registryOutbound = (
  config: OutboundConfig & Pick<Config, "checkBlockedHosts">,
  clock: Clock,
  reach: "external" | "external,private,loopback",
): Outbound =>
  createOutbound({
    ...sharedOptions(config, clock),
    policy: { allowed: parseHostList(reach), blocked: config.checkBlockedHosts },
    allowedHostsSetting: "STILLUP_RDAP_BOOTSTRAP_URL",
  });

/** Outbound requests to archives: the operator chose their URLs, so they may be at any host. */
export const archiveOutbound = (config: OutboundConfig, clock: Clock): Outbound =>
  createOutbound({
    ...sharedOptions(config, clock),
    policy: { allowed: parseHostList("external,private,loopback"), blocked: parseHostList("") },
    allowedHostsSetting: "STILLUP_ARCHIVE_URL",
  });

const sharedOptions = (config: OutboundConfig, clock: Clock) => ({
  clock,
  resolver: createResolver({ clock, servers: config.dnsServers }),
  proxy: config.outboundProxy ?? undefined,
  proxyResolves: config.outboundProxyResolves,
  extraCa: config.extraCa ?? undefined,
});
