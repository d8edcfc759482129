import { generate } from "selfsigned";
import { hostOf, pathOf, SUFFIX } from "./pages.ts";
import { newFolder, startProgram } from "./program.ts";

export type Scheme = "http" | "https";

/** Pages with an `ETag`, without one, or with another text at each request. */
export type PageKind = "validators" | "plain" | "changed";

/** Sites to check and their name server, in a process of their own. */
export type Web = {
  /** The link with that number: another page than all others, on a site of its own. */
  urlOf(n: number, scheme?: Scheme): string;
  /** The settings with which the program reaches the sites. */
  settings: Record<string, string>;
  /**
   * When the first request came since the last call, in milliseconds since 1970 (0 if none came), how many did, and how
   * many bytes the pages were, with their headers.
   */
  takeStats(): Promise<{ firstAt: number; requests: number; bytes: number }>;
  /** Chooses what the pages are like from now on; `plain` at first. */
  makePages(kind: PageKind): Promise<void>;
  stop(): Promise<void>;
};

/** @param more environment of the process */
export async function startWeb(more: Record<string, string> = {}): Promise<Web> {
  const pair = await certificate();
  const env = { BENCH_CERT: pair.cert, BENCH_KEY: pair.private, ...more };
  const target = await startProgram([process.execPath, "bench/target.ts"], env);
  const { port, searchParams } = new URL(target.url);
  const ports = { http: port, https: searchParams.get("secure") };
  const caFile = `${newFolder()}/ca.pem`;
  await Bun.write(caFile, pair.cert);
  return {
    urlOf: (n, scheme = "http") => `${scheme}://${hostOf(n)}:${ports[scheme]}${pathOf(n)}`,
    settings: {
      STILLUP_CHECK_ALLOWED_HOSTS: "external,loopback",
      STILLUP_DNS_SERVERS: searchParams.get("names")!,
      // Like one of the usual authorities: a list of our own costs some 2 ms for each new name.
      NODE_EXTRA_CA_CERTS: caFile,
    },
    takeStats: async () => (await fetch(new URL("/stats", target.url))).json(),
    makePages: async (kind) => void (await fetch(new URL(`/pages/${kind}`, target.url))),
    stop: target.stop,
  };
}

const certificate = () =>
  generate([{ name: "commonName", value: SUFFIX }], {
    keyType: "ec",
    extensions: [
      { name: "basicConstraints", cA: true },
      { name: "subjectAltName", altNames: [{ type: 2, value: `*.${SUFFIX}` }] },
    ],
  });
