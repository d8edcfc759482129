import { parseHostList, parseTarget } from "../../server/ground/net/policy.ts";
import { randomFrom } from "../random.ts";

const HOST = "https://example.org";

/** What readers of lists take for the end of an address, for markup, or for something else than an address. */
const ODD = [
  ...[
    "/wiki/Warner_Bros.",
    "/wiki/Yahoo!",
    "/wait...",
    "/a…",
    "/a?",
    "/a:",
    "/a;",
    "/a,b,",
    "/a/.",
  ],
  ...["/(a", "/a)", "/[a]", "/a]", "/{a}", "/<b>", "/x<b>y", "/%3Cb%3E", "/it's'", '/"q"', "/“q”"],
  ...[
    "/*|`",
    "/**a**",
    "/_a_",
    "/~~a~~",
    "/`a`",
    "/a|b",
    "/$a$",
    "/a^b",
    "/\u00a9",
    "/&copy",
    "/&copy;",
  ],
  ...["/?a=1&amp;b=2", "/?a=1&lt=2", "/?x=[b](c)", "/?[a]=1", "/?a={b}", "/?$a=$b", "/?a=<%=b%>"],
  ...[
    "/?u=http://other.example/",
    "/?u=https://a.example/,https://b.example/",
    "/http://a.example",
  ],
  ...[
    "/%zz",
    "/%",
    "/%F6",
    "/%2526",
    "/%0A",
    "/%0D%0Ax",
    "/%00",
    "/a%20b",
    "/?a+b",
    "/?",
    "/??",
    "/?a#",
  ],
  ...[
    "/日本語。",
    "/全角、",
    "/（全角）",
    "/「x」",
    "/！？",
    "/a\u200b",
    "/\u{1F389}",
    "/\u2028",
    "/e\u0301",
  ],
  ...[
    "/=cmd|' /C calc'!A0".replaceAll(" ", "%20"),
    "/-1",
    "/@a",
    "/+1",
    "/a%09b",
    "/'=x",
    "/sep=;",
  ],
  ...[
    "/- a: b".replaceAll(" ", "%20"),
    "/a:%20b",
    "/#a",
    "/a%20#b",
    "/!!str",
    "/&anchor",
    "/*alias",
    "/a,'b",
  ],
  ...["/~", "/null", "/..", "/a/../b", "/./a", "//a", "/a//b", "/;a=b", "/a;jsessionid=1"],
  ...[`/${"x".repeat(2000)}`, `/?${"%E2%82%AC".repeat(220)}`, `/${"a,".repeat(900)}`],
].map((path) => HOST + path);

const HOSTS = [
  "http://EXAMPLE.org",
  "HTTPS://example.org",
  "https://example.org.",
  "https://example.org:8443/a",
  "http://example.org:443/",
  "https://xn--bcher-kva.example/",
  "https://bücher.example/ä?ö#ü",
  "https://例え.テスト/",
  "https://a_b.example/",
  "https://93.184.216.34/a",
  "https://[2606:2800:220:1:248:1893:25c8:1946]/a",
  "https://[2606:2800:220:1:248:1893:25c8:1946]:8443/?a=[1]",
  "https://www.example.org",
  "https://example.org?a",
  "https://example.org#a",
];

const SIGNS = [..."azAZ09-._~:/?#[]@!$&'()*+,;=%\"<>^`{|}äß日。…›“（｜"];

const POLICY = { allowed: parseHostList("external"), blocked: parseHostList("") };

/** Different addresses that the API takes, as a person may write them: odd ones, and so many by chance. */
export function addresses(count: number): string[] {
  const random = randomFrom(20_301_128);
  const made = Array.from({ length: count }, () => {
    const length = 1 + random(12);
    const path = Array.from({ length }, () => SIGNS[random(SIGNS.length)]!).join("");
    return `https://h${random(50)}.example/${path}`;
  });
  return [...new Set([...ODD, ...HOSTS, ...made])].filter((url) => parseTarget(url, POLICY).ok);
}

const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;

const escaped = (text: string) =>
  text
    .replaceAll("&", "&amp;")
    .replaceAll('"', "&quot;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;");

const lines = (urls: string[], write: (url: string) => string) => urls.map(write).join("\n");

/** How each format writes addresses that all its readers must take whole, and what it is taken for. */
export const WRITTEN: [what: string, format: string, write: (urls: string[]) => string][] = [
  ["CSV", "csv", (urls) => `url,title\n${lines(urls, (url) => `${quoted(url)},x`)}`],
  ["CSV without a heading", "csv", (urls) => lines(urls, (url) => `${quoted(url)},x`)],
  ["a JSON list", "json", (urls) => JSON.stringify(urls)],
  ["JSON records", "json", (urls) => JSON.stringify({ links: urls.map((url) => ({ url })) })],
  ["NDJSON", "json", (urls) => lines(urls, (url) => JSON.stringify({ url }))],
  [
    "bookmarks",
    "bookmarks",
    (urls) =>
      `<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL>${lines(urls, (url) => `<DT><A HREF="${escaped(url)}">x</A>`)}</DL>`,
  ],
  [
    "HTML",
    "html",
    (urls) => `<!doctype html>${lines(urls, (url) => `<p><a href="${escaped(url)}">x</a>`)}`,
  ],
  [
    "links of Markdown",
    "markdown",
    (urls) => `# Links\n\n${lines(urls, (url) => `* [x](<${url.replace(/[\\<>&]/g, "\\$&")}>)`)}`,
  ],
  [
    "a sitemap",
    "sitemap",
    (urls) => `<urlset>${lines(urls, (url) => `<url><loc>${escaped(url)}</loc></url>`)}</urlset>`,
  ],
  [
    "OPML",
    "opml",
    (urls) =>
      `<opml><body>${lines(urls, (url) => `<outline url="${escaped(url)}"/>`)}</body></opml>`,
  ],
];
