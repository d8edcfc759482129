/** The signs of RFC 3986, section 2. Markup needs others, or is told apart by what stands around an address. */
const BEYOND_RFC_3986 = /[^\w\-.~:/?#[\]@!$&'()*+,;=%]/g;
/** What apps for reading messages look for when they make links and mentions of plain text by themselves. */
const TELLING = /[@:/.#]/g;
const ZERO_WIDTH_SPACE = "\u200b";

/** The address in signs that RFC 3986 allows; null for anything but http and https. */
export function webAddress(text: string): string | null {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol)) return null;
  return url.href.replace(BEYOND_RFC_3986, encodeURIComponent);
}

/** Without what would break the line or turn its direction around. */
export const singleLine = (text: string) => text.toWellFormed().replace(/[\p{Cc}\p{Cf}]/gu, " ");

type Writing = {
  /** How one sign is written. */
  write?: (sign: string) => string;
  sizeOf?: (text: string) => number;
};

/** As much of the text as fits, every sign and every escape of it whole; "…" tells that there was more. */
export function cut(
  text: string,
  room: number,
  { write = same, sizeOf = lengthOf }: Writing = {},
): string {
  const signs = (text.match(/%[0-9a-f]{2}|./gisu) ?? []).map(write);
  if (sizeOf(signs.join("")) <= room) return signs.join("");
  let left = room - sizeOf("…");
  const end = signs.findIndex((sign) => {
    left -= sizeOf(sign);
    return left < 0;
  });
  return `${signs.slice(0, end).join("")}…`;
}

/** Broken by spaces that nobody sees, so that no app makes a link or a mention of it. */
export const inert = (sign: string) => sign.replace(TELLING, `$&${ZERO_WIDTH_SPACE}`);

/** In code, nothing but its own end is markup. */
export const withoutBackticks = (sign: string) => sign.replaceAll("`", "'");

export const lengthOf = (text: string) => text.length;

const same = (sign: string) => sign;
