/** What a source's owner gave to read it. */
export type Credential = {
  type: "bearer" | "token" | "basic" | "header";
  /** The name of the header. */
  name: string | null;
  user: string | null;
  value: string;
};

/** Whose API is asked, since they differ in what a token is. */
export type Program = "gitlab" | "other";

/**
 * Returns what to send to each URL: always `usual`, and the credential only to the origin that it was given for, however
 * a request is redirected.
 */
export function headersWith(
  credential: Credential | null,
  origin: URL,
  usual: Record<string, string> = {},
  program: Program = "other",
): (url: URL) => Record<string, string> {
  if (!credential) return () => usual;
  const own = { ...usual, ...credentialHeader(credential, program) };
  return (url) => (url.origin === origin.origin ? own : usual);
}

function credentialHeader(
  { type, name, user, value }: Credential,
  program: Program,
): Record<string, string> {
  if (type === "header") return { [name ?? "Authorization"]: value };
  if (type === "basic") {
    return { Authorization: `Basic ${Buffer.from(`${user ?? ""}:${value}`).toString("base64")}` };
  }
  if (type === "token" && program === "gitlab") return { "PRIVATE-TOKEN": value };
  return { Authorization: `${type === "bearer" ? "Bearer" : "Token"} ${value}` };
}
