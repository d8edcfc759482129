/** Sends the reader to another address after some seconds. The address is as it was written. */
export type Refresh = { delayS: number; url: string };

/**
 * Reads the value of a `Refresh` header or of `<meta http-equiv="refresh">` (HTML §4.2.5.3). Null when it
 * names no address: then it only asks to load the same page again.
 */
export function parseRefresh(value: string): Refresh | null {
  const [, delay, rest = ""] = /^\s*(\d*)(?:\.[\d.]*)?\s*[;,\s]\s*(.*)$/s.exec(value) ?? [];
  if (delay === undefined) return null;
  const named = rest.replace(/^url\s*=\s*/i, "").trim();
  const [, quoted] = /^(["'])(.*?)(\1|$)/.exec(named)?.slice(1) ?? [];
  const url = (quoted ?? named).trim();
  return url === "" ? null : { delayS: Number(delay), url };
}
