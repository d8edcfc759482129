/** A pattern of RFC 9309 §2.2.3: `*` is any text, a final `$` the end, and everything else the beginning of a path. */
export type Pattern = {
  /** Of the pattern in octets, by which the most specific rule is found. */
  length: number;
  /** @param target from `targetOf` or `normalize` */
  matches(target: string): boolean;
};

/** Takes time in proportion to the target, whatever the pattern. */
export function compilePattern(text: string): Pattern {
  const isWhole = text.endsWith("$");
  const parts = (isWhole ? text.slice(0, -1) : text).split(/\*+/).map(normalize);
  const { length } = parts.join("*");
  const first = parts[0]!;
  if (parts.length === 1) {
    return { length, matches: (target) => (isWhole ? target === first : target.startsWith(first)) };
  }
  const last = isWhole ? parts.pop()! : "";
  const middle = parts.slice(1);
  return {
    length,
    matches(target) {
      if (!target.startsWith(first)) return false;
      let at = first.length;
      // The first place is as good as any later one.
      for (const part of middle) {
        const found = target.indexOf(part, at);
        if (found < 0) return false;
        at = found + part.length;
      }
      return target.length - last.length >= at && target.endsWith(last);
    },
  };
}

const NOT_PLAIN = /%[0-9A-Fa-f]{2}|[^A-Za-z0-9\-._~:/?#[\]@!&'()+,;=%]/gu;

/** Writes every octet in one way, so that texts can be compared (RFC 9309 §2.2.2). */
export const normalize = (text: string): string => text.toWellFormed().replace(NOT_PLAIN, plain);

function plain(match: string): string {
  if (match === "*") return "%2A";
  if (match.length !== 3 || match[0] !== "%") return encodeURIComponent(match);
  const char = String.fromCharCode(Number.parseInt(match.slice(1), 16));
  return /[A-Za-z0-9\-._~]/.test(char) ? char : match.toUpperCase();
}

/** What patterns are compared with. */
export const targetOf = (url: URL): string => normalize(url.pathname + url.search);

/** The user agent in the rules. */
const AGENT = "stillup";

type Line = { field: string; value: string };

/** Returns the lines for this program: those that name it, otherwise those for all (RFC 9309 §2.2.1). */
export function linesForUs(text: string): Line[] {
  const groups: Record<string, Line[]> = {};
  let named: string[] = [];
  let isNaming = false;
  for (const line of text.split(/[\r\n]+/)) {
    const [, name, value = ""] =
      /^[\s\uFEFF]*(user-agent|allow|disallow|crawl-delay)\s*:([^#]*)/i.exec(line) ?? [];
    const field = name?.toLowerCase();
    if (field === undefined) continue;
    if (field === "user-agent") {
      if (!isNaming) named = [];
      const agent = agentIn(value);
      if (agent === AGENT || agent === "*") named.push(agent);
      isNaming = true;
    } else {
      for (const agent of named) groups[agent]?.push({ field, value: value.trim() });
      // Only rules end the list of names (RFC 9309 §2.2).
      if (field !== "crawl-delay") isNaming = false;
    }
    for (const agent of named) groups[agent] ??= [];
  }
  return groups[AGENT] ?? groups["*"] ?? [];
}

/** Without a version, as in `Stillup/1.0`. */
const agentIn = (value: string) => value.split("/")[0]!.trim().toLowerCase();

type Rule = Pattern & { isAllow: boolean };

/** Compiles rules; those beyond `most` are ignored. The longest that matches counts, and of equals the one that allows. */
export function compileRules(lines: Line[], most = Infinity) {
  const written = lines.filter(({ field, value }) => field !== "crawl-delay" && value !== "");
  const rules = written
    .slice(0, most)
    .map(({ field, value }): Rule => ({ ...compilePattern(value), isAllow: field === "allow" }))
    .sort((one, other) => other.length - one.length || Number(other.isAllow) - Number(one.isAllow));
  return {
    ignored: written.length - rules.length,
    isAllowed(url: URL): boolean {
      if (url.pathname === "/robots.txt") return true;
      const target = targetOf(url);
      return rules.find(({ matches }) => matches(target))?.isAllow ?? true;
    },
  };
}
