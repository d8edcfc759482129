/** Longer values of a query are cut: a link's URL may carry a whole session in one. */
const VALUE_LENGTH = 200;

const FIELD =
  "(?:(?:new|current|setup|metrics)_)?(?:password|secret|token|code|totp|cookie|session|authorization)";

/** What is never to be read in a log, wherever it came from, and what stands there instead. */
const SECRETS: [what: RegExp, shown: string][] = [
  // Keys of the API are known by their beginning, as the dashboard shows them.
  [/\b(su_[0-9A-Za-z]{6})[0-9A-Za-z]{20,}/g, "$1…"],
  [/whsec_[\w+/=-]+/g, "whsec_…"],
  // User names and passwords in URLs.
  [/(\w:\/\/)[^\s/?#"'@]+@/g, "$1…@"],
  [/\b(bearer|basic) +[\w.~+/=-]{4,}/gi, "$1 …"],
  // Fields of JSON and of JSON within it, then those of a line of text, of forms and of cookies.
  [new RegExp(`("${FIELD}": ?")(?:[^"\\\\]|\\\\.)+`, "gi"), "$1…"],
  [new RegExp(`(\\\\"${FIELD}\\\\": ?\\\\")(?:[^"\\\\]|\\\\\\\\\\\\?.)+`, "gi"), "$1…"],
  [new RegExp(`(\\b${FIELD}=")(?:[^"\\\\]|\\\\.)+`, "gi"), "$1…"],
  [new RegExp(`(\\b${FIELD}=)[^\\s"\\\\,;&}]+`, "gi"), "$1…"],
  // Setup tokens and recovery codes, as they are typed.
  [/\b(?:[A-Z2-7]{5}-){5}[A-Z2-7]{5}\b/gi, "…"],
  [/\b(?:[A-Z2-7]{4}-){3}[A-Z2-7]{4}\b/gi, "…"],
  // Values of cookies and one-time links: 256 bits in base64url.
  [/(?<![\w-])[\w-]{43}(?![\w-])/g, "…"],
  [new RegExp(`([?&][^=&\\s"]+=[^&\\s"]{${VALUE_LENGTH}})[^&\\s"]+`, "g"), "$1…"],
];

/** The line without secrets: neither keys nor passwords, tokens, codes and cookies. */
export const masked = (line: string): string =>
  SECRETS.reduce((text, [what, shown]) => text.replace(what, shown), line);

const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/**
 * Written out what a terminal would obey or a reader of lines would break at: control characters, line
 * separators, and what turns the direction of a text.
 */
export const visible = (text: string): string => text.replace(UNPRINTABLE, escaped);

function escaped(character: string): string {
  const units = Array.from({ length: character.length }, (_, i) => character.charCodeAt(i));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
}
