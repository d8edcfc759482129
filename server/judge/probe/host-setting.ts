/** Credentials in the `Authorization` header. */
export type HostAuth =
  | { type: "basic"; user: string; password: string }
  | { type: "bearer"; token: string };

/** What an account sends to a host with its checks: secrets, which are never logged. */
export type HostSetting = {
  id: string;
  /** Changes with everything that is sent. */
  version: number;
  /** A name, or `*.` and a domain for the names below it, with a port unless only the default ports are meant. */
  host: string;
  headers: [name: string, value: string][];
  auth: HostAuth | null;
  userAgent: string | null;
  allowHttp: boolean;
};

type Named = Pick<HostSetting, "host">;

/**
 * Whether the setting is for a host. A pattern does not name its own domain. Another port may belong to another program,
 * or to another user of the machine, who must not get the credentials.
 * @param of a host as URLs have it, without a default port
 */
export const names = ({ host }: Named, of: string): boolean => {
  const name = of.replace(/\.(?=:|$)/, "");
  return host.startsWith("*.") ? name.endsWith(host.slice(1)) : name === host;
};

/**
 * Returns the setting for a host: the one for its name, or else the longest pattern.
 * @param of a host as URLs have it, without a default port
 */
export function settingFor<S extends Named>(settings: readonly S[], of: string): S | null {
  const rank = ({ host }: Named) => (host.startsWith("*.") ? host.length : Infinity);
  const fitting = settings.filter((setting) => names(setting, of));
  return fitting.toSorted((a, b) => rank(b) - rank(a))[0] ?? null;
}

/** Whether more is sent than a user agent. */
export const hasCredentials = ({ headers, auth }: Pick<HostSetting, "headers" | "auth">) =>
  auth !== null || headers.length > 0;

/** Returns the headers of the requests to the setting's hosts. */
export const headersFor = ({ headers, auth, userAgent }: HostSetting): [string, string][] => [
  ...(userAgent === null ? [] : [["User-Agent", userAgent] as [string, string]]),
  ...(auth === null ? [] : [["Authorization", authorization(auth)] as [string, string]]),
  ...headers,
];

const authorization = (auth: HostAuth) =>
  auth.type === "bearer"
    ? `Bearer ${auth.token}`
    : `Basic ${btoa(`${auth.user}:${auth.password}`)}`;

/**
 * Whether a request may carry what the setting has.
 * @param before the URLs that led here: after https, nothing is sent unencrypted
 */
export function mayCarry(setting: HostSetting, url: URL, before: readonly string[]): boolean {
  if (!names(setting, url.host)) return false;
  if (url.protocol === "https:") return true;
  return setting.allowHttp && !before.some((earlier) => earlier.startsWith("https:"));
}
