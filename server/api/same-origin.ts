import ipaddr from "ipaddr.js";
import type { Config } from "../config/config.ts";
import { AppError } from "../lib/errors.ts";

const SAFE = ["GET", "HEAD", "OPTIONS"];
const SAME = ["same-origin", "none"];

/**
 * A name that an attacker points at this machine makes a browser treat us as the attacker's own site
 * (DNS rebinding), so only names that nobody else can hold are answered.
 */
export function refuseUnknownHost(
  { publicUrl }: Pick<Config, "publicUrl">,
  request: Request,
): void {
  const hostname = ownUrl(request)?.hostname ?? "";
  if (publicUrl && hostname === new URL(publicUrl).hostname) return;
  if (hostname === "localhost" || isAddress(hostname)) return;
  throw new AppError(
    "FORBIDDEN",
    `The dashboard does not answer to the name ${hostname}. Set STILLUP_PUBLIC_URL to the address that people use.`,
  );
}

/**
 * No other site may act for whoever is signed in. Browsers say where a request comes from in
 * `Sec-Fetch-Site`, or on plain HTTP at least in `Origin`; without either it is refused, since
 * programs have API keys.
 */
export function refuseOtherSites(config: Config, request: Request): void {
  if (SAFE.includes(request.method)) return;
  const site = request.headers.get("sec-fetch-site");
  if (site === null ? isOwnOrigin(config, request) : SAME.includes(site)) return;
  throw new AppError("FORBIDDEN", "This request does not come from the dashboard's own pages.");
}

function isOwnOrigin({ publicUrl }: Config, request: Request): boolean {
  const own = publicUrl ? new URL(publicUrl) : ownUrl(request);
  return own !== null && request.headers.get("origin") === own.origin;
}

/** Our address as the browser knows it: a request line may name another one than `Host`. */
function ownUrl(request: Request): URL | null {
  const host = request.headers.get("host");
  return host === null ? new URL(request.url) : URL.parse(`http://${host}`);
}

const isAddress = (hostname: string) => ipaddr.isValid(hostname.replace(/^\[|\]$/g, ""));
