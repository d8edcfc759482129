/** How entries name what was changed: enough to know it again, and nothing that opens anything. */

const LONGEST_NAME = 200;

/** A URL without what may be a secret in it: user name, password, the values of its query, its fragment. */
export function shownUrl(text: string): string {
  const url = URL.parse(text);
  if (!url) return "";
  const query = url.search ? "?…" : "";
  return `${url.protocol}//${url.host}${url.pathname}${query}`.slice(0, LONGEST_NAME);
}

type Of<Name extends string> = { id: string } & Record<Name, string>;

export const linkTarget = ({ id, url }: Of<"url">) => ({ id, name: shownUrl(url) });

/** The path of a webhook's URL may be all that protects its receiver. */
export const webhookTarget = ({ id, url }: Of<"url">) => ({ id, name: new URL(url).host });

export const keyTarget = ({ id, prefix }: Of<"prefix">) => ({ id, name: prefix });

export const groupTarget = ({ id, name }: Of<"name">) => ({ id, name });

/** People and accounts. */
export const emailTarget = ({ id, email }: Of<"email">) => ({ id, name: email });
