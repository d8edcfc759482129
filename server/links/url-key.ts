/** Hosts that tell their files apart by the fragment alone. */
const FRAGMENT_IS_IDENTITY = /(^|\.)(mega\.(nz|co\.nz|io)|webshare\.cz)$/;

/**
 * What makes two links of an account the same: the URL as it goes to the server, which never sees
 * the fragment. Nothing else is folded, since `www.`, a slash or a query may lead elsewhere.
 */
export function urlKeyOf(url: URL): string {
  if (FRAGMENT_IS_IDENTITY.test(url.hostname)) return url.href;
  const bare = new URL(url);
  bare.hash = "";
  return bare.href;
}
