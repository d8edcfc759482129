const LONGEST = 200;

/** In this order, since most browsers call themselves by the names of others too. */
const BROWSERS: [name: string, sign: RegExp][] = [
  ["Edge", /\bEdg(e|A|iOS)?\//],
  ["Opera", /\bOPR\//],
  ["Samsung Internet", /\bSamsungBrowser\//],
  ["Vivaldi", /\bVivaldi\//],
  ["Firefox", /\b(Firefox|FxiOS)\//],
  ["Chrome", /\b(Headless)?(Chrome|CriOS)\//],
  ["Safari", /\bVersion\/[\d.]+.* Safari\//],
];

const SYSTEMS: [name: string, sign: RegExp][] = [
  ["Windows", /\bWindows NT\b/],
  ["Android", /\bAndroid\b/],
  ["iPhone", /\biPhone\b/],
  ["iPad", /\biPad\b/],
  ["macOS", /\bMac OS X\b/],
  ["ChromeOS", /\bCrOS\b/],
  ["Linux", /\bLinux\b/],
];

/** What is kept of the name that a browser gives itself: one line of a stranger's text. */
export function keptName(userAgent: string | null): string | null {
  const line = (userAgent ?? "").replace(/\p{Cc}+/gu, " ").trim();
  return [...line].slice(0, LONGEST).join("") || null;
}

/** "Firefox on Linux"; of a program that is none of the commonest browsers the name it gave itself. */
export function browserOf(userAgent: string | null): string | null {
  if (userAgent === null) return null;
  const browser = nameIn(BROWSERS, userAgent);
  const system = nameIn(SYSTEMS, userAgent);
  if (!browser) return userAgent;
  return system ? `${browser} on ${system}` : browser;
}

const nameIn = (names: [string, RegExp][], text: string) =>
  names.find(([, sign]) => sign.test(text))?.[0];
