/** A message to one person. */
export type Mail = {
  /** `alert`, `test`, or the kind of mail to a person; for metrics. */
  kind: string;
  /** Names the message at every attempt: the left part of its Message-ID, and of the boundary between its parts. */
  id: string;
  to: string;
  /** The name of the sender. */
  fromName: string;
  subject: string;
  /** Milliseconds since 1970. */
  at: number;
  text: string;
  html: string;
  /** The id of a thread that the message belongs to. */
  thread?: string;
  headers?: Record<string, string>;
};

/**
 * How an attempt ended, which took `durationMs`. `server`: the mail server does not work, so this says nothing about
 * the message. `reply` is the server's last line, at most 1,000 characters.
 */
export type MailOutcome = { durationMs: number } & (
  | {
      kind: "replied";
      code: number;
      reply: string;
      what: "sent" | "later" | "refused" | "no_recipient";
    }
  | { kind: "timeout" }
  | { kind: "server"; reply: string }
  | { kind: "aborted" }
);

/** What administrators see of the mail server. Times are milliseconds since 1970. */
export type MailState = {
  host: string;
  port: number;
  security: "tls" | "starttls" | "none";
  from: string;
  lastSuccessAt: number | null;
  lastReply: string | null;
  /** What is wrong with the server; null while it works. */
  problem: string | null;
  /** How long nothing more is sent, in milliseconds. */
  restMs: number;
};

/** The operator's mail server. */
export type MailServer = {
  /** Whether the settings allow mail to the address. */
  mayWriteTo(address: string): boolean;
  /** The domains of `STILLUP_SMTP_RECIPIENTS`. */
  domains: readonly string[];
  /** How many messages may be on their way at a time, with those that are now. */
  places(): number;
  /** How many more may be sent now. */
  free(): number;
  /** How long nothing is sent after a failure of the server, in milliseconds. */
  waitMs(): number;
  /** Sends a message once, whatever `free` says. Never throws. */
  send(mail: Mail, signal?: AbortSignal): Promise<MailOutcome>;
  state(): MailState;
  close(): void;
};
