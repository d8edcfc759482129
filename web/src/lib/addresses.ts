/** One stop on the way of a link. The pieces together are its URL; `differs` from the stop before. */
export type Stop = {
  pieces: { text: string; differs: boolean }[];
  /** What became different, in words; empty for the first. */
  changes: string;
};

type Pieces = { scheme: string; host: string; path: string; rest: string };

const NAMES: Record<keyof Pieces, string> = {
  scheme: "scheme",
  host: "host",
  path: "path",
  rest: "query",
};

/** Compares each URL with the one before it, piece by piece. */
export const stopsOf = (urls: string[]): Stop[] =>
  urls.map((url, index) => stopOf(url, index > 0 ? urls[index - 1] : undefined));

function stopOf(url: string, before: string | undefined): Stop {
  const pieces = piecesOf(url);
  const previous = before === undefined ? pieces : piecesOf(before);
  // What cannot be taken apart is shown as it is.
  if (!pieces || !previous) {
    return { pieces: [{ text: url, differs: false }], changes: "" };
  }
  const names = Object.keys(NAMES) as (keyof Pieces)[];
  const different = names.filter((name) => pieces[name] !== previous[name]);
  return {
    pieces: names
      .map((name) => ({ text: pieces[name], differs: different.includes(name) }))
      .filter(({ text }) => text !== ""),
    changes: different.map((name) => wordsOf(name, pieces, previous)).join(", "),
  };
}

/** Together they are the text as it came. */
function piecesOf(url: string): Pieces | null {
  const found = /^([a-z]+:\/\/)([^/?#]*)([^?#]*)(.*)$/is.exec(url);
  if (!found) return null;
  const [, scheme = "", host = "", path = "", rest = ""] = found;
  return { scheme, host, path, rest };
}

function wordsOf(name: keyof Pieces, now: Pieces, before: Pieces): string {
  if (name === "scheme") return now.scheme === "https://" ? "now encrypted" : "no longer encrypted";
  if (name === "host" && withoutWww(now.host) === withoutWww(before.host)) {
    return now.host.length > before.host.length ? "with www" : "without www";
  }
  return `another ${NAMES[name]}`;
}

const withoutWww = (host: string) => host.replace(/^www\./i, "");
