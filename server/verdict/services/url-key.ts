import { type Catalogue, serviceOf } from "./catalogue.ts";

/**
 * What makes two links of an account the same: the URL as it goes to the server, which never sees the
 * fragment, unless a service tells its things apart by that alone. Nothing else is folded, since `www.`, a
 * slash or a query may lead elsewhere.
 */
export function urlKeyOf(catalogue: Catalogue, url: URL): string {
  const isIdentity = serviceOf(catalogue, url)?.kinds?.some(
    ({ fragment }) => fragment !== undefined,
  );
  if (isIdentity) return url.href;
  const bare = new URL(url);
  bare.hash = "";
  return bare.href;
}
