import type { Config } from "../ground/config/config.ts";

const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  // Previews of mail.
  "frame-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join("; ");
const ANSWER_POLICY = "default-src 'none'; frame-ancestors 'none'";

const EVERYWHERE = {
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Permissions-Policy": "",
};
const ANSWERS = {
  ...EVERYWHERE,
  "Content-Security-Policy": ANSWER_POLICY,
  "Cache-Control": "no-store",
};
const PAGES = { ...EVERYWHERE, "Content-Security-Policy": PAGE_POLICY };
const HSTS = { "Strict-Transport-Security": "max-age=31536000" };

/** Returns the headers that every reply has unless it sets its own. */
export function securityHeaders({ publicUrl }: Config): (path: string) => Headers {
  const hsts = publicUrl?.startsWith("https:") ? HSTS : {};
  const answers = new Headers({ ...ANSWERS, ...hsts });
  const pages = new Headers({ ...PAGES, ...hsts });
  return (path) => new Headers(isAnswer(path) ? answers : pages);
}

const isAnswer = (path: string) =>
  path.startsWith("/api/") || path.startsWith("/dashboard/api/") || path === "/mcp";

/** Adds the headers that are not set yet. */
export function addMissing(headers: Headers, usual: Headers) {
  usual.forEach((value, name) => {
    if (!headers.has(name)) headers.set(name, value);
  });
}

const EXPOSED = [
  "ETag",
  "Idempotent-Replayed",
  "Link",
  "Location",
  "RateLimit",
  "RateLimit-Policy",
  "Retry-After",
  "X-RateLimit-Limit",
  "X-RateLimit-Remaining",
  "X-RateLimit-Reset",
  "X-RateLimit-Limit-Hour",
  "X-RateLimit-Remaining-Hour",
  "X-RateLimit-Reset-Hour",
  "X-Request-Id",
].join(", ");
const ACCEPTED =
  "Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, X-Request-Id";

/** Scripts of the listed origins may read replies, but not with credentials: the API uses no cookies. */
export function corsHeaders(config: Config, request: Request): [string, string][] {
  if (config.corsAllowedOrigins.length === 0) return [];
  const origin = allowedOrigin(config, request);
  if (!origin) return [["Vary", "Origin"]];
  return [
    ["Vary", "Origin"],
    ["Access-Control-Allow-Origin", origin],
    ["Access-Control-Expose-Headers", EXPOSED],
    ["Cross-Origin-Resource-Policy", "cross-origin"],
  ];
}

export function preflightHeaders(
  config: Config,
  request: Request,
  methods: string,
): Record<string, string> {
  if (!allowedOrigin(config, request)) return {};
  return {
    "access-control-allow-methods": methods,
    "access-control-allow-headers": ACCEPTED,
    "access-control-max-age": "600",
  };
}

/** Only the API is open to other origins, never the dashboard's private API. */
function allowedOrigin(config: Config, request: Request): string | null {
  const origin = request.headers.get("origin");
  const isApi = new URL(request.url).pathname.startsWith("/api/");
  return origin && isApi && config.corsAllowedOrigins.includes(origin) ? origin : null;
}
