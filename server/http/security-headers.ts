import type { Config } from "../config/config.ts";

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

/** The headers that every reply has unless it sets its own, made once per kind of path. */
export function securityHeaders({ publicUrl }: Config): (path: string) => Headers {
  const hsts = publicUrl?.startsWith("https:") ? HSTS : {};
  const answers = new Headers({ ...ANSWERS, ...hsts });
  const pages = new Headers({ ...PAGES, ...hsts });
  return (path) => new Headers(isAnswer(path) ? answers : pages);
}

const isAnswer = (path: string) => path.startsWith("/api/") || path.startsWith("/dashboard/api/");
