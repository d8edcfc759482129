import { getDomain } from "tldts";

/**
 * A site is a name that one can register, or an address; on a port of its own it is another site, since
 * another server answers there. What the name resolves to is no key beside it: behind one address of a
 * delivery network are thousands of owners, who would wait for each other and share each other's holds.
 * @param host a name or an address, with its port where that is not the usual one
 */
export const siteOf = (host: string): string => (getDomain(host) ?? bareHost(host)) + portOf(host);

const portOf = (host: string) => /:\d+$/.exec(host)?.[0] ?? "";

const bareHost = (host: string) => host.replace(/:\d+$/, "");
