/** A identifies this monitor. B looks like a browser, for servers that block automated requests. */
export type Profile = "A" | "B";

export type Style = {
  profile: Profile;
  /** From one hop to the next. */
  keepsCookies: boolean;
  maxHops: number;
  trust: "verified" | "any";
  /** The timeout of a connection. */
  connectMs: number;
  /** Override those of the profile. */
  headers: Record<string, string>;
};

export const USUAL_STYLE: Style = {
  profile: "A",
  keepsCookies: true,
  maxHops: 10,
  trust: "verified",
  connectMs: 10_000,
  headers: {},
};

export const AS_BROWSER: Partial<Style> = { profile: "B" };

const BROWSER_HEADERS = {
  "User-Agent":
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/146.0.0.0 Safari/537.36",
  Accept: "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8",
  "Accept-Language": "en-US,en;q=0.9",
  "Accept-Encoding": "gzip, deflate, br, zstd",
  "Sec-Ch-Ua": '"Chromium";v="146", "Google Chrome";v="146", "Not_A Brand";v="24"',
  "Sec-Ch-Ua-Mobile": "?0",
  "Sec-Ch-Ua-Platform": '"Windows"',
  "Sec-Fetch-Dest": "document",
  "Sec-Fetch-Mode": "navigate",
  "Sec-Fetch-Site": "none",
  "Sec-Fetch-User": "?1",
};

export function headersOf(style: Style, userAgent: string): Record<string, string> {
  const honest = {
    "User-Agent": userAgent,
    Accept: "text/html,application/xhtml+xml,*/*;q=0.8",
    "Accept-Language": "en;q=0.9,*;q=0.5",
    "Accept-Encoding": "gzip, br",
  };
  return { ...(style.profile === "A" ? honest : BROWSER_HEADERS), ...style.headers };
}
