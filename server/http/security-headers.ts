import type { Config } from "../config.ts";

const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join("; ");
const ANSWER_POLICY = "default-src 'none'; frame-ancestors 'none'";

const EVERYWHERE: [string, string][] = [
  ["X-Content-Type-Options", "nosniff"],
  ["Referrer-Policy", "no-referrer"],
  ["Cross-Origin-Opener-Policy", "same-origin"],
  ["Cross-Origin-Resource-Policy", "same-origin"],
  ["Permissions-Policy", ""],
];
const ANSWERS: [string, string][] = [
  ...EVERYWHERE,
  ["Content-Security-Policy", ANSWER_POLICY],
  ["Cache-Control", "no-store"],
];
const PAGES: [string, string][] = [...EVERYWHERE, ["Content-Security-Policy", PAGE_POLICY]];
const HSTS: [string, string] = ["Strict-Transport-Security", "max-age=31536000"];

/** The headers that every reply has unless it set its own. */
export function securityHeaders(config: Config, path: string): [string, string][] {
  const headers = path.startsWith("/api/") || path.startsWith("/dashboard/api/") ? ANSWERS : PAGES;
  return config.publicUrl?.startsWith("https:") ? [...headers, HSTS] : headers;
}
