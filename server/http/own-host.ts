import ipaddr from "ipaddr.js";
import type { Config } from "../ground/config/config.ts";
import { AppError } from "../ground/lib/errors.ts";

/**
 * An attacker who points a name of their own at this machine could use it from their pages (DNS rebinding),
 * so only the configured name, localhost and addresses are accepted.
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
    `This server is not available under the name ${hostname}. Set STILLUP_PUBLIC_URL to the address that people use.`,
  );
}

/** Our address as the browser knows it: the request line may contain another host than `Host`. */
export function ownUrl(request: Request): URL | null {
  const host = request.headers.get("host");
  return host === null ? new URL(request.url) : URL.parse(`http://${host}`);
}

const isAddress = (hostname: string) => ipaddr.isValid(hostname.replace(/^\[|\]$/g, ""));
