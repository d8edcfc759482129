import { mayConnect, mayName, parseAddress, type TargetPolicy } from "./policy.ts";

export { type HostList, mayConnect, parseHostList, type TargetPolicy } from "./policy.ts";

export type TargetProblem = "url_invalid" | "scheme_unsupported" | "target_forbidden";

/** `problem` continues a sentence that begins with the field's name, such as "url must be …". */
type Target = { ok: true; url: URL } | { ok: false; reason: TargetProblem; problem: string };

/** Longest URL that is kept, before and after it is written the standard way. */
export const MAX_URL_LENGTH = 2048;

/** Ports that browsers never open, because something other than a web server listens (WHATWG Fetch, "bad port"). */
const BAD_PORTS = new Set([
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102,
  103, 104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465,
  512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993,
  995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668,
  6669, 6679, 6697, 10080,
]);

/**
 * Judges the text of a URL that someone wants checked or called. Names are not resolved: where they
 * lead is judged at each request. A refusal names the `setting` that would allow the target.
 */
export function parseTarget(raw: string, policy: TargetPolicy, setting?: string): Target {
  const target = vetTarget(raw, policy);
  if (!target.ok && target.reason === "target_forbidden" && setting) {
    return { ...target, problem: `${target.problem} (see ${setting})` };
  }
  const length = Math.max(raw.length, target.ok ? target.url.href.length : 0);
  if (length > MAX_URL_LENGTH) return invalid(`must be at most ${MAX_URL_LENGTH} characters long`);
  return target;
}

/** The same rules without the limit of length, for what a server redirects to. */
export function vetTarget(raw: string, policy: TargetPolicy): Target {
  // URL parsing drops tabs and newlines and turns "\" into "/", so these are looked for before.
  if (/[\p{Cc}\s\\]/u.test(raw)) {
    return invalid("must not contain spaces, control characters or backslashes");
  }
  if (!/^https?:/i.test(raw)) return unsupported(raw);
  const authority = /^https?:\/\/([^/?#]+)/i.exec(raw)?.[1];
  if (!authority) return invalid("must name a host after http:// or https://");
  if (authority.includes("@")) return invalid("must not contain a user name or a password");
  const url = URL.parse(raw);
  if (!url) return invalid("must be a valid http or https URL");
  return vetHost(url, policy);
}

/** The host as the address policy knows it: IPv6 without brackets. */
export const bareHost = (url: URL) => url.hostname.replace(/^\[|\]$/g, "");

function vetHost(url: URL, policy: TargetPolicy): Target {
  if (url.port && BAD_PORTS.has(Number(url.port))) {
    return invalid(`must not use port ${url.port}, which is not a web server's`);
  }
  const host = bareHost(url);
  if (parseAddress(host)) {
    return mayConnect(policy, host, host) ? { ok: true, url } : forbidden(host);
  }
  if (!hasGoodLabels(host)) return invalid("must name a host that can exist");
  return mayName(policy, host) ? { ok: true, url } : forbidden(host);
}

/** RFC 1035 §2.3.4: labels of 1 to 63 octets, 253 in all. URL parsing lets through signs that no name has. */
function hasGoodLabels(host: string): boolean {
  const name = host.replace(/\.$/, "");
  return name.length <= 253 && name.split(".").every((label) => /^[a-z0-9_-]{1,63}$/.test(label));
}

function unsupported(raw: string): Target {
  const hasScheme = /^[a-z][a-z0-9+.-]*:/i.test(raw);
  const reason = hasScheme ? "scheme_unsupported" : "url_invalid";
  return { ok: false, reason, problem: "must be an http or https URL" };
}

const invalid = (problem: string): Target => ({ ok: false, reason: "url_invalid", problem });

const forbidden = (host: string): Target => ({
  ok: false,
  reason: "target_forbidden",
  problem: `must not lead to ${host}, which this server is not allowed to reach`,
});
