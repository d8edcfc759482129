import { basePathOf, type Config } from "../ground/config/config.ts";
import type { Clock } from "../ground/lib/clock.ts";
import { AppError } from "../ground/lib/errors.ts";
import { belowBase } from "./base-path.ts";
import type { Front } from "./front.ts";
import { addMissing, securityHeaders } from "./headers.ts";
import { healthAtStart, readinessAtStart } from "./health.ts";
import { toStandaloneErrorResponse } from "./reply.ts";

const RETRY_AFTER_S = 3;

/** The front while the database is not open yet. */
export type Starting = {
  front: Front;
  /** @param step what the server is doing, for example "opening the database" */
  setStep(step: string): void;
};

/**
 * Replies that the process is alive and what it is doing, without anything from the database. A browser gets a page
 * that reloads until the dashboard is available.
 */
export function createStarting(config: Config): Starting {
  const headersFor = securityHeaders(config);
  const base = basePathOf(config);
  let step = "opening the database";
  return {
    setStep: (next) => {
      step = next;
    },
    front: belowBase(base, async (request) => {
      const path = URL.canParse(request.url) ? new URL(request.url).pathname : "/";
      const response = answer(path, request, { step, base });
      addMissing(response.headers, headersFor(path));
      return response;
    }),
  };
}

type Shown = { step: string; base: string };

function answer(path: string, request: Request, { step, base }: Shown): Response {
  if (path === "/health") return Response.json(healthAtStart);
  if (path === "/ready") return Response.json(readinessAtStart(step), UNAVAILABLE);
  if (path === STYLE_PATH) return new Response(STYLE, { headers: { "content-type": "text/css" } });
  const wantsPage = request.headers.get("accept")?.includes("text/html") ?? false;
  if (request.method === "GET" && wantsPage) return pageOf({ step, base });
  return toStandaloneErrorResponse(
    new AppError("SERVICE_UNAVAILABLE", `Stillup is starting: ${step}.`, undefined, RETRY),
  );
}

const RETRY = { "retry-after": String(RETRY_AFTER_S), "cache-control": "no-store" };
const UNAVAILABLE = { status: 503, headers: RETRY };

const pageOf = ({ step, base }: Shown) =>
  new Response(PAGE.replace("{step}", Bun.escapeHTML(step)).replace("{base}", base), {
    status: 503,
    headers: {
      ...RETRY,
      refresh: String(RETRY_AFTER_S),
      "content-type": "text/html; charset=utf-8",
    },
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
<link rel="stylesheet" href="{base}${STYLE_PATH}">
<main>
<svg viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="9"/><path d="M7 17h4.2l2.6-7 4.6 12 2.4-5H25"/></svg>
<h1>Stillup is starting</h1>
<p role="status">Now: {step}.</p>
<p>This page opens the dashboard when it is ready. Leave the server running until then.</p>
</main>
`;

/** The wait has short steps, in each of which all connections are read: time also passes while the process is blocked. */
const STEP_MS = 25;
/** Clients that send one request after another have sent the next one within this time. */
const QUIET_STEPS = 6;
const MOST_STEPS = 40;

type GracefulStop = {
  front: Front;
  /**
   * Stops the listener without dropping requests. Closing a connection would drop a request that is on its way, and
   * closing the listener one that is not accepted yet. So every reply waits until the listener is closed, and asks its
   * client to close the connection (RFC 9112 §9.6).
   */
  stop(stopListening: () => Promise<void>): Promise<void>;
};

export function createGracefulStop(front: Front, { sleep }: Pick<Clock, "sleep">): GracefulStop {
  let isStopping = false;
  let received = 0;
  const stopped = Promise.withResolvers<void>();

  async function untilQuiet() {
    let quiet = 0;
    for (let step = 0; step < MOST_STEPS && quiet < QUIET_STEPS; step++) {
      const before = received;
      await sleep(STEP_MS);
      quiet = received === before ? quiet + 1 : 0;
    }
  }

  return {
    async front(request, server) {
      received++;
      const response = await front(request, server);
      if (!isStopping) return response;
      response.headers.set("connection", "close");
      await stopped.promise;
      return response;
    },
    async stop(stopListening) {
      isStopping = true;
      await untilQuiet();
      const stopping = stopListening();
      stopped.resolve();
      await stopping;
    },
  };
}
