/** Octets of the part before the @, and of the whole address in a mail's envelope (RFC 5321 §4.5.3.1). */
const LONGEST_LOCAL = 64;
const LONGEST = 254;

/** RFC 5322 §3.2.3: a dot-atom. */
const DOT_ATOM = /^[\w!#$%&'*+/=?^`{|}~-]+(\.[\w!#$%&'*+/=?^`{|}~-]+)*$/;
/** RFC 5321 §4.1.2: names of letters, digits and hyphens, not at the ends of a label. */
const NAME = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/;

type Read = { ok: true; address: string } | { ok: false; problem: string };

const refused = (problem: string): Read => ({ ok: false, problem });

/**
 * Reads exactly one e-mail address. The domain becomes ASCII. `problem` continues a sentence that begins with the field.
 * Mail libraries read several addresses, or commands to the mail server, in some of what this refuses.
 */
export function readMailAddress(text: string): Read {
  if (/[\r\n]/.test(text)) return refused("must not contain line breaks");
  if (/\p{Cc}/u.test(text)) return refused("must not contain control characters");
  if (/[,;]/.test(text)) return refused("must be a single address; create one for each recipient");
  if (text.includes('"')) return refused("must not contain quotes");
  if (/[()]/.test(text)) return refused("must not contain comments");
  if (/[<>]/.test(text)) return refused("must be the bare address, without a name or brackets");
  if (/\s/.test(text)) return refused("must not contain spaces");
  const at = text.lastIndexOf("@");
  if (at < 1) return refused("must be an e-mail address, such as ann@example.com");
  return readParts(text.slice(0, at), text.slice(at + 1));
}

function readParts(local: string, domain: string): Read {
  if (/[^\x20-\x7e]/.test(local)) {
    return refused("must have only ASCII before the @; SMTPUTF8 is not supported");
  }
  if (!DOT_ATOM.test(local))
    return refused("must have only letters, digits and . _ - + before the @");
  if (local.length > LONGEST_LOCAL) {
    return refused(`must have at most ${LONGEST_LOCAL} characters before the @`);
  }
  if (domain.startsWith("[")) return refused("must have a name after the @, not an address");
  const name = asciiName(domain);
  if (name === null) return refused("must have a valid name after the @");
  const address = `${local}@${name}`;
  if (address.length > LONGEST) return refused(`must have at most ${LONGEST} characters`);
  return { ok: true, address };
}

/** Internationalized names in their ASCII form; null for what is not a name, and for IP addresses. */
function asciiName(domain: string): string | null {
  // Anything else would change what follows as part of a URL.
  if (/[/?#\\%:@[\]]/.test(domain)) return null;
  const name = URL.parse(`http://${domain}`)?.hostname ?? "";
  return NAME.test(name) && !/^[\d.]+$/.test(name) ? name : null;
}

/**
 * Reads a `mailto:` URL of one address without header fields (RFC 6068).
 * @returns the address; its normal URL is `mailtoUrl(address)`
 */
export function readMailto(url: string): Read {
  const rest = /^mailto:(.*)$/is.exec(url)?.[1];
  if (rest === undefined) return refused("must be a mailto: URL, such as mailto:ann@example.com");
  if (rest.startsWith("//")) return refused("must have no // after mailto:");
  if (/[?]/.test(rest)) return refused("must be the address alone, without ? and what follows");
  if (/[#]/.test(rest)) return refused("must be the address alone, without # and what follows");
  const address = decoded(rest);
  return address === null
    ? refused("must not contain % that is not part of an escape")
    : readMailAddress(address);
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

/**
 * Names a webhook in lists, messages and the audit log: the host of its URL, or the mail address as far as the URL
 * shows it, such as `…@example.com`.
 */
export const receiverOf = (url: string): string => new URL(url).host || addressIn(url);

/** The address of a URL that `mailtoUrl` made. */
export const addressIn = (url: string): string => decodeURIComponent(url.slice("mailto:".length));

/** Unlike a query, RFC 6068 has `+` stand for itself. */
export const mailtoUrl = (address: string): string =>
  `mailto:${encodeURIComponent(address).replaceAll("%40", "@").replaceAll("%2B", "+")}`;

/** Whether one of the patterns, such as `example.com`, `*.example.com` or `*`, allows the domain of the address. */
export function isInDomains(address: string, patterns: readonly string[]): boolean {
  const domain = address.slice(address.lastIndexOf("@") + 1).toLowerCase();
  return patterns.some((pattern) => {
    if (pattern === "*") return true;
    return pattern.startsWith("*.") ? domain.endsWith(pattern.slice(1)) : domain === pattern;
  });
}
