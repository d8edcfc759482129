import { readFileSync } from "node:fs";
import { type ParsedMail, simpleParser } from "mailparser";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import type { Env } from "../server/ground/config/config.ts";
import { closeAtEnd } from "./shared.ts";
import { createWatch, hasCome } from "./waits.ts";

/** A message that the mail server has accepted, or at least read. */
export type Letter = ParsedMail & {
  /** Of the envelope. */
  sender: string;
  recipients: string[];
  /** As it came. */
  raw: string;
};

/** What the server answers, by the command; 250 where nothing is said. */
type Replies = {
  mail?: string | undefined;
  rcpt?: string | undefined;
  data?: string | undefined;
  /** Breaks the connection off after the message, without a reply. */
  breaksOff?: boolean | undefined;
};

export type MailHost = {
  port: number;
  letters: Letter[];
  /** From now on it says this. */
  answers(replies: Replies): void;
  /** Resolves once so many messages have come. */
  seen(count: number): Promise<void>;
  /** How many were opened so far. */
  connections(): number;
  stop(): Promise<void>;
};

const read = (file: string) => readFileSync(new URL(`./certs/${file}`, import.meta.url), "utf8");

/** The certificate of tests/certs is for this name. */
export const GOOD_TLS = { key: read("good.key"), cert: read("good.pem") };

/** A real mail server that keeps what it gets. */
export async function startMailHost(
  options: SMTPServerOptions = {},
  onPort = 0,
): Promise<MailHost> {
  const letters: Letter[] = [];
  let replies: Replies = {};
  let connections = 0;
  const watch = createWatch();
  const server = new SMTPServer({
    disabledCommands: options.onAuth ? [] : ["AUTH", "STARTTLS"],
    authOptional: !options.onAuth,
    hidePIPELINING: true,
    onConnect: (_session, callback) => {
      connections++;
      callback();
    },
    onMailFrom: (_address, _session, callback) => callback(errorOf(replies.mail)),
    onRcptTo: (_address, _session, callback) => callback(errorOf(replies.rcpt)),
    onData(stream, session, callback) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", async () => {
        const raw = Buffer.concat(chunks).toString();
        const { mailFrom, rcptTo } = session.envelope;
        letters.push({
          ...(await simpleParser(raw)),
          raw,
          sender: mailFrom ? mailFrom.address : "",
          recipients: rcptTo.map(({ address }) => address),
        });
        watch.changed();
        if (replies.breaksOff) return breakOff(server);
        callback(errorOf(replies.data));
      });
    },
    ...options,
  });
  server.on("error", () => {});
  await new Promise<void>((resolve) => server.listen(onPort, "127.0.0.1", resolve));
  const { port } = server.server.address() as { port: number };
  let stopped: Promise<void> | null = null;
  const stop = () => {
    stopped ??= new Promise<void>((resolve) => {
      breakOff(server);
      server.close(() => resolve());
    });
    return stopped;
  };
  closeAtEnd(stop);
  return {
    port,
    letters,
    stop,
    connections: () => connections,
    answers: (next) => {
      replies = next;
    },
    seen: (count) => hasCome(watch, letters, count, "messages"),
  };
}

/** Ends all connections as a crash would. */
function breakOff(server: SMTPServer) {
  const { connections } = server as unknown as {
    connections: Set<{ _socket: { destroy(): void } }>;
  };
  for (const each of connections) each._socket.destroy();
}

/** `550 5.1.1 No such user` as the error that the library sends. */
function errorOf(reply: string | undefined): Error | null {
  if (reply === undefined) return null;
  const [, code, text] = /^(\d+) (.*)$/.exec(reply)!;
  return Object.assign(new Error(text), { responseCode: Number(code) });
}

/** The settings of a server that sends mail there. */
export const mailSettings = (port: number, more: Env = {}): Env => ({
  STILLUP_PUBLIC_URL: "https://links.example.org",
  STILLUP_SMTP_HOST: "127.0.0.1",
  STILLUP_SMTP_PORT: String(port),
  STILLUP_SMTP_SECURITY: "none",
  STILLUP_SMTP_FROM: "stillup@links.example.org",
  STILLUP_SMTP_RATE: "0",
  ...more,
});
