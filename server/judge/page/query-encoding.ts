/** Encodings whose pages have URLs in UTF-8 (URL Standard, "get an output encoding"), or that are not encoded here. */
const IN_UTF8 = /^(utf-|replacement|iso-2022-jp|x-user-defined)/;

/** Lead bytes that browsers do not write (Encoding Standard, "index Shift_JIS pointer", "index Big5 pointer"). */
const NOT_WRITTEN: Record<string, (lead: number) => boolean> = {
  shift_jis: (lead) => lead === 0xed || lead === 0xee,
  big5: (lead) => lead < 0xa1,
};

const tables = new Map<string, ReadonlyMap<string, string>>();

/**
 * Percent-encodes the query of an address as written in a page, in the page's own encoding, as browsers do (URL
 * Standard, "percent-encode after encoding"). Path and host are left for URL parsing, which uses UTF-8.
 * @param encoding as a `TextDecoder` names it
 */
export function encodeQuery(address: string, encoding: string): string {
  const start = address.indexOf("?");
  if (
    start === -1 ||
    IN_UTF8.test(encoding) ||
    !/^https?:|^(?![a-z][\w+.-]*:)/i.test(address.trim())
  )
    return address;
  const hash = address.indexOf("#");
  if (hash !== -1 && hash < start) return address;
  const end = hash === -1 ? address.length : hash;
  const query = address
    .slice(start, end)
    .replace(/[^\0-\x7f]/gu, (sign) => encoded(sign, encoding));
  return address.slice(0, start) + query + address.slice(end);
}

/** A sign that the encoding lacks becomes a character reference. */
const encoded = (sign: string, encoding: string) =>
  tableOf(encoding).get(sign) ?? `%26%23${sign.codePointAt(0)}%3B`;

function tableOf(encoding: string): ReadonlyMap<string, string> {
  const known = tables.get(encoding);
  if (known) return known;
  const table = readTable(encoding);
  tables.set(encoding, table);
  return table;
}

/** The inverse of the decoder, for signs of one and two bytes. */
function readTable(encoding: string): Map<string, string> {
  const decoder = new TextDecoder(encoding as Bun.Encoding);
  const table = new Map<string, string>();
  const add = (...bytes: number[]): boolean => {
    const text = decoder.decode(Uint8Array.from(bytes));
    if (text.includes("\ufffd") || [...text].length !== 1) return false;
    if (!table.has(text)) table.set(text, bytes.map(percent).join(""));
    return true;
  };
  for (let lead = 0x80; lead <= 0xff; lead++) {
    if (add(lead) || NOT_WRITTEN[encoding]?.(lead)) continue;
    for (let trail = 0x40; trail <= 0xfe; trail++) add(lead, trail);
  }
  return table;
}

const percent = (byte: number) => `%${byte.toString(16).toUpperCase()}`;
