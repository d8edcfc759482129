/** A segment such as `en` or `pt-br`, by which sites send people to their language. */
const LOCALE = /^[a-z]{2,3}(?:[-_][a-z]{2,4})?$/i;

/** Where a URL leads, without what redirects change for no reason that matters: scheme, `www.`, locale, index file, query. */
export function placeOf(address: string): string {
  const url = URL.parse(address);
  if (!url) return address;
  const segments = url.pathname
    .split("/")
    .filter((part) => part !== "" && !/^index\.\w+$/i.test(part));
  const [first] = segments;
  if (first !== undefined && LOCALE.test(first)) segments.shift();
  return [url.host.replace(/^www\./, ""), ...segments].join("/");
}

/** Names of the parameters of a link that a redirect keeps with their values. */
export function keptParameters(url: string, finalUrl: string): string[] {
  const [ours, theirs] = [URL.parse(url), URL.parse(finalUrl)];
  if (!ours || !theirs || url === finalUrl) return [];
  const names = [...new Set(ours.searchParams.keys())];
  return names.filter((name) => theirs.searchParams.get(name) === ours.searchParams.get(name));
}

/** Whether a parameter is still there, with another value. */
export const hasParameter = (finalUrl: string, name: string): boolean =>
  URL.parse(finalUrl)?.searchParams.has(name) ?? false;
