import { generate } from "selfsigned";
import { startNameServer } from "../name-server.ts";
import { newFolder, startProgram } from "./program.ts";

/** Sites to check, in a process of their own. */
export type Web = {
  /** Every address of this machine is a site over http. */
  urlOf(n: number): string;
  /** Over https names below some domains answer, which are a site each. */
  secureUrlOf(n: number): string;
  /** What makes the program reach both: settings for `serve`. */
  settings: Record<string, string>;
  /** The certificate of the https sites, in PEM. */
  ca: string;
  /** When it was asked first, in milliseconds since 1970; 0 while it was not. */
  askedAt(): Promise<number>;
  stop(): Promise<void>;
};

/** Starts sites that answer after so many milliseconds. */
export async function startWeb(delayMs = 0): Promise<Web> {
  const pair = await certificate();
  const env = { BENCH_CERT: pair.cert, BENCH_KEY: pair.private };
  const program = [process.execPath, "tests/bench/target.ts", String(delayMs)];
  const target = await startProgram(program, env);
  const names = new Proxy({}, { get: () => ({ A: ["127.0.0.1"] }) });
  const nameServer = await startNameServer(names);
  const { port, searchParams } = new URL(target.url);
  const caFile = `${newFolder()}/ca.pem`;
  await Bun.write(caFile, pair.cert);
  return {
    urlOf: (n) => `http://${loopback(n)}:${port}/`,
    secureUrlOf: (n) => `https://n${n}.site-${n % DOMAINS}.test:${searchParams.get("secure")}/`,
    settings: {
      STILLUP_CHECK_ALLOWED_HOSTS: "external,loopback",
      STILLUP_DNS_SERVERS: nameServer.address,
      // As if it were one of the usual authorities: a list of our own costs some 2 ms for each new name.
      NODE_EXTRA_CA_CERTS: caFile,
    },
    ca: pair.cert,
    askedAt: async () => Number(await (await fetch(new URL("/asked-at", target.url))).text()),
    stop: async () => {
      await target.stop();
      nameServer.stop();
    },
  };
}

/** As many as leave no site with a line. */
const DOMAINS = 50;

const wildcards = () => Array.from({ length: DOMAINS }, (_, i) => `*.site-${i}.test`);

const certificate = () =>
  generate([{ name: "commonName", value: "bench.test" }], {
    keyType: "ec",
    extensions: [
      { name: "basicConstraints", cA: true },
      {
        name: "subjectAltName",
        altNames: ["localhost", ...wildcards()].map((value) => ({ type: 2, value })),
      },
    ],
  });

/** Addresses of this machine are many: each is a host of its own. */
const loopback = (n: number) => `127.${1 + (n >> 16)}.${(n >> 8) & 255}.${n & 255}`;
