const HOSTS = /^(www\.)?(github|gitlab|codeberg)\.(com|org)$/;

/**
 * What an address may be, if it is more than one page: a guess by its path.
 * @returns null for a single page, and for what is not one address
 */
export function sourceAt(text: string): "site" | "sitemap" | "feed" | "git" | null {
  const url = URL.parse(withScheme(text));
  if (!url || /\s/.test(text.trim()) || !/^https?:$/.test(url.protocol)) return null;
  const { hostname, pathname, search } = url;
  if (/sitemap[^/]*\.(xml|txt)(\.gz)?$/i.test(pathname)) return "sitemap";
  if (/(^|[/.])(feed|rss|atom)([/.]|$)|\.(rss|atom|opml)$/i.test(pathname)) return "feed";
  const isRepository = pathname.split("/").filter(Boolean).length === 2;
  if (HOSTS.test(hostname) && isRepository) return "git";
  return pathname === "/" && search === "" ? "site" : null;
}

/** The address with a scheme, which people leave out. */
export const withScheme = (typed: string) => {
  const address = typed.trim();
  return /^[a-z\d-]+(\.[a-z\d-]+)*\.[a-z]{2,}(\/|$)/i.test(address)
    ? `https://${address}`
    : address;
};

/** Where a source is made of an address. */
export const hrefOfNewSource = (address: string) =>
  `/sources?new=${encodeURIComponent(address.trim())}`;
