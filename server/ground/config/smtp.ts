import { isLoopbackHost } from "../net/policy.ts";
import type { Config, Security } from "./settings.ts";

/** The operator's mail server, and how it is used. */
export type Smtp = {
  host: string;
  port: number;
  security: Security;
  user: { name: string; password: string } | null;
  /** The sender of all mail; the name of a message's sender is put in front of it. */
  from: string;
  replyTo: string | null;
  /** Connections of this node at a time. */
  connections: number;
  /** Messages of this node in a minute; 0 = no limit. */
  perMinute: number;
  /** Domains that may be written to, see `isInDomains`. */
  domains: readonly string[];
};

const PORTS: Record<Security, number> = { tls: 465, starttls: 587, none: 25 };
/** Where mail servers begin in clear, and then offer TLS (RFC 8314 §3.3; 2525 by convention). */
const STARTTLS_PORTS = [25, 587, 2525];

type Given = Pick<
  Config,
  | "publicUrl"
  | "smtpHost"
  | "smtpPort"
  | "smtpSecurity"
  | "smtpUser"
  | "smtpPassword"
  | "smtpPasswordFile"
  | "smtpFrom"
  | "smtpReplyTo"
  | "smtpConnections"
  | "smtpRate"
  | "smtpRecipients"
>;

/**
 * Returns the mail server of the settings; null without one.
 * @throws a sentence that names the variable that is wrong or missing
 */
export function smtpOf(given: Given): Smtp | null {
  const { smtpHost: host, smtpFrom: from, publicUrl } = given;
  if (host === null) return null;
  if (publicUrl === null) {
    throw new Error(
      "STILLUP_SMTP_HOST needs STILLUP_PUBLIC_URL, since messages link to the dashboard.",
    );
  }
  if (from === null) {
    throw new Error("STILLUP_SMTP_HOST needs STILLUP_SMTP_FROM, the address that mail comes from.");
  }
  const security = given.smtpSecurity ?? usualSecurity(given.smtpPort);
  const user = userOf(given);
  if (user && security === "none" && !isLoopbackHost(host)) {
    throw new Error(
      "STILLUP_SMTP_SECURITY is none, so the password of STILLUP_SMTP_USER would travel unencrypted. Use tls or starttls.",
    );
  }
  return {
    host,
    security,
    user,
    from,
    replyTo: given.smtpReplyTo,
    port: given.smtpPort ?? PORTS[security],
    connections: given.smtpConnections,
    perMinute: given.smtpRate,
    domains: given.smtpRecipients,
  };
}

const usualSecurity = (port: number | null): Security =>
  port !== null && STARTTLS_PORTS.includes(port) ? "starttls" : "tls";

function userOf({ smtpUser: name, smtpPassword, smtpPasswordFile }: Given): Smtp["user"] {
  if (smtpPassword !== null && smtpPasswordFile !== null) {
    throw new Error("Set STILLUP_SMTP_PASSWORD or STILLUP_SMTP_PASSWORD_FILE, not both.");
  }
  const password = smtpPassword ?? smtpPasswordFile;
  if (name === null && password === null) return null;
  if (name === null) throw new Error("STILLUP_SMTP_PASSWORD needs STILLUP_SMTP_USER.");
  if (password === null) {
    throw new Error("STILLUP_SMTP_USER needs STILLUP_SMTP_PASSWORD or STILLUP_SMTP_PASSWORD_FILE.");
  }
  return { name, password };
}
