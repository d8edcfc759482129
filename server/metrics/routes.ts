import { timingSafeEqual } from "node:crypto";
import { Elysia } from "elysia";
import type { Deps } from "../deps.ts";
import { AppError, noSuchPath } from "../lib/errors.ts";
import { hashToken } from "../lib/token.ts";
import { createReader } from "./read.ts";

const HEADERS = {
  "content-type": "text/plain; version=0.0.4; charset=utf-8",
  "cache-control": "no-store",
};

/** For Prometheus, with a token of its own; without one there is no such page. */
export function metricsRoutes(deps: Deps) {
  const read = createReader(deps);
  return new Elysia({ detail: { hide: true } }).get("/metrics", async ({ request }) => {
    admit(deps, request.headers.get("authorization"));
    return new Response(await read(), { headers: HEADERS });
  });
}

function admit({ config: { metricsToken } }: Deps, header: string | null) {
  if (metricsToken === null) throw noSuchPath();
  const given = /^bearer (.+)$/i.exec(header ?? "")?.[1] ?? "";
  if (isSame(given, metricsToken)) return;
  throw new AppError(
    "UNAUTHORIZED",
    "Send STILLUP_METRICS_TOKEN as `Authorization: Bearer <token>`.",
    undefined,
    { "www-authenticate": 'Bearer realm="metrics"' },
  );
}

/** Of hashes, which are as long as each other whatever was sent. */
const isSame = (a: string, b: string) =>
  timingSafeEqual(Buffer.from(hashToken(a)), Buffer.from(hashToken(b)));
