import { toLastResort } from "../api/errors.ts";
import type { RouteTable } from "../api/route-table.ts";
import type { Config } from "../config/config.ts";
import type { Clock } from "../lib/clock.ts";
import { AppError } from "../lib/errors.ts";
import type { Front } from "./front.ts";
import { securityHeaders } from "./headers.ts";
import { healthAtStart, readinessAtStart } from "./health.ts";

/** Until then nobody need ask again, in seconds. */
const AGAIN_S = 3;

/** What answers while the database is not open yet. */
export type Starting = {
  front: Front;
  /** Says what is going on, for whoever asks. */
  tell(doing: string): void;
};

/**
 * Answers that the process is alive and what it is doing: nothing of any account, and nothing that would
 * need the database. A browser gets a page that loads itself again until the dashboard is there.
 */
export function createStarting(config: Config): Starting {
  const headersFor = securityHeaders(config);
  let doing = "opening the database";
  return {
    tell: (next) => {
      doing = next;
    },
    front: async (request) => {
      const path = URL.canParse(request.url) ? new URL(request.url).pathname : "/";
      const response = answer(path, request, doing);
      headersFor(path).forEach((value, name) => {
        if (!response.headers.has(name)) response.headers.set(name, value);
      });
      return response;
    },
  };
}

function answer(path: string, request: Request, doing: string): Response {
  if (path === "/health") return Response.json(healthAtStart);
  if (path === "/ready") return Response.json(readinessAtStart(doing), UNAVAILABLE);
  if (path === STYLE_PATH) return new Response(STYLE, { headers: { "content-type": "text/css" } });
  const wantsPage = request.headers.get("accept")?.includes("text/html") ?? false;
  if (request.method === "GET" && wantsPage) return pageOf(doing);
  return toLastResort(
    new AppError("SERVICE_UNAVAILABLE", `Stillup is starting: ${doing}.`, undefined, AGAIN),
  );
}

const AGAIN = { "retry-after": String(AGAIN_S), "cache-control": "no-store" };
const UNAVAILABLE = { status: 503, headers: AGAIN };

const pageOf = (doing: string) =>
  new Response(PAGE.replace("{doing}", Bun.escapeHTML(doing)), {
    status: 503,
    headers: { ...AGAIN, refresh: String(AGAIN_S), "content-type": "text/html; charset=utf-8" },
  });

const STYLE_PATH = "/starting.css";
const STYLE = `
:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }
body { display: grid; place-content: center; min-height: 100vh; margin: 0; padding: 1.5rem; box-sizing: border-box;
  background: light-dark(#f6f7f6, #111514); color: light-dark(#16201d, #e8eeec); }
main { max-width: 34rem; }
svg { width: 2.5rem; fill: #0f766e; }
path { fill: none; stroke: #fff; stroke-width: 2.6; stroke-linecap: round; stroke-linejoin: round; }
h1 { margin: 0.75rem 0 0.5rem; font-size: 1.5rem; line-height: 1.25; letter-spacing: -0.015em; }
p { margin: 0.25rem 0; overflow-wrap: anywhere; }
p + p { margin-top: 1rem; color: light-dark(#56625f, #9fadaa); font-size: 0.875rem; }
`;
const PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Stillup is starting</title>
<link rel="stylesheet" href="${STYLE_PATH}">
<main>
<svg viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="9"/><path d="M7 17h4.2l2.6-7 4.6 12 2.4-5H25"/></svg>
<h1>Stillup is starting</h1>
<p role="status">Now: {doing}.</p>
<p>This page shows the dashboard as soon as it is there. Leave the server running meanwhile.</p>
</main>
`;

/** For a node without the role `api`: lets through what it has a route for, and says of all else where it is. */
export function withoutApi(config: Config, front: Front, table: RouteTable): Front {
  const headersFor = securityHeaders(config);
  return async (request, server) => {
    const path = URL.canParse(request.url) ? new URL(request.url).pathname : "/";
    if (table.methodsOf(path).length > 0) return front(request, server);
    const response = toLastResort(elsewhere(config));
    headersFor(path).forEach((value, name) => {
      response.headers.set(name, value);
    });
    return response;
  };
}

const elsewhere = ({ role }: Config) =>
  new AppError(
    "NOT_FOUND",
    `This node has no role but ${role.join(" and ")}. Ask one that has the role api.`,
  );

/** Waited in steps, after each of which every connection was looked at: time alone passes while we are held up. */
const STEP_MS = 25;
/** Nobody has asked for so long: whoever asks again and again has asked by then, and waits. */
const QUIET_STEPS = 6;
const MOST_STEPS = 40;

/** A front that can take its leave. */
type Farewell = {
  front: Front;
  /**
   * Stops without cutting anybody off. A connection that ends while the next request is on its way would do so,
   * and so would the end of the listener for whoever was not accepted yet. So every reply waits until the listener
   * is gone, and asks its client not to come again over the same connection (RFC 9112 §9.6).
   */
  takeLeave(stop: () => Promise<void>): Promise<void>;
};

export function createFarewell(front: Front, { sleep }: Pick<Clock, "sleep">): Farewell {
  let isLeaving = false;
  let asked = 0;
  const gone = Promise.withResolvers<void>();

  async function untilQuiet() {
    let quiet = 0;
    for (let step = 0; step < MOST_STEPS && quiet < QUIET_STEPS; step++) {
      const before = asked;
      await sleep(STEP_MS);
      quiet = asked === before ? quiet + 1 : 0;
    }
  }

  return {
    async front(request, server) {
      asked++;
      const response = await front(request, server);
      if (!isLeaving) return response;
      response.headers.set("connection", "close");
      await gone.promise;
      return response;
    },
    async takeLeave(stop) {
      isLeaving = true;
      await untilQuiet();
      const stopped = stop();
      gone.resolve();
      await stopped;
    },
  };
}
