import robotsParser from "robots-parser";

/** The name that the rules know this program by. */
const AGENT = "stillup";
/** Longer ones cost more to follow than the answer is worth: then nothing is welcome. */
const LONGEST_RULES = 32 * 1024;
const NOTHING_WELCOME = "User-agent: *\nDisallow: /";

/**
 * What of a robots.txt is for this program, as a robots.txt for all (RFC 9309 §2.2.1). Of the many groups
 * that a site may name nothing is kept, since each rule would be kept with each name.
 */
export function rulesForUs(text: string): string {
  const groups: Record<string, string[]> = {};
  let named: string[] = [];
  let isNaming = false;
  for (const line of text.split(/[\r\n]+/)) {
    const [, field, value = ""] = /^\s*(user-agent|allow|disallow)\s*:([^#]*)/i.exec(line) ?? [];
    if (field === undefined) continue;
    if (/^user/i.test(field)) {
      if (!isNaming) named = [];
      const name = agentIn(value);
      if (name === AGENT || name === "*") named.push(name);
    } else {
      for (const name of named) groups[name]?.push(`${field}:${value}`);
    }
    isNaming = /^user/i.test(field);
    for (const name of named) groups[name] ??= [];
  }
  const rules = ["User-agent: *", ...(groups[AGENT] ?? groups["*"] ?? [])].join("\n");
  return rules.length > LONGEST_RULES ? NOTHING_WELCOME : rules;
}

/** Without a version, as in `Stillup/1.0`. */
const agentIn = (value: string) => value.split("/")[0]!.trim().toLowerCase();

/** @param rules of the site that the address is of, from `rulesForUs` */
export const isWelcome = (rules: string, url: URL): boolean =>
  robotsParser(`${url.origin}/robots.txt`, rules).isAllowed(url.href, AGENT) !== false;
