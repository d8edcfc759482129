import { timingSafeEqual } from "node:crypto";
import type { Config } from "../config/config.ts";
import { hashToken } from "../lib/token.ts";

/** Whether the request carries STILLUP_METRICS_TOKEN, where there is one. */
export function hasMetricsToken({ metricsToken }: Config, { headers }: Request): boolean {
  const given = /^bearer (.+)$/i.exec(headers.get("authorization") ?? "")?.[1];
  return metricsToken !== null && given !== undefined && isSame(given, metricsToken);
}

/** Of hashes, which are as long as each other whatever was sent. */
const isSame = (a: string, b: string) =>
  timingSafeEqual(Buffer.from(hashToken(a)), Buffer.from(hashToken(b)));
